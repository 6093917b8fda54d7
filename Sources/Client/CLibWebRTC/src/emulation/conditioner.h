// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_CONDITIONER_H
#define SIGHTLINE_CONDITIONER_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "api/packet_socket_factory.h"
#include "link_model.h"
#include "abi/live_count.h"
#include "peer/datagram_gate.h"
#include "rtc_base/socket_factory.h"

namespace sightline {

/// Directions of a path as the client sees it: up is what it sends, wherever the conditioner is.
enum class Direction { up = 0, down = 1 };

constexpr Direction Opposite(Direction direction) {
    return direction == Direction::up ? Direction::down : Direction::up;
}

/// The emulated network of one client: a link model per direction, settable from any thread at any time. All peer
/// connections that have the same one share its links, as those of one client share its access line.
///
/// Sockets that have it live on one network thread, so what they offer comes in order of time.
class Conditioner {
public:
    /// What may be under way in one direction, bytes of memory; what comes beyond it is dropped as by a full queue.
    static constexpr size_t kMostUnderWay = 8 << 20;

    /// The two directions draw from independent random sequences derived from `seed`.
    explicit Conditioner(uint64_t seed);

    void Set(Direction direction, const LinkSettings& settings);
    LinkSettings settings(Direction direction) const;
    LinkCounters counters(Direction direction) const;
    Verdict Offer(Direction direction, size_t bytes, int64_t now_us);

    /// Memory that packets under way take, more or less by so much.
    void Take(Direction direction, size_t bytes) { link(direction).under_way += bytes; }
    void Release(Direction direction, size_t bytes) { link(direction).under_way -= bytes; }

private:
    struct Link {
        explicit Link(uint64_t seed) : model(seed, SL_UDP_HEADER_BYTES) {}
        mutable std::mutex mutex;
        LinkModel model;
        std::atomic<size_t> under_way = 0;
    };
    Link& link(Direction direction) { return direction == Direction::up ? up_ : down_; }
    const Link& link(Direction direction) const { return direction == Direction::up ? up_ : down_; }

    Link up_, down_;
    LiveCount<SL_LIVE_CONDITIONER> count_;
};

/// Makes UDP sockets whose packets pass `conditioner` in both directions, those that are sent in the direction
/// `sending`; with a null one, as they come. All drop what a `DatagramGate` does not admit.
std::unique_ptr<rtc::PacketSocketFactory> CreateConditionedSocketFactory(
    rtc::SocketFactory* sockets, std::shared_ptr<Conditioner> conditioner, Direction sending, DatagramUse use);

}  // namespace sightline
#endif
