// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/audio.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "api/audio_codecs/audio_encoder.h"
#include "api/audio_codecs/audio_encoder_factory_template.h"
#include "api/audio_codecs/opus/audio_encoder_opus.h"
#include "api/notifier.h"
#include "modules/audio_device/include/audio_device_default.h"
#include "rtc_base/ref_counted_object.h"
#include "rtc_base/time_utils.h"

namespace sightline {

namespace {

// Ten milliseconds at the lowest rate that libwebrtc passes on unchanged: the cheapest carrier for a token.
constexpr int kCarrierRate = 8000;
constexpr size_t kCarrierSamples = 80;
constexpr int kOpusClockRate = 48000;
constexpr int kNominalBitrate = 32000;

}  // namespace

uint64_t AudioPacketCloakroom::Leave(Deposit deposit) {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t token = next_token_++;
    deposits_.emplace(token, std::move(deposit));
    while (deposits_.size() > kCapacity) deposits_.erase(oldest_token_++);
    return token;
}

std::optional<AudioPacketCloakroom::Deposit> AudioPacketCloakroom::Collect(uint64_t token) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto node = deposits_.extract(token);
    if (node.empty()) return std::nullopt;
    return std::move(node.mapped());
}

class AudioForwarder::Source : public webrtc::Notifier<webrtc::AudioSourceInterface> {
public:
    SourceState state() const override { return kLive; }
    bool remote() const override { return false; }

    void AddSink(webrtc::AudioTrackSinkInterface* sink) override {
        std::lock_guard<std::mutex> lock(mutex_);
        sinks_.push_back(sink);
    }

    void RemoveSink(webrtc::AudioTrackSinkInterface* sink) override {
        std::lock_guard<std::mutex> lock(mutex_);
        std::erase(sinks_, sink);
    }

    void Deliver(AudioPacketCloakroom& cloakroom, const AudioPacketCloakroom::Deposit& deposit) {
        std::lock_guard<std::mutex> lock(mutex_);
        for (webrtc::AudioTrackSinkInterface* sink : sinks_) {
            const uint64_t token = cloakroom.Leave(deposit);
            std::array<int16_t, kCarrierSamples> carrier{};
            std::memcpy(carrier.data(), &token, sizeof token);
            sink->OnData(carrier.data(), 16, kCarrierRate, 1, kCarrierSamples,
                         absl::optional<int64_t>(rtc::TimeMillis()));
        }
    }

private:
    std::mutex mutex_;
    std::vector<webrtc::AudioTrackSinkInterface*> sinks_;
};

AudioForwarder::AudioForwarder(
    std::shared_ptr<AudioPacketCloakroom> cloakroom, std::shared_ptr<LatestLateness> lateness)
    : cloakroom_(std::move(cloakroom)),
      source_(rtc::make_ref_counted<Source>()),
      lateness_(std::move(lateness)) {}

AudioForwarder::~AudioForwarder() = default;

rtc::scoped_refptr<webrtc::AudioSourceInterface> AudioForwarder::source() const {
    return source_;
}

void AudioForwarder::OnPacket(const AudioPacketPtr& packet) {
    AudioPacketCloakroom::Deposit deposit{packet, 0};
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const int64_t now_ms = rtc::TimeMillis();
        deposit.rtp_timestamp = timeline_.Take(packet->origin, packet->rtp_timestamp, now_ms);
        lateness_->Set(baseline_.Lateness(deposit.rtp_timestamp, now_ms), now_ms);
    }
    source_->Deliver(*cloakroom_, deposit);
}

namespace {

class PassThroughAudioEncoder final : public webrtc::AudioEncoder {
public:
    PassThroughAudioEncoder(int payload_type, std::shared_ptr<AudioPacketCloakroom> cloakroom)
        : payload_type_(payload_type), cloakroom_(std::move(cloakroom)) {}

