// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "../include/sl_track.h"

#include <mutex>
#include <utility>

#include "abi/abi.h"
#include "api/video/video_frame.h"
#include "api/video/video_sink_interface.h"
#include "media/frame_number.h"
#include "rtc_base/time_utils.h"

using namespace sightline;

namespace {

/// Hands decoded frames to a C function.
class FrameSink : public rtc::VideoSinkInterface<webrtc::VideoFrame> {
public:
    FrameSink(void* context, sl_frame_fn on_frame, sl_release_fn release)
        : context_(context), on_frame_(on_frame), release_(release) {}
    ~FrameSink() override {
        if (release_) release_(context_);
    }

    void OnFrame(const webrtc::VideoFrame& frame) override {
        auto picture = frame.video_frame_buffer()->ToI420();
        if (!picture) return;
        auto number = ReadFrameNumber(
            {picture->DataY(), picture->StrideY(), picture->width(), picture->height()});
        sl_frame out{};
        out.width = frame.width();
        out.height = frame.height();
        out.number = number ? static_cast<int64_t>(*number) : -1;
        out.received_us = rtc::TimeMicros();
        out.rtp_timestamp = frame.timestamp();
        out.y = picture->DataY();
        out.u = picture->DataU();
        out.v = picture->DataV();
        out.stride_y = picture->StrideY();
        out.stride_u = picture->StrideU();
        out.stride_v = picture->StrideV();
        on_frame_(context_, &out);
    }

private:
    void* const context_;
    const sl_frame_fn on_frame_;
    const sl_release_fn release_;
    LiveCount<SL_LIVE_FRAME_SINK> count_;
};

/// Hands audio that is played out to a C function.
class AudioSink : public webrtc::AudioTrackSinkInterface {
public:
    AudioSink(void* context, sl_audio_fn on_audio, sl_release_fn release)
        : context_(context), on_audio_(on_audio), release_(release) {}
    ~AudioSink() override {
        if (release_) release_(context_);
    }

    void OnData(const void* data, int bits, int rate, size_t channels, size_t count) override {
        if (bits != 16) return;
        sl_audio_block out{};
        out.samples = static_cast<const int16_t*>(data);
        out.count = static_cast<int32_t>(count);
        out.channels = static_cast<int32_t>(channels);
        out.sample_rate = rate;
        out.received_us = rtc::TimeMicros();
        on_audio_(context_, &out);
    }

private:
    void* const context_;
    const sl_audio_fn on_audio_;
    const sl_release_fn release_;
    LiveCount<SL_LIVE_FRAME_SINK> count_;
};

}  // namespace

struct sl_remote_track {
    std::shared_ptr<Engine> engine;
    rtc::scoped_refptr<webrtc::MediaStreamTrackInterface> track;
    std::string id, mid;
    bool is_video;
    std::unique_ptr<FrameSink> sink;
    std::unique_ptr<AudioSink> audio_sink;
    LiveCount<SL_LIVE_REMOTE_TRACK> count;

    webrtc::VideoTrackInterface* video() const {
        return is_video ? static_cast<webrtc::VideoTrackInterface*>(track.get()) : nullptr;
    }

    webrtc::AudioTrackInterface* audio() const {
        return is_video ? nullptr : static_cast<webrtc::AudioTrackInterface*>(track.get());
    }

    std::mutex mutex;

    void SetSink(std::unique_ptr<FrameSink> next) {
        std::lock_guard lock(mutex);
        if (sink) video()->RemoveSink(sink.get());
        sink = std::move(next);
        if (sink) video()->AddOrUpdateSink(sink.get(), rtc::VideoSinkWants());
    }

    void SetAudioSink(std::unique_ptr<AudioSink> next) {
        std::lock_guard lock(mutex);
        if (audio_sink) audio()->RemoveSink(audio_sink.get());
        audio_sink = std::move(next);
        if (audio_sink) audio()->AddSink(audio_sink.get());
    }
};

namespace sightline {

sl_remote_track* MakeRemoteTrack(
    std::shared_ptr<Engine> engine, rtc::scoped_refptr<webrtc::RtpTransceiverInterface> transceiver) {
    auto track = transceiver->receiver()->track();
    auto id = track->id();
    bool is_video = track->kind() == webrtc::MediaStreamTrackInterface::kVideoKind;
    return new sl_remote_track{std::move(engine), std::move(track),
                               std::move(id),     transceiver->mid().value_or(""),
                               is_video,          nullptr,
                               nullptr};
}

}  // namespace sightline

void sl_remote_track_destroy(sl_remote_track* track) {
    if (!track) return;
    RunOffEngine([track] {
        track->SetSink(nullptr);
        track->SetAudioSink(nullptr);
        delete track;
    });
}

int32_t sl_remote_track_kind(const sl_remote_track* track) {
    return track && track->is_video ? SL_MEDIA_VIDEO : SL_MEDIA_AUDIO;
}

const char* sl_remote_track_id(const sl_remote_track* track) {
    return track ? track->id.c_str() : "";
}

const char* sl_remote_track_mid(const sl_remote_track* track) {
    return track ? track->mid.c_str() : "";
}

void sl_remote_track_set_enabled(sl_remote_track* track, bool enabled) {
    if (track) track->track->set_enabled(enabled);
}

void sl_remote_track_set_sink(
    sl_remote_track* track, void* context, sl_frame_fn on_frame, sl_release_fn release) {
    // Releases the context when there is nothing to deliver.
    auto sink = std::make_unique<FrameSink>(context, on_frame, release);
    if (!track || !track->is_video) return;
    track->SetSink(on_frame ? std::move(sink) : nullptr);
}

void sl_remote_track_set_audio_sink(
    sl_remote_track* track, void* context, sl_audio_fn on_audio, sl_release_fn release) {
    // Releases the context when there is nothing to deliver.
    auto sink = std::make_unique<AudioSink>(context, on_audio, release);
    if (!track || track->is_video) return;
    track->SetAudioSink(on_audio ? std::move(sink) : nullptr);
}
