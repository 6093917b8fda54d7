// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_VIDEO_SOURCE_H
#define SIGHTLINE_VIDEO_SOURCE_H

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "api/video/i420_buffer.h"
#include "abi/live_count.h"
#include "media/base/adapted_video_track_source.h"
#include "emulation/pacer.h"

namespace sightline {

/// Draws the frames of a `VideoSource`. Used by one thread at a time.
class Painter {
public:
    virtual ~Painter() = default;
    /// The frame for frame `number`; null if there is none to show now.
    virtual rtc::scoped_refptr<webrtc::I420Buffer> Paint(uint32_t number) = 0;
    /// Whether the frame is static from now on.
    virtual void SetStill(bool still) {}
};

/// What one sender gets of a source. Each sender has its own, because libwebrtc adapts size and rate at the
/// source and two senders on one would both get what the weaker can bear.
class VideoOutlet : public rtc::AdaptedVideoTrackSource {
public:
    explicit VideoOutlet(bool is_screen) : is_screen_(is_screen) {}

    void Deliver(const rtc::scoped_refptr<webrtc::I420Buffer>& picture, int64_t time_us, uint16_t frame_id);

    SourceState state() const override { return kLive; }
    bool remote() const override { return false; }
    bool is_screencast() const override { return is_screen_; }
    absl::optional<bool> needs_denoising() const override { return false; }

private:
    const bool is_screen_;
};

/// A source of test video: paints at its rate and hands each frame to every outlet. Settable from any
/// thread.
class VideoSource {
public:
    VideoSource(std::unique_ptr<Painter> painter, double fps, bool is_screen);

    rtc::scoped_refptr<webrtc::VideoTrackSourceInterface> MakeOutlet();
    /// Frames per second, clamped to 0.1 ... 120.
    void SetRate(double fps);
    void SetStill(bool still) { still_ = still; }
    /// A disabled source gives no frames, like a camera that was unplugged.
    void SetEnabled(bool enabled) { enabled_ = enabled; }
    /// Artificial encoding time of each frame (see `slow_encoder.h`).
    void SetEncodeDelay(uint16_t delay_ms) { encode_delay_ms_ = delay_ms; }
    /// Frames painted so far.
    uint64_t frames() const { return frames_; }

private:
    using Outlet = rtc::RefCountedObject<VideoOutlet>;
    int64_t OnTick(int64_t due_us);
    void DropUnusedOutlets();

    const std::unique_ptr<Painter> painter_;
    const bool is_screen_;
    std::atomic<double> fps_;
    std::atomic<bool> still_{false}, enabled_{true};
    std::atomic<uint16_t> encode_delay_ms_{0};
    std::atomic<uint64_t> frames_{0};
    std::mutex outlets_mutex_;
    std::vector<rtc::scoped_refptr<Outlet>> outlets_;
    LiveCount<SL_LIVE_VIDEO_SOURCE> count_;
    /// Last, so that ticking ends before anything it uses goes away.
    std::unique_ptr<Pacer::Ticket> ticket_;
};

}  // namespace sightline
#endif
