// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_SENDER_REPORT_REWRITER_H_
#define SIGHTLINE_ROUTER_SENDER_REPORT_REWRITER_H_

#include <mutex>

#include "api/call/transport.h"
#include "router/transit_baseline.h"
#include "system_wrappers/include/clock.h"

namespace sightline {

/// The transport of a forwarded audio stream, on which its sender reports get the capture times of `TransitBaseline`.
///
/// libwebrtc takes the time at which audio is handed to a sender for its capture, and offers no way to say otherwise; in a
/// router that is its arrival. RTCP is not encrypted yet here.
class SenderReportRewriter final : public webrtc::Transport {
public:
    /// `transport` and `clock` have to outlive this.
    SenderReportRewriter(
        webrtc::Transport* transport, uint32_t ssrc, webrtc::Clock* clock = webrtc::Clock::GetRealTimeClock())
        : transport_(transport), ssrc_(ssrc), clock_(clock) {}

    bool SendRtp(const uint8_t* packet, size_t length, const webrtc::PacketOptions& options) override;
    bool SendRtcp(const uint8_t* packet, size_t length) override;

private:
    webrtc::Transport* const transport_;
    const uint32_t ssrc_;
    webrtc::Clock* const clock_;
    std::mutex mutex_;
    TransitBaseline baseline_{kOpusTicksPerMs};
    int64_t lateness_ms_ = 0;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_SENDER_REPORT_REWRITER_H_
