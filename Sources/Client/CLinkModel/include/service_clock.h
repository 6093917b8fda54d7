// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_SERVICE_CLOCK_H
#define SIGHTLINE_SERVICE_CLOCK_H

#include <algorithm>
#include <cstddef>
#include <deque>

#include "random_process.h"

namespace sightline {

/// A link's own time, which stands still while the link is stalled. All times are in µs.
class ServiceClock {
public:
    explicit ServiceClock(uint64_t seed) : random_(seed) {}

    /// Mean length of stalls and mean time between them; 0 for none. Holds from the next `Advance`.
    void Set(double stall_us, double every_us) {
        if (stall_us == stall_us_ && every_us == every_us_) return;
        stall_us_ = stall_us;
        every_us_ = every_us;
        changed_ = true;
    }

    /// Moves on to `now`, which never decreases, and returns the link's time.
    double Advance(double now) {
        if (!started_) Start(now);
        Skip(now);
        Plan(now);
        while (!stalls_.empty() && stalls_.front().end <= now) {
            Run(stalls_.front().start);
            now_ = std::max(now_, stalls_.front().end);
            stalls_.pop_front();
        }
        Run(stalls_.empty() ? now : std::min(now, stalls_.front().start));
        now_ = std::max(now_, now);
        if (changed_) Replan();
        return service_;
    }

    /// The link's time at the last `Advance`.
    double service() const { return service_; }

    /// When the link's time, not before the last `Advance`, will be `service`.
    double When(double service) {
        double time = now_, reached = service_;
        for (size_t next = 0;; ++next) {
            if (next == stalls_.size()) Plan(time);
            if (next == stalls_.size()) break;
            const Stall stall = stalls_[next];
            double gap = std::max(0.0, stall.start - time);
            if (reached + gap > service) break;
            reached += gap;
            time = std::max(time, stall.end);
        }
        return service + (time - reached);
    }

private:
    struct Stall {
        double start, end;
    };
    /// Further away than this, the past has no influence.
    static constexpr double kHorizonUs = 7.2e9;

    bool stalling() const { return stall_us_ > 0 && every_us_ > 0; }

    void Start(double now) {
        now_ = service_ = planned_us_ = now;
        started_ = true;
        changed_ = false;
    }

    /// After a long time without a packet the stalls in between need not be drawn.
    void Skip(double now) {
        if (now - now_ < kHorizonUs) return;
        stalls_.clear();
        Run(now);
        planned_us_ = now;
    }

    void Run(double until) {
        if (until <= now_) return;
        service_ += until - now_;
        now_ = until;
    }

    /// Draws stalls until one ends after `time`.
    void Plan(double time) {
        while (stalling() && planned_us_ <= time) {
            double start = planned_us_ + random_.Exponential() * every_us_;
            planned_us_ = start + stall_us_ * (0.5 + random_.Uniform());
            stalls_.push_back({start, planned_us_});
        }
    }

    /// Other stalls from now on; one that has begun is over.
    void Replan() {
        stalls_.clear();
        planned_us_ = now_;
        changed_ = false;
    }

    RandomSource random_;
    double stall_us_ = 0, every_us_ = 0;
    bool started_ = false, changed_ = false;
    double now_ = 0, service_ = 0, planned_us_ = 0;
    std::deque<Stall> stalls_;
};

}  // namespace sightline
#endif
