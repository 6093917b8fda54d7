// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/media_clock.h"

#include <algorithm>

namespace sightline {

namespace {

// What seems to be later than this has another time line.
constexpr int64_t kMostLatenessMs = 1000;

// A sender's clock may be slower than this machine's: after each of these times the best counts for a millisecond less, which
// is as much as crystals differ by.
constexpr int64_t kLooseningMs = 5000;

}  // namespace

int64_t MediaClock::Lateness(uint32_t rtp_timestamp, int64_t now_ms) {
    if (is_known_) {
        // The difference of two 32-bit timestamps survives their wrap-around as a signed number.
        ticks_ += static_cast<int32_t>(rtp_timestamp - last_rtp_);
        if (const int64_t steps = (now_ms - loosened_at_ms_) / kLooseningMs; steps > 0) {
            begin_ms_ += steps;
            loosened_at_ms_ += steps * kLooseningMs;
        }
        lateness_ms_ = std::max<int64_t>(0, now_ms - begin_ms_ - ticks_ / ticks_per_ms_);
    }
    if (!is_known_ || lateness_ms_ > kMostLatenessMs) {
        if (is_known_) lateness_ms_ = 0;
        is_known_ = true;
        ticks_ = 0;
        begin_ms_ = now_ms - lateness_ms_;
        loosened_at_ms_ = now_ms;
    } else if (lateness_ms_ == 0) {
        begin_ms_ = now_ms - ticks_ / ticks_per_ms_;
    }
    last_rtp_ = rtp_timestamp;
    return lateness_ms_;
}

}  // namespace sightline
