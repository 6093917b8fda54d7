// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/feedback_gate.h"

#include <algorithm>
#include <cmath>

#include "modules/rtp_rtcp/source/byte_io.h"
#include "modules/rtp_rtcp/source/rtcp_packet/common_header.h"
#include "modules/rtp_rtcp/source/rtcp_packet/transport_feedback.h"

namespace sightline {

namespace {

using webrtc::rtcp::CommonHeader;
using webrtc::rtcp::TransportFeedback;

constexpr int64_t kTickMs = 64;
constexpr int64_t kWrap = 1 << 24;
/// Two SSRCs, the first number and the count come before the base time.
constexpr size_t kBaseTimeAt = 12;
/// How far two clocks run apart, at most.
constexpr double kDrift = 0.001;
/// A format of feedback that is not assigned, for what is not to be read.
constexpr uint8_t kNoFormat = 30;
constexpr uint8_t kFormatBits = 0x1F;

int64_t BackMs(const TransportFeedback& feedback) {
    int64_t back_us = 0;
    for (const auto& packet : feedback.GetReceivedPackets()) back_us += std::min<int64_t>(0, packet.delta().us());
    return -back_us / 1000;
}

}  // namespace

void FeedbackGate::Correct(std::span<uint8_t> packet, int64_t now_ms) {
    CommonHeader header;
    for (size_t at = 0; at < packet.size(); at = header.NextPacket() - packet.data()) {
        // Nor does libwebrtc read on.
        if (!header.Parse(packet.data() + at, packet.size() - at)) return;
        if (header.type() != TransportFeedback::kPacketType
            || header.fmt() != TransportFeedback::kFeedbackMessageType) {
            continue;
        }
        TransportFeedback feedback;
        if (!feedback.Parse(header)) continue;
        if (!last_) first_ms_ = now_ms;
        if (BackMs(feedback) > Within(kBackMs)) {
            packet[at] = static_cast<uint8_t>((packet[at] & ~kFormatBits) | kNoFormat);
            continue;
        }
        uint8_t* const place = packet.data() + (header.payload() - packet.data()) + kBaseTimeAt;
        const auto ticks = webrtc::ByteReader<uint32_t, 3>::ReadBigEndian(place);
        webrtc::ByteWriter<uint32_t, 3>::WriteBigEndian(place, Correct(ticks, now_ms));
    }
}

uint32_t FeedbackGate::Correct(uint32_t ticks, int64_t now_ms) {
    int64_t next = ticks + shift_;
    if (!last_) {
        offset_ms_ = static_cast<double>(next * kTickMs - now_ms);
    } else {
        // The nearest to the last that ends in the same bits.
        int64_t step = (next - *last_) % kWrap;
        if (step > kWrap / 2) step -= kWrap;
        if (step < -kWrap / 2) step += kWrap;
        next = *last_ + step;
        const double apart = static_cast<double>(next * kTickMs - now_ms) - offset_ms_;
        if (apart > static_cast<double>(Within(kEarlyMs)) || -apart > static_cast<double>(Within(kLateMs))) {
            const int64_t correction = std::llround(apart / kTickMs);
            shift_ = (shift_ - correction) % kWrap;
            next -= correction;
        } else {
            const double most = kDrift * static_cast<double>(now_ms - last_ms_);
            offset_ms_ += std::clamp(apart, -most, most);
        }
    }
    last_ = next;
    last_ms_ = now_ms;
    return static_cast<uint32_t>(((next % kWrap) + kWrap) % kWrap);
}

}  // namespace sightline
