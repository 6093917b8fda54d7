// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/transit_baseline.h"

#include <algorithm>

namespace sightline {

namespace {

// Clocks drift, and timestamps may stand still while a device does: what is longer for all of this time is the path's.
constexpr int64_t kWindowMs = 30'000;

// How exactly the window is kept: one minimum in so long.
constexpr int64_t kStepMs = 1000;

// What becomes later than this from one to the next has another time line. Queues do not grow as fast.
constexpr int64_t kJumpMs = 1000;

// More than a queue holds. Timestamps are the publisher's, who may write anything.
constexpr int64_t kMostMs = 10'000;

// What came within this time took the same path.
constexpr int64_t kMomentMs = 500;

}  // namespace

int64_t TransitBaseline::Lateness(uint32_t rtp_timestamp, int64_t now_ms, std::optional<int64_t> start) {
    // The difference of two 32-bit timestamps survives their wrap-around as a signed number.
    ticks_ += static_cast<int32_t>(rtp_timestamp - last_rtp_.value_or(rtp_timestamp));
    last_rtp_ = rtp_timestamp;
    const int64_t transit_ms = now_ms - ticks_ / ticks_per_ms_;
    while (!minima_.empty() && minima_.front().time_ms < now_ms - kWindowMs) minima_.pop_front();
    if (!minima_.empty() && transit_ms - minima_.front().transit_ms > lateness_ms_ + kJumpMs) {
        minima_.clear();
        lateness_ms_ = 0;
    }
    if (minima_.empty()) {
        if (!start && now_ms - last_ms_ <= kMomentMs) start = lateness_ms_;
        minima_.push_back({now_ms, transit_ms - start.value_or(0)});
    }
    while (!minima_.empty() && minima_.back().transit_ms >= transit_ms) minima_.pop_back();
    if (minima_.empty() || now_ms - minima_.back().time_ms >= kStepMs) minima_.push_back({now_ms, transit_ms});
    lateness_ms_ = std::clamp<int64_t>(transit_ms - minima_.front().transit_ms, 0, kMostMs);
    last_ms_ = now_ms;
    return lateness_ms_;
}

void LatestLateness::Set(int64_t lateness_ms, int64_t now_ms) {
    lateness_ms_.store(lateness_ms, std::memory_order_relaxed);
    time_ms_.store(now_ms, std::memory_order_relaxed);
}

std::optional<int64_t> LatestLateness::Get(int64_t now_ms) const {
    if (now_ms - time_ms_.load(std::memory_order_relaxed) > kMomentMs) return std::nullopt;
    return lateness_ms_.load(std::memory_order_relaxed);
}

}  // namespace sightline
