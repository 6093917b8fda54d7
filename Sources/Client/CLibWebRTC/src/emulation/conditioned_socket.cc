// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "emulation/conditioned_socket.h"

#include <algorithm>
#include <utility>

#include "rtc_base/time_utils.h"

namespace sightline {
namespace {

/// Timers tick in whole milliseconds; what is due within half of one goes out now.
constexpr int64_t kTimerSlackUs = 500;

}  // namespace

DeliveryLine::DeliveryLine(
    std::shared_ptr<Conditioner> conditioner, Direction direction,
    std::function<void(const TravellingPacket&)> deliver)
    : conditioner_(std::move(conditioner)),
      direction_(direction),
      deliver_(std::move(deliver)),
      thread_(webrtc::TaskQueueBase::Current()) {
}

DeliveryLine::~DeliveryLine() {
    for (const auto& packet : packets_) conditioner_->Release(direction_, Size(packet));
}

void DeliveryLine::Push(TravellingPacket packet) {
    conditioner_->Take(direction_, Size(packet));
    packets_.push_back(std::move(packet));
    if (!armed_) Arm();
}

void DeliveryLine::Arm() {
    armed_ = true;
    auto wait_us = std::max<int64_t>(0, packets_.front().at_us - rtc::TimeMicros());
    thread_->PostDelayedHighPrecisionTask(
        webrtc::SafeTask(safety_.flag(), [this] { Drain(); }), webrtc::TimeDelta::Micros(wait_us));
}

void DeliveryLine::Drain() {
    // A delivery may destroy the socket, and this line with it.
    auto alive = safety_.flag();
    while (!packets_.empty() && packets_.front().at_us <= rtc::TimeMicros() + kTimerSlackUs) {
        auto packet = std::move(packets_.front());
        packets_.pop_front();
        conditioner_->Release(direction_, Size(packet));
        deliver_(packet);
        if (!alive->alive()) return;
    }
    armed_ = false;
    if (!packets_.empty()) Arm();
}

ConditionedSocket::ConditionedSocket(
    std::unique_ptr<rtc::AsyncPacketSocket> inner, std::shared_ptr<Conditioner> conditioner,
    Direction sending)
    : SocketWrapper(std::move(inner)),
      conditioner_(std::move(conditioner)),
      sending_(sending),
      out_(conditioner_, sending, [this](const TravellingPacket& packet) {
          SocketWrapper::SendTo(packet.payload.data(), packet.payload.size(), packet.address, packet.options);
      }),
      in_(conditioner_, Opposite(sending), [this](const TravellingPacket& packet) {
          // The arrival time of the emulated network, or bandwidth estimation would not see its delay.
          const int64_t now_us = rtc::TimeMicros();
          const auto* data = reinterpret_cast<const char*>(packet.payload.data());
          Deliver(data, packet.payload.size(), packet.address, now_us);
      }) {
}

int ConditionedSocket::SendTo(
    const void* data, size_t size, const rtc::SocketAddress& to, const rtc::PacketOptions& options) {
    const int64_t now_us = rtc::TimeMicros();
    const auto verdict = conditioner_->Offer(sending_, size, now_us);
    int result = static_cast<int>(size);
    if (verdict.fate == Fate::delivered) {
        if (verdict.at_us <= now_us && out_.empty()) {
            result = SocketWrapper::SendTo(data, size, to, options);
        } else {
            rtc::Buffer copy(static_cast<const uint8_t*>(data), size);
            out_.Push({verdict.at_us, std::move(copy), to, options});
        }
    }
    ReportSent(size, options);
    return result;
}

/// Tells bandwidth estimation that the packet has left the host, at the moment it was given to us: a packet
/// that waits or dies in the emulated network has left as far as the sender can know.
void ConditionedSocket::ReportSent(size_t size, const rtc::PacketOptions& options) {
    rtc::SentPacket sent(options.packet_id, rtc::TimeMillis(), options.info_signaled_after_sent);
    rtc::CopySocketInformationToPacketInfo(size, *this, false, &sent.info);
    SignalSentPacket(this, sent);
}

void ConditionedSocket::OnDatagram(
    const char* data, size_t size, const rtc::SocketAddress& from, int64_t time_us) {
    const int64_t now_us = rtc::TimeMicros();
    const auto verdict = conditioner_->Offer(Opposite(sending_), size, now_us);
    if (verdict.fate != Fate::delivered) return;
    if (verdict.at_us <= now_us && in_.empty()) {
        Deliver(data, size, from, time_us);
    } else {
        rtc::Buffer copy(reinterpret_cast<const uint8_t*>(data), size);
        in_.Push({verdict.at_us, std::move(copy), from, rtc::PacketOptions()});
    }
}

}  // namespace sightline
