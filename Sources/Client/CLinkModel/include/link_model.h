// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_LINK_MODEL_H
#define SIGHTLINE_LINK_MODEL_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "random_process.h"
#include "service_clock.h"
#include "sl_link_model.h"

namespace sightline {

using LinkSettings = sl_link_settings;
using LinkCounters = sl_link_counters;
using LinkEncounter = sl_link_encounter;

/// Why a packet did not arrive.
enum class Fate : int32_t {
    delivered = SL_FATE_DELIVERED,
    lost = SL_FATE_LOST,
    queue_full = SL_FATE_QUEUE_FULL,
    outage = SL_FATE_OUTAGE,
};

/// What happens to one packet: `at_us` is when it arrives, if it does.
struct Verdict {
    Fate fate = Fate::delivered;
    int64_t at_us = 0;
};

/// The settings with nonsense taken out.
inline LinkSettings Sensible(const LinkSettings& settings) {
    auto at_most = [](double value, double limit) {
        return std::isfinite(value) ? std::clamp(value, 0.0, limit) : 0.0;
    };
    // An hour is beyond any use, and keeps the arithmetic in µs away from overflow.
    auto time = [&](double value) { return at_most(value, 3'600'000); };
    auto not_below = [](double value, double least) { return value > 0 ? std::max(value, least) : 0.0; };
    LinkSettings sensible = settings;
    sensible.delay_ms = time(settings.delay_ms);
    sensible.jitter_ms = time(settings.jitter_ms);
    sensible.jitter_correlation_ms = time(settings.jitter_correlation_ms);
    sensible.loss_percent = at_most(settings.loss_percent, 100);
    sensible.burst_loss_percent = at_most(settings.burst_loss_percent, 100);
    sensible.burst_length = std::max(1.0, at_most(settings.burst_length, 1e9));
    sensible.rate_kbps = not_below(at_most(settings.rate_kbps, 1e12), 0.1);
    sensible.rate_swing_percent = at_most(settings.rate_swing_percent, 95);
    sensible.rate_swing_ms = std::max(1.0, time(settings.rate_swing_ms));
    sensible.queue_ms = time(settings.queue_ms);
    sensible.stall_ms = time(settings.stall_ms);
    sensible.stall_every_ms = not_below(time(settings.stall_every_ms), 10);
    return sensible;
}

/// One direction of an emulated path as pure arithmetic: packet and time in, verdict out.
///
/// Loss comes before the bottleneck (a lost packet takes no capacity), then the queue, the stalls and the rate,
/// and behind them delay and jitter. Not thread-safe; time must not run backwards. The same seed, settings and
/// packets give the same verdicts.
class LinkModel {
public:
    /// `header_bytes` are added to each packet's size where capacity is counted.
    LinkModel(uint64_t seed, size_t header_bytes)
        : header_bytes_(std::min(header_bytes, kMaximumBytes)),
          random_(seed),
          jitter_(seed ^ 0x6A09E667F3BCC908),
          swing_(seed ^ 0xBB67AE8584CAA73B),
          clock_(seed ^ 0x3C6EF372FE94F82B) {}

    const LinkSettings& settings() const { return settings_; }
    const LinkCounters& counters() const { return counters_; }
    const LinkEncounter& encounter() const { return encounter_; }

    /// Applies to packets offered from now on; those under way keep their arrival time.
    void set_settings(const LinkSettings& settings) {
        settings_ = Sensible(settings);
        in_burst_ = in_burst_ && settings_.burst_loss_percent > 0;
        clock_.Set(settings_.stall_ms * 1000, settings_.stall_every_ms * 1000);
    }

