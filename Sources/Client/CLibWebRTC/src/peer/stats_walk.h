// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_STATS_WALK_H
#define SIGHTLINE_STATS_WALK_H

#include "../include/sl_stats.h"
#include "api/stats/rtc_stats_report.h"

namespace sightline {

/// Hands every object of `report` with its defined members to `visit`, on the calling thread.
///
/// The obsolete types `track` and `stream` are omitted: they repeat members of the RTP streams, and whoever
/// adds up a report would count those twice.
void WalkStats(const webrtc::RTCStatsReport& report, void* context, sl_stats_object_fn visit);

}  // namespace sightline
#endif
