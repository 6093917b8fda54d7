// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_TRANSIT_BASELINE_H_
#define SIGHTLINE_ROUTER_TRANSIT_BASELINE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>

namespace sightline {

/// The capture time that media get is this much before their minimum transit allows. libwebrtc pulls times from the
/// future to now, and drops the second of two frames with the same time: the margin leaves room for several frames that
/// arrive in one millisecond.
constexpr int64_t kCaptureMarginMs = 10;

constexpr int kVideoTicksPerMs = 90;
constexpr int kOpusTicksPerMs = 48;

/// Tells how long media waited in queues before they came: their transit above its minimum of the last half minute.
///
/// Subscribers play audio and video together by their capture times. Those that follow from arrival move one against the
/// other when a queue comes or goes; those that follow from the minimum do not. Not thread-safe.
class TransitBaseline {
public:
    explicit TransitBaseline(int ticks_per_ms) : ticks_per_ms_(ticks_per_ms) {}

    /// By how many milliseconds something that comes now is late. The first is late by `start`, as what else comes the same
    /// way is now; without that as what came last, a moment ago.
    int64_t Lateness(uint32_t rtp_timestamp, int64_t now_ms, std::optional<int64_t> start = std::nullopt);
    /// The next is of another sender or layer, with timestamps of its own.
    void Restart() { minima_.clear(); }

private:
    struct Minimum {
        int64_t time_ms;
        int64_t transit_ms;
    };

    const int ticks_per_ms_;
    std::optional<uint32_t> last_rtp_;
    /// Since the first timestamp.
    int64_t ticks_ = 0;
    int64_t last_ms_ = 0;
    int64_t lateness_ms_ = 0;
    /// Of the window, each the least of all that came after it.
    std::deque<Minimum> minima_;
};

/// By how much the newest of a kind of media was late, for the other kind. Thread-safe.
class LatestLateness {
public:
    void Set(int64_t lateness_ms, int64_t now_ms);
    /// None if nothing came a moment ago.
    std::optional<int64_t> Get(int64_t now_ms) const;

private:
    std::atomic<int64_t> lateness_ms_{0};
    std::atomic<int64_t> time_ms_{INT64_MIN / 2};
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_TRANSIT_BASELINE_H_
