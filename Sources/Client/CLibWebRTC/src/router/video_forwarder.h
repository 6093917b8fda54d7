// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_VIDEO_FORWARDER_H_
#define SIGHTLINE_ROUTER_VIDEO_FORWARDER_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "api/media_stream_interface.h"
#include "router/frame.h"
#include "router/key_frame_limiter.h"
#include "router/transit_baseline.h"

namespace sightline {

/// Names one layer of one publisher leg, unique in a router. 0 is no layer.
using LayerId = uint64_t;
inline constexpr LayerId kNoLayer = 0;

/// What a subscriber's forwarder is doing.
struct ForwarderState {
    /// The subscriber negotiated video: frames have somewhere to go.
    bool is_connected = false;
    LayerId wanted = kNoLayer;
    LayerId sent = kNoLayer;
    /// What libwebrtc allots to the video now, bps; `nullopt` until the first frame reached the encoder.
    std::optional<uint32_t> allocated_bps;
    uint64_t frames_sent = 0;
    /// Frames that libwebrtc swallowed on the way to the encoder.
    uint64_t gaps = 0;
    /// Frames held back because the subscriber could not have decoded them.
    uint64_t frames_withheld = 0;
    /// Times the encoder did not take a frame in time, which means it is paused.
    uint64_t stalls = 0;
    uint64_t layer_switches = 0;
    uint64_t key_frame_requests = 0;
};

/// Feeds one subscriber's video encoder with the frames of the layer it is to see.
///
/// Switches layers only at a key frame. Keeps one frame in flight: libwebrtc's encoder queue drops the older
/// of two frames, which would tear a hole into an encoded stream. Frames come in on decoder queues, the
/// encoder's calls on its own; the rest may be called on any thread.
class VideoForwarder final : public std::enable_shared_from_this<VideoForwarder> {
public:
    /// Called without any lock of the forwarder's held; must not wait.
    using KeyFrameRequest = std::function<void(LayerId, KeyFrameReason)>;

    VideoForwarder(std::shared_ptr<const LatestLateness> audio_lateness, KeyFrameRequest request);

    ~VideoForwarder();

    /// The track source for the subscriber's sender.
    rtc::scoped_refptr<webrtc::VideoTrackSourceInterface> source() const;

    /// Says whether the subscriber negotiated video. Until then, and after `false`, nothing is sent or asked
    /// for.
    void SetConnected(bool is_connected);

    /// Asks for `layer`. What is sent now continues until the layer's next key frame, unless `stop_first`.
    void Select(LayerId layer, bool stop_first);
    /// Asks for `layer` if `old` is asked for.
    void Replace(LayerId old, LayerId layer);

    /// Omits what is above temporal layer `highest`.
    void LimitTemporalLayers(int highest);

    /// A frame of any layer of the stream.
    void OnFrame(LayerId layer, const EncodedFramePtr& frame);

    ForwarderState state() const;

    // For the encoder.

    void OnAllocation(uint32_t bps);
    /// Whether the frame that was handed out as `number` may be sent; false when frames before it are
    /// missing.
    bool Admit(const EncodedFrame& frame, uint64_t number, bool key_wanted);
    /// The encoder is done with a frame: the next one may follow.
    void OnEncoderIdle();

private:
    class Source;

    /// Whether a frame of the sent layer is within the temporal layers that the subscriber is to see.
    bool IsShown(const EncodedFrame& frame);
    /// Returns the frame to hand out now, if any. The caller holds the lock and hands out after releasing it.
    std::optional<webrtc::VideoFrame> Enqueue(const EncodedFramePtr& frame, int64_t now_ms);
    std::optional<webrtc::VideoFrame> TakeNext(int64_t now_ms);
    int64_t OutputTime(const EncodedFrame& frame, int64_t now_ms);

    const KeyFrameRequest request_key_frame_;
    const rtc::scoped_refptr<Source> source_;
    std::atomic<int64_t> allocated_bps_{-1};

    mutable std::mutex mutex_;
    ForwarderState state_;
    std::deque<webrtc::VideoFrame> queue_;
    bool in_flight_ = false;
    int64_t in_flight_since_ms_ = 0;
    uint64_t next_number_ = 0;
    uint64_t expected_number_ = 0;
    /// A frame is missing: nothing is sent until the next key frame.
    bool broken_ = true;
    int highest_temporal_ = kTemporalLayers - 1;
    /// The highest that is shown now: it rises only at frames that allow it.
    int shown_temporal_ = kTemporalLayers - 1;
    LayerId timed_layer_ = kNoLayer;
    uint64_t last_frame_number_ = 0;
    const std::shared_ptr<const LatestLateness> audio_lateness_;
    TransitBaseline baseline_{kVideoTicksPerMs};
    int64_t last_ms_ = 0;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_VIDEO_FORWARDER_H_
