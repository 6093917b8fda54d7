// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "media/slow_encoder.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "api/video_codecs/video_encoder.h"

namespace sightline {
namespace {

class SlowableEncoder : public webrtc::VideoEncoder {
public:
    explicit SlowableEncoder(std::unique_ptr<webrtc::VideoEncoder> inner) : inner_(std::move(inner)) {}

    int32_t Encode(
        const webrtc::VideoFrame& frame, const std::vector<webrtc::VideoFrameType>* types) override {
        auto delay = std::min(frame.id(), kMaximumEncodeDelayMs);
        if (delay > 0) std::this_thread::sleep_for(std::chrono::milliseconds(delay));
        return inner_->Encode(frame, types);
    }

    void SetFecControllerOverride(webrtc::FecControllerOverride* override) override {
        inner_->SetFecControllerOverride(override);
    }
    int InitEncode(const webrtc::VideoCodec* codec, const Settings& settings) override {
        return inner_->InitEncode(codec, settings);
    }
    int32_t RegisterEncodeCompleteCallback(webrtc::EncodedImageCallback* callback) override {
        return inner_->RegisterEncodeCompleteCallback(callback);
    }
    int32_t Release() override { return inner_->Release(); }
    void SetRates(const RateControlParameters& parameters) override { inner_->SetRates(parameters); }
    void OnPacketLossRateUpdate(float rate) override { inner_->OnPacketLossRateUpdate(rate); }
    void OnRttUpdate(int64_t rtt_ms) override { inner_->OnRttUpdate(rtt_ms); }
    void OnLossNotification(const LossNotification& notification) override {
        inner_->OnLossNotification(notification);
    }
    EncoderInfo GetEncoderInfo() const override { return inner_->GetEncoderInfo(); }

private:
    const std::unique_ptr<webrtc::VideoEncoder> inner_;
};

class SlowableEncoderFactory : public webrtc::VideoEncoderFactory {
public:
    explicit SlowableEncoderFactory(std::unique_ptr<webrtc::VideoEncoderFactory> inner)
        : inner_(std::move(inner)) {}

    std::vector<webrtc::SdpVideoFormat> GetSupportedFormats() const override {
        return inner_->GetSupportedFormats();
    }
    std::vector<webrtc::SdpVideoFormat> GetImplementations() const override {
        return inner_->GetImplementations();
    }
    CodecSupport QueryCodecSupport(
        const webrtc::SdpVideoFormat& format, absl::optional<std::string> scalability_mode) const override {
        return inner_->QueryCodecSupport(format, std::move(scalability_mode));
    }
    std::unique_ptr<webrtc::VideoEncoder> CreateVideoEncoder(const webrtc::SdpVideoFormat& format) override {
        auto encoder = inner_->CreateVideoEncoder(format);
        if (!encoder) return nullptr;
        return std::make_unique<SlowableEncoder>(std::move(encoder));
    }
    std::unique_ptr<EncoderSelectorInterface> GetEncoderSelector() const override {
        return inner_->GetEncoderSelector();
    }

private:
    const std::unique_ptr<webrtc::VideoEncoderFactory> inner_;
};

}  // namespace

std::unique_ptr<webrtc::VideoEncoderFactory> CreateSlowableEncoderFactory(
    std::unique_ptr<webrtc::VideoEncoderFactory> inner) {
    return std::make_unique<SlowableEncoderFactory>(std::move(inner));
}

}  // namespace sightline
