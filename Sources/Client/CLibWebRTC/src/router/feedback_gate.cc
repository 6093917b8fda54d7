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
/// Until the clock says so much, there is no room below it: the first report that libwebrtc takes may be out of step as well as
/// each that comes after it.
constexpr int64_t kEarliestMs = 3 * FeedbackGate::kSlackMs;

int64_t BackMs(const TransportFeedback& feedback) {
    int64_t back_us = 0;
    for (const auto& packet : feedback.GetReceivedPackets()) back_us += std::min<int64_t>(0, packet.delta().us());
    return -back_us / 1000;
}

}  // namespace

bool FeedbackGate::Admit(std::span<uint8_t> packet, int64_t now_ms) {
    CommonHeader header;
    for (const uint8_t* next = packet.data(); next != packet.data() + packet.size(); next = header.NextPacket()) {
        // Nor does libwebrtc read on.
        if (!header.Parse(next, packet.data() + packet.size() - next)) return true;
        if (header.type() != TransportFeedback::kPacketType
            || header.fmt() != TransportFeedback::kFeedbackMessageType) {
            continue;
        }
        TransportFeedback feedback;
        if (!feedback.Parse(header)) continue;
        if (now_ms < kEarliestMs || BackMs(feedback) > kMostBackMs) return false;
        uint8_t* const place = packet.data() + (header.payload() - packet.data()) + kBaseTimeAt;
        const auto ticks = webrtc::ByteReader<uint32_t, 3>::ReadBigEndian(place);
        webrtc::ByteWriter<uint32_t, 3>::WriteBigEndian(place, Correct(ticks, now_ms));
    }
    return true;
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
        if (std::abs(apart) > kSlackMs) {
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
