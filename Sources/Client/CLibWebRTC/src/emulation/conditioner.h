// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_CONDITIONER_H
#define SIGHTLINE_CONDITIONER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "api/packet_socket_factory.h"
#include "link_model.h"
#include "abi/live_count.h"
#include "rtc_base/socket_factory.h"

namespace sightline {

/// Directions of a path as the peer connection sees it.
enum class Direction { up = 0, down = 1 };

/// The emulated network of one peer connection: a link model per direction, settable from any thread at any
/// time.
class Conditioner {
public:
    /// The two directions draw from independent random sequences derived from `seed`.
    explicit Conditioner(uint64_t seed);

    void Set(Direction direction, const LinkSettings& settings);
    LinkSettings settings(Direction direction) const;
    LinkCounters counters(Direction direction) const;
    Verdict Offer(Direction direction, size_t bytes, int64_t now_us);

private:
    struct Link {
        explicit Link(uint64_t seed) : model(seed, SL_UDP_HEADER_BYTES) {}
        mutable std::mutex mutex;
        LinkModel model;
    };
    Link& link(Direction direction) { return direction == Direction::up ? up_ : down_; }
    const Link& link(Direction direction) const { return direction == Direction::up ? up_ : down_; }

    Link up_, down_;
    LiveCount<SL_LIVE_CONDITIONER> count_;
};

/// Makes UDP sockets whose packets pass `conditioner` in both directions; with a null one, plain sockets.
std::unique_ptr<rtc::PacketSocketFactory> CreateConditionedSocketFactory(
    rtc::SocketFactory* sockets, std::shared_ptr<Conditioner> conditioner);

}  // namespace sightline
#endif
