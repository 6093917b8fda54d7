// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_CONGESTION_H_
#define SIGHTLINE_ROUTER_CONGESTION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "api/transport/network_control.h"
#include "router/path_timing.h"

namespace sightline {

/// What is known of what one leg's network carries: what congestion control believes of the path to the client, at any moment
/// and whether media flow or not, with functions to request a probe and to overrule it; and what packets show of the path that
/// the leg's media take. Thread-safe.
class LegCongestion {
public:
    /// bps, for everything on the leg; `nullopt` until congestion control has begun.
    std::optional<int64_t> estimate() const;
    /// Sends a short burst at `bitrate` bps, within 25 ms, if anything at all is sent on the leg; what
    /// arrives of it moves the estimate. Costs about 15 ms of that rate.
    void Probe(int64_t bitrate);
    /// Sends `bitrate` bps from now on, padding after media, whatever congestion control believes; 0 gives
    /// the rate back to it.
    void Saturate(int64_t bitrate);
    /// What packets have shown of the path since the last call, up to now, the most of each; `nullopt` if nothing: those from the
    /// client on a leg that receives, those to it on one that sends, of which the client says when they came.
    std::optional<PathSecond> TakePath();

    // For congestion control.

    void OnEstimate(int64_t bps);
    /// The bitrate of a probe that is asked for; 0 for none. Ends the request.
    int64_t TakeProbe();
    /// The bitrate that is sent whatever congestion control believes; 0 for none.
    int64_t saturation() const;
    /// The path is another one from now on: nothing is known of it.
    void OnRouteChange();

    // For congestion control, and for what receives.

    /// Takes a packet of the path; see `PathTiming`.
    void OnPacket(int64_t sent_us, int64_t arrival_us, size_t bytes);

private:
    /// With `mutex_` held.
    void Note(const std::optional<PathSecond>& second);

    std::atomic<int64_t> estimate_bps_{-1};
    std::atomic<int64_t> probe_bps_{0};
    std::atomic<int64_t> saturation_bps_{0};
    std::mutex mutex_;
    PathTiming timing_;
    std::optional<PathSecond> path_;
};

/// libwebrtc's own congestion control, watched. Only for connections whose event logs know their leg. Used
/// by libwebrtc only under the trial WebRTC-Bwe-InjectedCongestionController.
std::unique_ptr<webrtc::NetworkControllerFactoryInterface> CreateWatchedCongestionControl();

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_CONGESTION_H_
