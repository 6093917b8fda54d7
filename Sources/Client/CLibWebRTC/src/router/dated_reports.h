// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_DATED_REPORTS_H_
#define SIGHTLINE_ROUTER_DATED_REPORTS_H_

#include <mutex>

#include "api/call/transport.h"
#include "router/media_clock.h"

namespace sightline {

/// The way out of forwarded audio, whose sender reports it dates as `MediaClock` does.
///
/// libwebrtc dates audio by when it is handed to the sender, and offers no way to say otherwise; here that is when it came.
/// RTCP is not encrypted yet.
class DatedReports final : public webrtc::Transport {
public:
    /// `transport` has to outlive this.
    DatedReports(webrtc::Transport* transport, uint32_t ssrc) : transport_(transport), ssrc_(ssrc) {}

    bool SendRtp(const uint8_t* packet, size_t length, const webrtc::PacketOptions& options) override;
    bool SendRtcp(const uint8_t* packet, size_t length) override;

private:
    webrtc::Transport* const transport_;
    const uint32_t ssrc_;
    std::mutex mutex_;
    MediaClock clock_{kOpusTicksPerMs};
    int64_t lateness_ms_ = 0;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_DATED_REPORTS_H_
