// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/video_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/video/video_frame.h"
#include "rtc_base/ref_counted_object.h"
#include "rtc_base/time_utils.h"
#include "media/slow_encoder.h"

namespace sightline {
namespace {

constexpr double kMinimumRate = 0.1, kMaximumRate = 120;
/// A slow source looks this often whether its rate has changed.
constexpr int64_t kMaximumPeriodUs = 10'000'000;

double ValidRate(double fps) {
    return std::isfinite(fps) ? std::clamp(fps, kMinimumRate, kMaximumRate) : kMinimumRate;
}

}  // namespace

void VideoOutlet::Deliver(
    const rtc::scoped_refptr<webrtc::I420Buffer>& picture, int64_t time_us, uint16_t frame_id) {
    int width, height, crop_width, crop_height, crop_x, crop_y;
    if (!AdaptFrame(
            picture->width(), picture->height(), time_us, &width, &height, &crop_width, &crop_height, &crop_x,
            &crop_y)) {
        return;
    }
    auto adapted = picture;
    if (width != picture->width() || height != picture->height()) {
        adapted = webrtc::I420Buffer::Create(width, height);
        adapted->CropAndScaleFrom(*picture, crop_x, crop_y, crop_width, crop_height);
    }
    OnFrame(
        webrtc::VideoFrame::Builder()
            .set_video_frame_buffer(adapted)
            .set_timestamp_us(time_us)
            .set_id(frame_id)
            .build());
}

VideoSource::VideoSource(std::unique_ptr<Painter> painter, double fps, bool is_screen)
    : painter_(std::move(painter)), is_screen_(is_screen), fps_(ValidRate(fps)) {
    ticket_ = Pacer::Start([this](int64_t due_us) { return OnTick(due_us); });
}

rtc::scoped_refptr<webrtc::VideoTrackSourceInterface> VideoSource::MakeOutlet() {
    rtc::scoped_refptr<Outlet> outlet(new Outlet(is_screen_));
    std::lock_guard lock(outlets_mutex_);
    outlets_.push_back(outlet);
    return outlet;
}

void VideoSource::SetRate(double fps) {
    fps_ = ValidRate(fps);
}

int64_t VideoSource::OnTick(int64_t due_us) {
    auto period_us = std::min(kMaximumPeriodUs, static_cast<int64_t>(1'000'000 / fps_));
    DropUnusedOutlets();
    if (!enabled_) return due_us + period_us;
    painter_->SetStill(still_);
    auto picture = painter_->Paint(static_cast<uint32_t>(frames_++));
    if (!picture) return due_us + period_us;
    std::vector<rtc::scoped_refptr<Outlet>> outlets;
    {
        std::lock_guard lock(outlets_mutex_);
        outlets = outlets_;
    }
    auto now_us = rtc::TimeMicros();
    for (auto& outlet : outlets) outlet->Deliver(picture, now_us, FrameIdForDelay(encode_delay_ms_));
    return due_us + period_us;
}

void VideoSource::DropUnusedOutlets() {
    std::lock_guard lock(outlets_mutex_);
    std::erase_if(outlets_, [](const auto& outlet) { return outlet->HasOneRef(); });
}

}  // namespace sightline