    Verdict Offer(size_t bytes, int64_t now_us) {
        counters_.packets_offered += 1;
        counters_.bytes_offered += bytes;
        encounter_ = {};
        if (settings_.outage) return Drop(Fate::outage, counters_.dropped_by_outage);
        // Both draws happen for every packet, so that changing one setting leaves the other's pattern alone.
        bool burst = InBurst(), random = random_.Uniform() * 100 < settings_.loss_percent;
        if (burst || random) return Drop(Fate::lost, counters_.dropped_by_loss);
        auto now = static_cast<double>(now_us);
        if (!Enqueue(bytes, now)) return Drop(Fate::queue_full, counters_.dropped_by_queue);
        counters_.packets_sent += 1;
        counters_.bytes_sent += bytes;
        return {Fate::delivered, Arrival(now)};
    }

    /// Turns a packet away for which there is no room to be under way; counted as dropped by the queue.
    Verdict Refuse(size_t bytes) {
        counters_.packets_offered += 1;
        counters_.bytes_offered += bytes;
        encounter_ = {};
        return Drop(Fate::queue_full, counters_.dropped_by_queue);
    }

private:
    /// Larger than any packet; keeps nonsense from overflowing.
    static constexpr size_t kMaximumBytes = 1 << 20;

    static Verdict Drop(Fate fate, uint64_t& counter) {
        counter += 1;
        return {fate, 0};
    }

    /// A two-state chain (Gilbert): its mean stay in the losing state is `burst_length` packets, and the
    /// share of packets it meets there is `burst_loss_percent`.
    bool InBurst() {
        double share = settings_.burst_loss_percent / 100, draw = random_.Uniform();
        if (share <= 0) return false;
        if (share >= 1) return true;
        double leave = 1 / settings_.burst_length;
        double enter = std::min(1.0, share * leave / (1 - share));
        in_burst_ = in_burst_ ? draw >= leave : draw < enter;
        return in_burst_;
    }

    /// Passes the packet through the bottleneck, on the link's own time; false when its backlog is full.
    bool Enqueue(size_t bytes, double now_us) {
        double now = clock_.Advance(now_us);
        if (settings_.rate_kbps <= 0) {
            busy_until_ = now;
            return true;
        }
        double start = std::max(now, busy_until_);
        encounter_.queue_us = start - now;
        if (start - now > settings_.queue_ms * 1000) return false;
        auto size = static_cast<double>(std::min(bytes, kMaximumBytes) + header_bytes_);
        encounter_.rate_kbps = Rate(now_us);
        busy_until_ = start + size * 8000 / encounter_.rate_kbps;
        return true;
    }

    /// The capacity of this moment, kbit/s.
    double Rate(double now_us) {
        if (settings_.rate_swing_percent <= 0) return settings_.rate_kbps;
        double position = swing_.At(now_us, settings_.rate_swing_ms * 1000) * 2 - 1;
        return settings_.rate_kbps * (1 + position * settings_.rate_swing_percent / 100);
    }

    int64_t Arrival(double now_us) {
        double leaves = clock_.When(busy_until_);
        encounter_.stall_us = std::max(0.0, leaves - now_us - (busy_until_ - clock_.service()));
        double at = leaves + settings_.delay_ms * 1000 + Jitter(now_us) * 1000;
        last_arrival_us_ = std::max(last_arrival_us_, static_cast<int64_t>(at));
        encounter_.jitter_us =
            std::max(0.0, static_cast<double>(last_arrival_us_) - leaves - settings_.delay_ms * 1000);
        return last_arrival_us_;
    }

    double Jitter(double now_us) {
        double independent = random_.Uniform();
        if (settings_.jitter_ms <= 0 || settings_.jitter_correlation_ms <= 0)
            return independent * settings_.jitter_ms;
        return jitter_.At(now_us, settings_.jitter_correlation_ms * 1000) * settings_.jitter_ms;
    }

    const size_t header_bytes_;
    LinkSettings settings_{};
    LinkCounters counters_{};
    LinkEncounter encounter_{};
    RandomSource random_;
    WanderingValue jitter_, swing_;
    ServiceClock clock_;
    bool in_burst_ = false;
    /// On the link's own time.
    double busy_until_ = 0;
    int64_t last_arrival_us_ = 0;
};

}  // namespace sightline
#endif