    int SampleRateHz() const override { return kCarrierRate; }
    size_t NumChannels() const override { return 1; }
    int RtpTimestampRateHz() const override { return kOpusClockRate; }
    size_t Num10MsFramesInNextPacket() const override { return 1; }
    size_t Max10MsFramesInAPacket() const override { return 1; }
    int GetTargetBitrate() const override { return kNominalBitrate; }
    void Reset() override {}
    absl::optional<std::pair<webrtc::TimeDelta, webrtc::TimeDelta>> GetFrameLengthRange() const override {
        return {{webrtc::TimeDelta::Millis(20), webrtc::TimeDelta::Millis(20)}};
    }

protected:
    EncodedInfo EncodeImpl(uint32_t rtp_timestamp, rtc::ArrayView<const int16_t> carrier,
                           rtc::Buffer* encoded) override {
        EncodedInfo info;
        info.payload_type = payload_type_;
        // Both are needed for a right RTCP clock: an unknown type would be taken for one with another rate.
        info.encoder_type = CodecType::kOpus;
        info.encoded_timestamp = rtp_timestamp;
        uint64_t token = 0;
        if (carrier.size() * sizeof(int16_t) < sizeof token) return info;
        std::memcpy(&token, carrier.data(), sizeof token);
        const auto deposit = cloakroom_->Collect(token);
        if (!deposit) return info;
        encoded->AppendData(deposit->packet->payload.data(), deposit->packet->payload.size());
        info.encoded_bytes = deposit->packet->payload.size();
        info.encoded_timestamp = deposit->rtp_timestamp;
        return info;
    }

private:
    const int payload_type_;
    const std::shared_ptr<AudioPacketCloakroom> cloakroom_;
};

class PassThroughAudioEncoderFactory : public webrtc::AudioEncoderFactory {
public:
    explicit PassThroughAudioEncoderFactory(std::shared_ptr<AudioPacketCloakroom> cloakroom)
        : opus_(webrtc::CreateAudioEncoderFactory<webrtc::AudioEncoderOpus>()),
          cloakroom_(std::move(cloakroom)) {}

    std::vector<webrtc::AudioCodecSpec> GetSupportedEncoders() override {
        return opus_->GetSupportedEncoders();
    }
    absl::optional<webrtc::AudioCodecInfo> QueryAudioEncoder(const webrtc::SdpAudioFormat& format) override {
        return opus_->QueryAudioEncoder(format);
    }
    std::unique_ptr<webrtc::AudioEncoder> MakeAudioEncoder(
        int payload_type, const webrtc::SdpAudioFormat&, absl::optional<webrtc::AudioCodecPairId>) override {
        return std::make_unique<PassThroughAudioEncoder>(payload_type, cloakroom_);
    }

private:
    const rtc::scoped_refptr<webrtc::AudioEncoderFactory> opus_;
    const std::shared_ptr<AudioPacketCloakroom> cloakroom_;
};

class AudioTap : public webrtc::FrameTransformerInterface {
public:
    AudioTap(uint64_t leg, std::function<void(AudioPacketPtr)> on_packet)
        : leg_(leg), on_packet_(std::move(on_packet)) {}

    void RegisterTransformedFrameCallback(
        rtc::scoped_refptr<webrtc::TransformedFrameCallback> callback) override {
        std::lock_guard<std::mutex> lock(mutex_);
        first_packet_callback_ = std::move(callback);
    }

    void UnregisterTransformedFrameCallback() override {
        std::lock_guard<std::mutex> lock(mutex_);
        first_packet_callback_ = nullptr;
    }

    // Only the first packet goes on to the jitter buffer: a receiver that has never seen one has no codec,
    // and without a codec it reports nothing, not even what was lost.
    void Transform(std::unique_ptr<webrtc::TransformableFrameInterface> frame) override {
        auto packet = std::make_shared<AudioPacket>();
        const rtc::ArrayView<const uint8_t> payload = frame->GetData();
        packet->payload.assign(payload.begin(), payload.end());
        packet->rtp_timestamp = frame->GetTimestamp();
        packet->origin = {leg_, frame->GetSsrc()};
        on_packet_(std::move(packet));
        rtc::scoped_refptr<webrtc::TransformedFrameCallback> callback;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            callback = std::exchange(first_packet_callback_, nullptr);
        }
        if (callback) callback->OnTransformedFrame(std::move(frame));
    }

private:
    const uint64_t leg_;
    const std::function<void(AudioPacketPtr)> on_packet_;
    std::mutex mutex_;
    rtc::scoped_refptr<webrtc::TransformedFrameCallback> first_packet_callback_;
};

using SilentAudioDevice = webrtc::webrtc_impl::AudioDeviceModuleDefault<webrtc::AudioDeviceModule>;

}  // namespace

rtc::scoped_refptr<webrtc::AudioEncoderFactory> CreatePassThroughAudioEncoders(
    std::shared_ptr<AudioPacketCloakroom> cloakroom) {
    return rtc::make_ref_counted<PassThroughAudioEncoderFactory>(std::move(cloakroom));
}

rtc::scoped_refptr<webrtc::FrameTransformerInterface> CreateAudioTap(
    uint64_t leg, std::function<void(AudioPacketPtr)> on_packet) {
    return rtc::make_ref_counted<AudioTap>(leg, std::move(on_packet));
}

rtc::scoped_refptr<webrtc::AudioDeviceModule> CreateSilentAudioDevice() {
    return rtc::make_ref_counted<SilentAudioDevice>();
}

}  // namespace sightline
