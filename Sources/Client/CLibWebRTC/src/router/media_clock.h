// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_MEDIA_CLOCK_H_
#define SIGHTLINE_ROUTER_MEDIA_CLOCK_H_

#include <cstdint>

namespace sightline {

/// Media are dated this much before the time at which they would have come at best. libwebrtc pulls dates from the
/// future to now, and drops the second of two frames with the same date: the margin leaves room for several frames that
/// arrive in one millisecond.
constexpr int64_t kDatedBackMs = 10;

constexpr int kVideoTicksPerMs = 90;
constexpr int kOpusTicksPerMs = 48;

/// Tells how much later than at best something came: that is what it waited for in queues on its way.
///
/// What is dated by its arrival is not in step with what came by another queue, or before the queue was there. Subscribers
/// play audio and video together by their dates, so both are dated by when they were sent: the shortest time that any of
/// it has taken is taken for what all would have taken. Not thread-safe.
class MediaClock {
public:
    explicit MediaClock(int ticks_per_ms) : ticks_per_ms_(ticks_per_ms) {}

    /// By how many milliseconds something that came now is late; 0 for what nothing is known of.
    int64_t Lateness(uint32_t rtp_timestamp, int64_t now_ms);
    /// The next that comes is of another sender or layer, with timestamps of its own: it takes the same way, and is as late as
    /// what came last.
    void Restart() { is_known_ = false; }

private:
    const int ticks_per_ms_;
    bool is_known_ = false;
    uint32_t last_rtp_ = 0;
    /// Ticks since the first timestamp, and when that would have come at best.
    int64_t ticks_ = 0;
    int64_t begin_ms_ = 0;
    int64_t loosened_at_ms_ = 0;
    int64_t lateness_ms_ = 0;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_MEDIA_CLOCK_H_
