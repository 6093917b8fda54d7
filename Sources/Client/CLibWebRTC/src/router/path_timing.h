// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_PATH_TIMING_H_
#define SIGHTLINE_ROUTER_PATH_TIMING_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace sightline {

/// What the packets of about a second show of the path that they took, by when they were sent and when they came.
struct PathSecond {
    /// What the path let through, in bps, at least.
    ///
    /// What was sent within some time, and arrived within the delay of its last packet, was carried within both together; a
    /// slower link would have taken longer, and a delay that varies for other reasons only adds to that. A token bucket lets as
    /// much through for a moment, and where hardly a packet finds the link idle, the least delay is one of those that waited:
    /// there the sustained delay shows what is short.
    int64_t capacity_bound_bps = 0;
    /// How far, at most, all packets of a quarter of a second were above the least delay, in us: a queue holds everything up. Those
    /// that come in a clump after a stall do not count.
    int64_t sustained_delay_us = 0;
    /// How far apart the delays were, from the 5th to the 95th percentile, in us: jitter, a stall, or a queue that grows.
    int64_t delay_spread_us = 0;
};

/// Continues send times (the header extension abs-send-time), which wrap around each 64 s. Not thread-safe.
class SendTimes {
public:
    /// The time of a packet, in us, from the first one's; before the last one's if the last one overtook it.
    ///
    /// \param send_time 24 bits, of seconds, 18 of them below the point.
    int64_t OnPacket(uint32_t send_time);

private:
    std::optional<uint32_t> last_;
    int64_t units_ = 0;
};

/// Reads when packets were sent and when they arrived, each by a clock of its own. Delays are those above the least of the last
/// two minutes. Not thread-safe.
class PathTiming {
public:
    /// Takes a packet; figures when about a second ends in which enough came.
    ///
    /// \param sent_us Of the sender's clock, from any time.
    /// \param arrival_us Of the receiver's clock, from any time.
    /// \param bytes Those of the RTP packet, or with what carries it.
    std::optional<PathSecond> OnPacket(int64_t sent_us, int64_t arrival_us, size_t bytes);
    /// Ends a second early, for who asks for what is known by now: figures of half of one at least, if enough came in it.
    std::optional<PathSecond> EndSecond();

private:
    struct Packet {
        int64_t sent_us;
        int64_t delay_us;
        size_t bytes;
    };
    struct Minimum {
        int64_t time_us;
        int64_t delay_us;
        size_t bytes;
    };

    /// Whether a packet continues those before it, and was not sent by another clock, or after a long pause.
    bool IsOfSameTime(int64_t arrival_us, int64_t delay_us) const;
    void NoteDelay(const Minimum& delay);
    std::optional<PathSecond> Evaluate(int64_t now_us);
    int64_t CapacityBound() const;
    int64_t DelaySpread() const;
    /// What the path let through at least until the packet at `last` came; 0 if nothing shows it.
    int64_t CapacityBound(size_t last) const;
    /// Forgets the packets with which all runs have begun that are over; none if no run is.
    std::optional<int64_t> TakeSustainedDelay();
    /// Whether a run that begins with one packet is over when another comes.
    static bool EndsRun(const Packet& first, const Packet& next);
    /// Whether packets came in much less time than they were sent in: what held them up was a stall, and it ended for all at once.
    static bool IsClump(const Packet& first, const Packet& last);
    void Restart(int64_t sent_us, int64_t arrival_us);

    bool has_begun_ = false;
    /// Of the last packet.
    int64_t sent_us_ = 0;
    int64_t arrival_us_ = 0;
    int64_t delay_us_ = 0;
    /// Of the last two minutes, each the least of all that came after it.
    std::deque<Minimum> minima_;
    /// Those since the last evaluation, after some whose runs were not over then.
    std::vector<Packet> packets_;
    size_t evaluated_ = 0;
    int64_t started_us_ = 0;
    int64_t evaluated_us_ = 0;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_PATH_TIMING_H_
