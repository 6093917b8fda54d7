// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/video_forwarder.h"

#include <algorithm>
#include <utility>

#include "api/video/video_frame.h"
#include "media/base/adapted_video_track_source.h"
#include "rtc_base/ref_counted_object.h"
#include "rtc_base/time_utils.h"

namespace sightline {

namespace {

// All layers pretend to have this size: a change would make libwebrtc set up the encoder again. The receiver
// reads the real size from the payload.
constexpr int kPretendedWidth = 1280;
constexpr int kPretendedHeight = 720;

// An encoder that has not taken a frame after this time is paused and has dropped it.
constexpr int64_t kStallMs = 150;

// More than this many frames waiting means that they are no longer worth sending.
constexpr size_t kMaxQueuedFrames = 30;

}  // namespace

class VideoForwarder::Source : public rtc::AdaptedVideoTrackSource {
public:
    SourceState state() const override { return kLive; }
    bool remote() const override { return false; }
    bool is_screencast() const override { return false; }
    absl::optional<bool> needs_denoising() const override { return false; }
    void Deliver(const webrtc::VideoFrame& frame) { OnFrame(frame); }
};

VideoForwarder::VideoForwarder(std::shared_ptr<const LatestLateness> audio_lateness, KeyFrameRequest request)
    : request_key_frame_(std::move(request)),
      source_(rtc::make_ref_counted<Source>()),
      audio_lateness_(std::move(audio_lateness)) {}

VideoForwarder::~VideoForwarder() = default;

rtc::scoped_refptr<webrtc::VideoTrackSourceInterface> VideoForwarder::source() const {
    return source_;
}

void VideoForwarder::SetConnected(bool is_connected) {
    std::lock_guard<std::mutex> lock(mutex_);
    state_.is_connected = is_connected;
    if (is_connected) return;
    state_.wanted = kNoLayer;
    state_.sent = kNoLayer;
    queue_.clear();
}

void VideoForwarder::Select(LayerId layer, bool stop_first) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (state_.wanted == layer || !state_.is_connected) return;
        state_.wanted = layer;
        if (layer == kNoLayer || (stop_first && state_.sent != layer)) {
            state_.sent = kNoLayer;
            queue_.clear();
        }
        if (layer == kNoLayer || state_.sent == layer) return;
    }
    request_key_frame_(layer, KeyFrameReason::kViewer);
}

void VideoForwarder::Replace(LayerId old, LayerId layer) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (state_.wanted != old) return;
        state_.wanted = layer;
    }
    request_key_frame_(layer, KeyFrameReason::kViewer);
}

void VideoForwarder::LimitTemporalLayers(int highest) {
    std::lock_guard<std::mutex> lock(mutex_);
    highest_temporal_ = std::clamp(highest, 0, kTemporalLayers - 1);
    shown_temporal_ = std::min(shown_temporal_, highest_temporal_);
}

void VideoForwarder::OnFrame(LayerId layer, const EncodedFramePtr& frame) {
    std::optional<webrtc::VideoFrame> next;
    bool key_needed = false;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (layer == state_.wanted && state_.sent != layer) {
            if (frame->is_key) {
                state_.sent = layer;
                ++state_.layer_switches;
            } else {
                key_needed = true;
            }
        }
        if (layer == state_.sent) next = Enqueue(frame, rtc::TimeMillis());
    }
    if (next) source_->Deliver(*next);
    if (key_needed) request_key_frame_(layer, KeyFrameReason::kRepair);
}

bool VideoForwarder::IsShown(const EncodedFrame& frame) {
    if (frame.is_key) shown_temporal_ = highest_temporal_;
    // Frames of a layer may refer to earlier ones of it, unless they say that they do not.
    const bool is_next = frame.temporal_layer == shown_temporal_ + 1;
    if (is_next && frame.is_temporal_switch && shown_temporal_ < highest_temporal_) ++shown_temporal_;
    return frame.temporal_layer <= shown_temporal_;
}

std::optional<webrtc::VideoFrame> VideoForwarder::Enqueue(const EncodedFramePtr& frame, int64_t now_ms) {
    const bool is_same_layer = timed_layer_ == state_.sent;
    if (is_same_layer && frame->number != last_frame_number_ + 1 && !frame->is_key) broken_ = true;
    last_frame_number_ = frame->number;
    if (!IsShown(*frame)) return std::nullopt;
    auto buffer = rtc::make_ref_counted<EncodedFrameBuffer>(frame, kPretendedWidth, kPretendedHeight,
                                                            shared_from_this(), next_number_++);
    queue_.push_back(webrtc::VideoFrame::Builder()
                         .set_video_frame_buffer(std::move(buffer))
                         .set_timestamp_us(OutputTime(*frame, now_ms) * rtc::kNumMicrosecsPerMillisec)
                         .set_rotation(frame->rotation)
                         .build());
    // The numbers skipped here show as a gap at the encoder, which then waits for a key frame.
    if (queue_.size() > kMaxQueuedFrames) queue_.clear();
    if (in_flight_ && now_ms - in_flight_since_ms_ > kStallMs) {
        in_flight_ = false;
        ++state_.stalls;
    }
    return in_flight_ ? std::nullopt : TakeNext(now_ms);
}

int64_t VideoForwarder::OutputTime(const EncodedFrame& frame, int64_t now_ms) {
    if (std::exchange(timed_layer_, state_.sent) != state_.sent) baseline_.Restart();
    const int64_t lateness_ms = baseline_.Lateness(frame.rtp_timestamp, now_ms, audio_lateness_->Get(now_ms));
    const int64_t time_ms = now_ms - lateness_ms - kCaptureMarginMs;
    last_ms_ = std::max(time_ms, last_ms_ + 1);
    return last_ms_;
}

std::optional<webrtc::VideoFrame> VideoForwarder::TakeNext(int64_t now_ms) {
    in_flight_ = !queue_.empty();
    if (!in_flight_) return std::nullopt;
    in_flight_since_ms_ = now_ms;
    webrtc::VideoFrame next = std::move(queue_.front());
    queue_.pop_front();
    return next;
}

void VideoForwarder::OnEncoderIdle() {
    std::optional<webrtc::VideoFrame> next;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        next = TakeNext(rtc::TimeMillis());
    }
    if (next) source_->Deliver(*next);
}

bool VideoForwarder::Admit(const EncodedFrame& frame, uint64_t number, bool key_wanted) {
    LayerId layer = kNoLayer;
    bool admitted = false;
    bool key_needed = false;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (number != expected_number_ && !frame.is_key) {
            ++state_.gaps;
            broken_ = true;
        }
        expected_number_ = number + 1;
        if (frame.is_key) broken_ = false;
        admitted = !broken_;
        key_needed = !frame.is_key && (key_wanted || broken_);
        layer = state_.wanted;
        ++(admitted ? state_.frames_sent : state_.frames_withheld);
        if (key_needed) ++state_.key_frame_requests;
    }
    if (key_needed && layer != kNoLayer) request_key_frame_(layer, KeyFrameReason::kRepair);
    return admitted;
}

void VideoForwarder::OnAllocation(uint32_t bps) {
    allocated_bps_.store(bps, std::memory_order_relaxed);
}

ForwarderState VideoForwarder::state() const {
    std::lock_guard<std::mutex> lock(mutex_);
    ForwarderState state = state_;
    const int64_t allocated = allocated_bps_.load(std::memory_order_relaxed);
    if (allocated >= 0) state.allocated_bps = static_cast<uint32_t>(allocated);
    return state;
}

}  // namespace sightline
