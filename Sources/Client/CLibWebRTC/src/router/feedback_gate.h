// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_FEEDBACK_GATE_H_
#define SIGHTLINE_ROUTER_FEEDBACK_GATE_H_

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
    /// By how much reports may be out of step with the clock, which is as long as they may have been under way.
    static constexpr int64_t kSlackMs = 20'000;
    /// By how much the packets of one report may have come before each other, in all.
    static constexpr int64_t kMostBackMs = 5'000;

    /// Whether an RTCP packet may pass; its base times are corrected. `now_ms` is monotonic.
    bool Admit(std::span<uint8_t> packet, int64_t now_ms);

private:
    /// The base time that is passed on for one that came, both in ticks.
    uint32_t Correct(uint32_t ticks, int64_t now_ms);

    /// The last that was passed on, unwrapped, in ticks.
    std::optional<int64_t> last_;
    /// What is added to those that come, in ticks.
    int64_t shift_ = 0;
    /// Time of the base times less that of the clock, ms.
    double offset_ms_ = 0;
    int64_t last_ms_ = 0;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_FEEDBACK_GATE_H_
