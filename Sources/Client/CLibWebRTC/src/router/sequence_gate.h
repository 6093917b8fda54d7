// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_SEQUENCE_GATE_H_
#define SIGHTLINE_ROUTER_SEQUENCE_GATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace sightline {

/// Decides which packets of one received video stream reach libwebrtc. Pure: time comes in.
///
/// libwebrtc's receiver continues the 16-bit sequence numbers to longer ones, and aborts the process when a
/// frame's packets are continued into different cycles (`packet_infos_` in `rtp_video_stream_receiver2.cc`):
/// a frame that begins in one cycle and ends in the next, which five packets of a publisher are enough for. So
/// none is let through that is far from the others, or could join what is left in the buffer of an earlier cycle.
/// Nor does a number come again with something else in it, as libwebrtc takes what came last, or a second frame with the
/// timestamp of another. The same once more passes: senders repeat packets for want of an acknowledgement, and as padding.
/// A stream that is sent in order, with any loss and reordering that a connection survives, notices nothing.
class SequenceGate {
public:
    /// How far behind the newest a packet may be.
    static constexpr int64_t kBehind = 4096;
    /// By how much the numbers may advance within an epoch and the one before it.
    static constexpr int64_t kAdvance = 24576;
    static constexpr int64_t kEpochMs = 5000;
    /// Frames whose packets came before that are not decoded any more: within an epoch the numbers cannot have
    /// moved away from them by half a cycle.
    static constexpr int64_t kLongestWaitMs = 4000;
    /// How far apart the packets of one RTP timestamp may be: less than libwebrtc's packet buffer begins with (512), or it
    /// takes the packet before a frame for one of the frame's own, and aborts.
    static constexpr int64_t kFrameSpan = 500;

    struct Packet {
        uint16_t sequence_number = 0;
        uint32_t timestamp = 0;
        /// Without a payload: it fills a gap in the numbers, and is never part of a frame.
        bool is_padding = false;
        /// The marker bit.
        bool ends_frame = false;
        /// The same for what is the same, of payload and payload type.
        uint64_t digest = 0;
    };

    /// Whether the packet may pass. If so, it counts as received.
    bool Admit(const Packet& packet, int64_t now_ms);

private:
    /// What libwebrtc's packet buffer grows to.
    static constexpr size_t kSlots = 2048;
    static constexpr int64_t kCycle = 65536;

    /// What the packet buffer may still hold: more than it does, as it also forgets what was decoded.
    struct Slot {
        int64_t number = 0;
        uint32_t timestamp = 0;
        bool ends_frame = false;
        uint64_t digest = 0;
        bool is_used = false;
    };
    struct Frame {
        int64_t first = 0;
        int64_t last = 0;
        size_t packets = 0;
        /// The number of the packet that ended it.
        std::optional<int64_t> end = {};
    };

    Slot& SlotOf(int64_t number) { return slots_[static_cast<size_t>(number) % kSlots]; }
    void BeginEpoch(int64_t now_ms);
    /// Whether the buffer may hold a packet with the same 16 bits from another cycle.
    bool IsTaken(int64_t number);
    bool Fits(const Packet& packet, int64_t number);
    void Keep(const Packet& packet, int64_t number);

    std::optional<int64_t> newest_;
    int64_t newest_ms_ = 0;
    int64_t epoch_ms_ = 0;
    /// The newest when this epoch and the one before began.
    int64_t epoch_begin_ = 0;
    int64_t last_epoch_begin_ = 0;
    std::array<Slot, kSlots> slots_ = {};
    std::unordered_map<uint32_t, Frame> frames_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_SEQUENCE_GATE_H_
