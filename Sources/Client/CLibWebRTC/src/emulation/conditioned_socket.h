// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_CONDITIONED_SOCKET_H
#define SIGHTLINE_CONDITIONED_SOCKET_H

#include <deque>
#include <functional>
#include <memory>

#include "api/task_queue/pending_task_safety_flag.h"
#include "api/task_queue/task_queue_base.h"
#include "emulation/conditioner.h"
#include "abi/live_count.h"
#include "peer/socket_wrapper.h"
#include "rtc_base/buffer.h"

namespace sightline {

/// A packet under way on an emulated link.
struct TravellingPacket {
    int64_t at_us;
    rtc::Buffer payload;
    /// Where it goes, or where it came from.
    rtc::SocketAddress address;
    rtc::PacketOptions options;
};

/// Hands packets over when they arrive: one queue, one timer, so they keep their order whatever the timer's
/// resolution. (A timer per packet let packets overtake each other, which receivers answer with NACKs.)
///
/// Lives on the thread that made it.
class DeliveryLine {
public:
    /// What is under way takes memory of `direction` of `conditioner`.
    DeliveryLine(
        std::shared_ptr<Conditioner> conditioner, Direction direction,
        std::function<void(const TravellingPacket&)> deliver);
    ~DeliveryLine();

    bool empty() const { return packets_.empty(); }
    void Push(TravellingPacket packet);

private:
    void Arm();
    void Drain();
    /// The memory that a packet takes while it is under way.
    static size_t Size(const TravellingPacket& packet) { return sizeof packet + packet.payload.size(); }

    const std::shared_ptr<Conditioner> conditioner_;
    const Direction direction_;
    const std::function<void(const TravellingPacket&)> deliver_;
    webrtc::TaskQueueBase* const thread_;
    std::deque<TravellingPacket> packets_;
    bool armed_ = false;
    webrtc::ScopedTaskSafety safety_;
};

/// A UDP socket behind an emulated network. Lives on the network thread.
///
/// Whatever is sent and received passes the network: media, RTCP, DTLS, and the STUN of ICE.
class ConditionedSocket final : public SocketWrapper {
public:
    /// `sending` is the direction of what the socket sends: up at a client, down at the router's end of its path.
    ConditionedSocket(
        std::unique_ptr<rtc::AsyncPacketSocket> inner, std::shared_ptr<Conditioner> conditioner,
        Direction sending);

    int SendTo(const void* data, size_t size, const rtc::SocketAddress& to, const rtc::PacketOptions& options)
        override;

private:
    void ReportSent(size_t size, const rtc::PacketOptions& options);
    void OnDatagram(
        const char* data, size_t size, const rtc::SocketAddress& from, int64_t time_us) override;
    /// Not heard of: see `ReportSent`.
    void OnLeft(const rtc::SentPacket&) override {}

    const std::shared_ptr<Conditioner> conditioner_;
    const Direction sending_;
    DeliveryLine out_, in_;
    LiveCount<SL_LIVE_SOCKET> count_;
};

}  // namespace sightline
#endif
