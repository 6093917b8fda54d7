// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_FEEDBACK_GATE_H_
#define SIGHTLINE_ROUTER_FEEDBACK_GATE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace sightline {

/// Keeps what clients report of arrivals (transport-wide feedback) within times that libwebrtc can reckon with.
///
/// libwebrtc adds up how far the reports' base times have advanced, beginning with its own clock, and then what each packet came
/// later or earlier, and aborts on a sum below zero. So the base times advance with the clock, and no report goes back by more
/// than seconds. Who reports as clients do, notices nothing; a client whose clock jumps does not show it to congestion control.
class FeedbackGate {
public:
    /// By how much a report may seem to come before its time, as after a wrong first one.
    static constexpr int64_t kEarlyMs = 20'000;
    /// And after it, which is as long as libwebrtc remembers what it sent.
    static constexpr int64_t kLateMs = 60'000;
    /// By how much the packets of one report may have come before each other, in all.
    static constexpr int64_t kBackMs = 15'000;

    /// Corrects the base times of an RTCP packet. A report that goes back too far becomes one that no one knows. `now_ms` is
    /// monotonic, and counts from when libwebrtc's clock began.
    void Correct(std::span<uint8_t> packet, int64_t now_ms);

private:
    /// The base time that is passed on for one that came, both in ticks.
    uint32_t Correct(uint32_t ticks, int64_t now_ms);
    /// What there is room for: the first report that libwebrtc takes may be out of step as well as one after it.
    int64_t Within(int64_t limit_ms) const { return std::min(limit_ms, first_ms_ / 4); }

    /// The last that was passed on, unwrapped, in ticks.
    std::optional<int64_t> last_;
    /// What is added to those that come, in ticks.
    int64_t shift_ = 0;
    /// Time of the base times less that of the clock, ms.
    double offset_ms_ = 0;
    int64_t first_ms_ = 0;
    int64_t last_ms_ = 0;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_FEEDBACK_GATE_H_
