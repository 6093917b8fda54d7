// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_LINK_MODEL_H
#define SIGHTLINE_LINK_MODEL_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

namespace sightline {

/// What one direction of a network path does to packets. All zero is a perfect link.
struct LinkSettings {
    /// Added to every packet.
    double delay_ms = 0;
    /// Each packet gets a further delay drawn uniformly from 0 to this; packets never overtake each other.
    double jitter_ms = 0;
    /// Packets lost independently of each other, in percent.
    double loss_percent = 0;
    /// Packets lost in bursts, in percent of all packets over time.
    double burst_loss_percent = 0;
    /// Mean length of a burst in packets, at least 1.
    double burst_length = 1;
    /// Capacity in kbit/s, counting 28 bytes of IP and UDP header a packet; 0 is unlimited.
    double rate_kbps = 0;
    /// How much backlog the bottleneck holds before it drops arriving packets (tail drop).
    double queue_ms = 300;
    /// Drops everything.
    bool outage = false;
};

/// Why a packet did not arrive.
enum class Fate { delivered, lost, queue_full, outage };

/// What happens to one packet: `at_us` is when it arrives, if it does.
struct Verdict {
    Fate fate = Fate::delivered;
    int64_t at_us = 0;
};

/// What a link has done so far. Bytes are UDP payload.
struct LinkCounters {
    uint64_t packets_offered = 0, bytes_offered = 0;
    uint64_t packets_sent = 0, bytes_sent = 0;
    uint64_t dropped_by_loss = 0, dropped_by_queue = 0, dropped_by_outage = 0;
};

/// One direction of an emulated path as pure arithmetic: packet and time in, verdict out.
///
/// Loss comes before the bottleneck (a lost packet takes no capacity), delay behind it. Not thread-safe; time
/// must not run backwards. The same seed, settings and packets give the same verdicts.
class LinkModel {
public:
    static constexpr size_t kHeaderBytes = 28;

    explicit LinkModel(uint64_t seed) : random_(seed) {}

    const LinkSettings& settings() const { return settings_; }
    const LinkCounters& counters() const { return counters_; }

    /// Applies to packets offered from now on; those under way keep their arrival time.
    void set_settings(const LinkSettings& settings) {
        settings_ = settings;
        in_burst_ = in_burst_ && settings.burst_loss_percent > 0;
    }

    Verdict Offer(size_t bytes, int64_t now_us) {
        counters_.packets_offered += 1;
        counters_.bytes_offered += bytes;
        if (settings_.outage) return Drop(Fate::outage, counters_.dropped_by_outage);
        // Both draws happen for every packet, so that changing one setting leaves the other's pattern alone.
        bool burst = InBurst(), random = Draw() * 100 < settings_.loss_percent;
        if (burst || random) return Drop(Fate::lost, counters_.dropped_by_loss);
        if (!Enqueue(bytes, now_us)) return Drop(Fate::queue_full, counters_.dropped_by_queue);
        counters_.packets_sent += 1;
        counters_.bytes_sent += bytes;
        return {Fate::delivered, Arrival(now_us)};
    }

private:
    static Verdict Drop(Fate fate, uint64_t& counter) {
        counter += 1;
        return {fate, 0};
    }

    double Draw() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }

    /// A two-state chain (Gilbert): its mean stay in the losing state is `burst_length` packets, and the
    /// share of packets it meets there is `burst_loss_percent`.
    bool InBurst() {
        double share = std::clamp(settings_.burst_loss_percent / 100, 0.0, 1.0), draw = Draw();
        if (share <= 0) return false;
        if (share >= 1) return true;
        double leave = 1 / std::max(1.0, settings_.burst_length);
        double enter = std::min(1.0, share * leave / (1 - share));
        in_burst_ = in_burst_ ? draw >= leave : draw < enter;
        return in_burst_;
    }

    /// Passes the packet through the bottleneck; false when its backlog is full.
    bool Enqueue(size_t bytes, int64_t now_us) {
        if (settings_.rate_kbps <= 0) {
            busy_until_us_ = now_us;
            return true;
        }
        double start = std::max(static_cast<double>(now_us), busy_until_us_);
        if (start - static_cast<double>(now_us) > settings_.queue_ms * 1000) return false;
        busy_until_us_ = start + static_cast<double>(bytes + kHeaderBytes) * 8000 / settings_.rate_kbps;
        return true;
    }

    int64_t Arrival(int64_t now_us) {
        double at = std::max(static_cast<double>(now_us), busy_until_us_) + settings_.delay_ms * 1000;
        at += Draw() * settings_.jitter_ms * 1000;
        last_arrival_us_ = std::max(last_arrival_us_, static_cast<int64_t>(at));
        return last_arrival_us_;
    }

    LinkSettings settings_;
    LinkCounters counters_;
    std::mt19937_64 random_;
    bool in_burst_ = false;
    double busy_until_us_ = 0;
    int64_t last_arrival_us_ = 0;
};

}  // namespace sightline
#endif
