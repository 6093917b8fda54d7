// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/path_timing.h"

#include <algorithm>
#include <cstdlib>

namespace sightline {

namespace {

constexpr int64_t kSecondUs = 1'000'000;

// A queue that never drains for this long is taken for the path; clocks drift apart by some ms in it.
constexpr int64_t kWindowUs = 120 * kSecondUs;

// Of abs-send-time, which wraps around each 64 s: after a pause of half of that, no one knows how often it did.
constexpr int64_t kUnitsPerSecond = 1 << 18;
constexpr int64_t kLongestPauseUs = 30 * kSecondUs;

// More than a queue holds: the send time is the sender's, who may write anything.
constexpr int64_t kJumpUs = 10 * kSecondUs;

// At first hardly a packet has come without waiting for others.
constexpr int64_t kBeginningUs = 5 * kSecondUs;

// Packets that are looked at together at most: those of a second, up to some 40 Mbit/s.
constexpr size_t kMostPackets = 4096;

// Of fewer packets it says nothing.
constexpr size_t kFewestPackets = 10;

// Packets that are sent within this time are a run; a queue that holds all of them up is more than a delay that varies. What is
// sent for longer is sent no faster than congestion control allows.
constexpr int64_t kRunUs = 250'000;

// Of more packets a bound is no better.
constexpr size_t kLongestBurst = 64;

// One in this many bounds may rest on a least delay that few have had.
constexpr size_t kUnsureShare = 30;

// What clocks and threads blur; feedback rounds both times to a millisecond.
constexpr int64_t kBlurUs = 2'000;

}  // namespace

int64_t SendTimes::OnPacket(uint32_t send_time) {
    // The signed difference of two 24-bit numbers, in their upper bits.
    units_ += static_cast<int32_t>((send_time - last_.value_or(send_time)) << 8) >> 8;
    last_ = send_time;
    return units_ / kUnitsPerSecond * kSecondUs + units_ % kUnitsPerSecond * kSecondUs / kUnitsPerSecond;
}

std::optional<PathSecond> PathTiming::OnPacket(int64_t sent_us, int64_t arrival_us, size_t bytes) {
    const bool is_overtaken = sent_us < sent_us_ || arrival_us < arrival_us_;
    // It adds nothing to those before it.
    if (has_begun_ && is_overtaken && std::abs(arrival_us - arrival_us_) < kLongestPauseUs) return std::nullopt;
    const int64_t delay_us = arrival_us - sent_us;
    if (!has_begun_ || !IsOfSameTime(arrival_us, delay_us)) {
        Restart(sent_us, arrival_us);
        return std::nullopt;
    }
    sent_us_ = sent_us;
    arrival_us_ = arrival_us;
    delay_us_ = delay_us;
    NoteDelay({arrival_us, delay_us, bytes});
    packets_.push_back({sent_us, delay_us, bytes});
    if (arrival_us - evaluated_us_ < kSecondUs && packets_.size() < kMostPackets) return std::nullopt;
    return Evaluate(arrival_us);
}

std::optional<PathSecond> PathTiming::EndSecond() {
    const bool has_lasted = arrival_us_ - evaluated_us_ >= kSecondUs / 2;
    // What is too little for figures counts for the next ones.
    if (!has_lasted || packets_.size() - evaluated_ < kFewestPackets) return std::nullopt;
    return Evaluate(arrival_us_);
}

bool PathTiming::IsOfSameTime(int64_t arrival_us, int64_t delay_us) const {
    return arrival_us >= arrival_us_ && arrival_us - arrival_us_ < kLongestPauseUs
        && std::abs(delay_us - delay_us_) < kJumpUs;
}

void PathTiming::NoteDelay(const Minimum& delay) {
    while (!minima_.empty() && minima_.front().time_us < delay.time_us - kWindowUs) minima_.pop_front();
    while (!minima_.empty() && minima_.back().delay_us >= delay.delay_us) minima_.pop_back();
    // One in a second is enough.
    if (minima_.empty() || delay.time_us - minima_.back().time_us >= kSecondUs) minima_.push_back(delay);
}

std::optional<PathSecond> PathTiming::Evaluate(int64_t now_us) {
    const bool is_enough =
        now_us - started_us_ >= kBeginningUs && packets_.size() - evaluated_ >= kFewestPackets;
    const int64_t bound = is_enough ? CapacityBound() : 0;
    const int64_t spread = is_enough ? DelaySpread() : 0;
    const auto sustained = TakeSustainedDelay();
    // No one sends as much in a run.
    if (packets_.size() >= kMostPackets / 2) packets_.clear();
    evaluated_ = packets_.size();
    evaluated_us_ = now_us;
    if (!is_enough || !sustained) return std::nullopt;
    return PathSecond{bound, *sustained, spread};
}

int64_t PathTiming::CapacityBound() const {
    std::vector<int64_t> bounds;
    bounds.reserve(packets_.size() - evaluated_);
    for (size_t last = evaluated_; last < packets_.size(); ++last) bounds.push_back(CapacityBound(last));
    const auto nearly_most = bounds.end() - 1 - static_cast<std::ptrdiff_t>(bounds.size() / kUnsureShare);
    std::nth_element(bounds.begin(), nearly_most, bounds.end());
    return *nearly_most;
}

int64_t PathTiming::DelaySpread() const {
    std::vector<int64_t> delays;
    delays.reserve(packets_.size() - evaluated_);
    for (size_t index = evaluated_; index < packets_.size(); ++index) delays.push_back(packets_[index].delay_us);
    std::sort(delays.begin(), delays.end());
    // Of few packets one from each end: a single late one is no variation.
    const size_t tail = std::max<size_t>(delays.size() / 20, 1);
    return delays[delays.size() - 1 - tail] - delays[tail];
}

int64_t PathTiming::CapacityBound(size_t last) const {
    const Minimum& least = minima_.front();
    const int64_t late_us = std::max<int64_t>(packets_[last].delay_us - least.delay_us, 0) + kBlurUs;
    int64_t most = 0;
    // The least delay contains what its own packet took.
    auto bytes = -static_cast<int64_t>(least.bytes);
    for (size_t count = 0; count <= std::min(last, kLongestBurst); ++count) {
        const Packet& first = packets_[last - count];
        const int64_t sent_us = packets_[last].sent_us - first.sent_us;
        if (sent_us > kRunUs) break;
        bytes += static_cast<int64_t>(first.bytes);
        most = std::max(most, bytes * 8 * kSecondUs / (sent_us + late_us));
    }
    return most;
}

bool PathTiming::EndsRun(const Packet& first, const Packet& next) {
    // In a queue that grows fast, few of the packets that come within a second were sent within a quarter of one.
    const int64_t sent_us = next.sent_us - first.sent_us;
    return std::max(sent_us, sent_us + next.delay_us - first.delay_us) >= kRunUs;
}

bool PathTiming::IsClump(const Packet& first, const Packet& last) {
    const int64_t sent_us = last.sent_us - first.sent_us;
    return sent_us + last.delay_us - first.delay_us < sent_us / 2;
}

std::optional<int64_t> PathTiming::TakeSustainedDelay() {
    std::optional<int64_t> most;
    // Of the run that begins at `first`, by index, each with the least delay of all that come after it.
    std::deque<size_t> least;
    size_t first = 0, next = 0;
    for (; first < packets_.size(); ++first) {
        while (next < packets_.size() && (next <= first || !EndsRun(packets_[first], packets_[next]))) {
            while (!least.empty() && packets_[least.back()].delay_us >= packets_[next].delay_us) least.pop_back();
            least.push_back(next++);
        }
        if (next == packets_.size()) break;
        while (least.front() < first) least.pop_front();
        const bool is_queue = !IsClump(packets_[first], packets_[next - 1]);
        const int64_t delay_us = packets_[least.front()].delay_us - minima_.front().delay_us;
        most = std::max(most.value_or(0), is_queue ? delay_us : 0);
    }
    packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(first));
    return most;
}

void PathTiming::Restart(int64_t sent_us, int64_t arrival_us) {
    has_begun_ = true;
    sent_us_ = sent_us;
    delay_us_ = arrival_us - sent_us;
    arrival_us_ = evaluated_us_ = started_us_ = arrival_us;
    minima_.clear();
    packets_.clear();
    evaluated_ = 0;
}

}  // namespace sightline
