// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/sequence_gate.h"

#include <algorithm>

namespace sightline {

bool SequenceGate::Admit(const Packet& packet, int64_t now_ms) {
    if (!newest_) {
        newest_ = epoch_begin_ = last_epoch_begin_ = packet.sequence_number;
        epoch_ms_ = newest_ms_ = now_ms;
    }
    BeginEpoch(now_ms);
    const auto step = static_cast<int16_t>(packet.sequence_number - static_cast<uint16_t>(*newest_));
    const int64_t number = *newest_ + step;
    if (step < -kBehind || number > last_epoch_begin_ + kAdvance || !Fits(packet, number)) return false;
    if (number > *newest_) {
        newest_ = number;
        newest_ms_ = now_ms;
    }
    if (!packet.is_padding) Keep(packet, number);
    return true;
}

void SequenceGate::BeginEpoch(int64_t now_ms) {
    if (now_ms - epoch_ms_ < kEpochMs) return;
    // After an outage everything is as old as an epoch.
    last_epoch_begin_ = now_ms - newest_ms_ < kEpochMs ? epoch_begin_ : *newest_;
    epoch_begin_ = *newest_;
    epoch_ms_ = now_ms;
}

bool SequenceGate::IsTaken(int64_t number) {
    const Slot& slot = SlotOf(number);
    return slot.is_used && slot.number != number && (slot.number - number) % kCycle == 0;
}

bool SequenceGate::Fits(const Packet& packet, int64_t number) {
    if (IsTaken(number - 1) || IsTaken(number) || IsTaken(number + 1)) return false;
    if (packet.is_padding) return true;
    const Slot& slot = SlotOf(number);
    if (slot.is_used && slot.number == number) {
        return slot.timestamp == packet.timestamp && slot.ends_frame == packet.ends_frame
            && slot.digest == packet.digest;
    }
    const auto found = frames_.find(packet.timestamp);
    if (found == frames_.end()) return true;
    const Frame& frame = found->second;
    if (frame.end ? number > *frame.end : packet.ends_frame && number < frame.last) return false;
    return number - frame.first <= kFrameSpan && frame.last - number <= kFrameSpan;
}

void SequenceGate::Keep(const Packet& packet, int64_t number) {
    Slot& slot = SlotOf(number);
    if (slot.is_used && slot.number == number) return;
    if (slot.is_used) {
        const auto frame = frames_.find(slot.timestamp);
        if (frame != frames_.end() && --frame->second.packets == 0) frames_.erase(frame);
    }
    slot = {number, packet.timestamp, packet.ends_frame, packet.digest, true};
    Frame& frame = frames_.try_emplace(packet.timestamp, Frame{number, number, 0}).first->second;
    frame.first = std::min(frame.first, number);
    frame.last = std::max(frame.last, number);
    if (packet.ends_frame) frame.end = number;
    ++frame.packets;
}

}  // namespace sightline
