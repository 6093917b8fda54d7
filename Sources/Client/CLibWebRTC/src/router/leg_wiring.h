// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_LEG_WIRING_H_
#define SIGHTLINE_ROUTER_LEG_WIRING_H_

#include <memory>
#include <mutex>
#include <utility>

#include "api/rtc_event_log/rtc_event_log.h"
#include "api/rtc_event_log/rtc_event_log_factory_interface.h"
#include "router/audio.h"
#include "router/congestion.h"

namespace sightline {

/// What libwebrtc's parts below a leg's connection have to do with the leg.
struct LegWiring {
    std::shared_ptr<LegCongestion> congestion;
    /// Makes what takes the packets of one received audio stream; empty on a leg that receives none.
    AudioTapFactory audio_tap;
};

/// Tells which leg's connection is being made: libwebrtc makes its call and congestion control later and on
/// another thread, and says nothing of the leg, but hands on the event log that was made with the connection.
class LegRegistry {
public:
    /// Runs `make`, which makes a leg's connection. One at a time.
    template <typename Make>
    auto During(LegWiring leg, Make make) {
        Set(std::make_shared<const LegWiring>(std::move(leg)));
        auto made = make();
        Set(nullptr);
        return made;
    }

    std::shared_ptr<const LegWiring> current() const;

private:
    void Set(std::shared_ptr<const LegWiring> leg);

    mutable std::mutex mutex_;
    std::shared_ptr<const LegWiring> current_;
};

/// That of the leg whose connection has an event log; empty if it is none of those below.
LegWiring WiringOf(const webrtc::RtcEventLog* log);

/// Event logs that log nothing and know their leg.
std::unique_ptr<webrtc::RtcEventLogFactoryInterface> CreateLegEventLogs(
    std::shared_ptr<LegRegistry> registry);

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_LEG_WIRING_H_
