// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/video_codec.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "api/video/video_frame.h"
#include "api/video_codecs/h264_profile_level_id.h"
#include "api/video_codecs/sdp_video_format.h"
#include "api/video_codecs/video_decoder.h"
#include "api/video_codecs/video_encoder.h"
#include "common_video/h264/h264_common.h"
#include "modules/video_coding/encoded_frame.h"
#include "modules/video_coding/include/video_codec_interface.h"
#include "modules/video_coding/include/video_error_codes.h"
#include "rtc_base/ref_counted_object.h"
#include "rtc_base/time_utils.h"
#include "router/frame.h"
#include "router/sequence_gate.h"
#include "router/video_forwarder.h"

namespace sightline {

namespace {

constexpr char kImplementationName[] = "pass-through";

std::vector<webrtc::SdpVideoFormat> ForwardableFormats() {
    std::vector<webrtc::SdpVideoFormat> formats = {webrtc::SdpVideoFormat("VP8")};
    // Level 5.1 is a promise about the frame size; a router that never decodes can make it.
    for (const auto profile : {webrtc::H264Profile::kProfileConstrainedBaseline,
                               webrtc::H264Profile::kProfileBaseline, webrtc::H264Profile::kProfileMain,
                               webrtc::H264Profile::kProfileConstrainedHigh,
                               webrtc::H264Profile::kProfileHigh}) {
        const auto id = webrtc::H264ProfileLevelIdToString({profile, webrtc::H264Level::kLevel5_1});
        if (!id) continue;
        formats.push_back(webrtc::SdpVideoFormat("H264", {{"profile-level-id", *id},
                                                          {"level-asymmetry-allowed", "1"},
                                                          {"packetization-mode", "1"}}));
    }
    return formats;
}

/// A side that libwebrtc can reckon with: the roots and products of what a sender claims end the process.
int Bounded(int pixels) {
    constexpr int kShortest = 16;
    constexpr int kLongest = 16384;
    return std::clamp(pixels, kShortest, kLongest);
}

class PassThroughDecoder final : public webrtc::VideoDecoder {
public:
    bool Configure(const Settings& settings) override {
        codec_ = settings.codec_type();
        return true;
    }

    int32_t RegisterDecodeCompleteCallback(webrtc::DecodedImageCallback* callback) override {
        callback_ = callback;
        return WEBRTC_VIDEO_CODEC_OK;
    }

    int32_t Release() override { return WEBRTC_VIDEO_CODEC_OK; }

    DecoderInfo GetDecoderInfo() const override {
        DecoderInfo info;
        info.implementation_name = kImplementationName;
        info.is_hardware_accelerated = true;
        return info;
    }

    int32_t Decode(const webrtc::EncodedImage& image, bool, int64_t) override {
        if (callback_ == nullptr || image.GetEncodedData() == nullptr) {
            return WEBRTC_VIDEO_CODEC_UNINITIALIZED;
        }
        if (!CanBePacketized(codec_, image.data(), image.size()) || HasWaitedTooLong(image)) {
            return WEBRTC_VIDEO_CODEC_ERROR;
        }
        const bool is_key = image._frameType == webrtc::VideoFrameType::kVideoFrameKey;
        if (is_key && image._encodedWidth > 0 && image._encodedHeight > 0) {
            width_ = static_cast<int>(image._encodedWidth);
            height_ = static_cast<int>(image._encodedHeight);
        }
        // The receiver answers this with a key frame request of its own.
        if (width_ == 0 && !is_key) return WEBRTC_VIDEO_CODEC_ERROR;
        // `Decoded` takes a non-const reference.
        webrtc::VideoFrame carrier = Wrap(image, is_key);
        callback_->Decoded(carrier, absl::nullopt, absl::nullopt);
        return WEBRTC_VIDEO_CODEC_OK;
    }

private:
    /// libwebrtc forgets all packets up to those of a frame that was decoded, by their numbers; of a frame that
    /// is much older than what comes now it would take the cycle wrong. See `SequenceGate`.
    static bool HasWaitedTooLong(const webrtc::EncodedImage& image) {
        const auto longest = webrtc::TimeDelta::Millis(SequenceGate::kLongestWaitMs);
        const auto now = webrtc::Timestamp::Millis(rtc::TimeMillis());
        return std::ranges::any_of(image.PacketInfos(), [&](const webrtc::RtpPacketInfo& packet) {
            return packet.receive_time().IsFinite() && now - packet.receive_time() > longest;
        });
    }

    webrtc::VideoFrame Wrap(const webrtc::EncodedImage& image, bool is_key) {
        auto frame = std::make_shared<EncodedFrame>();
        frame->payload = image.GetEncodedData();
        frame->size = image.size();
        frame->width = width_;
        frame->height = height_;
        frame->is_key = is_key;
        frame->rtp_timestamp = image.Timestamp();
        frame->rotation = image.rotation_;
        frame->codec = codec_;
        ReadTemporalLayer(image, *frame);
        frame->number = next_number_++;
        // H.264 without a readable size (no SPS parsed yet) still needs a positive one to pass libwebrtc.
        auto buffer = rtc::make_ref_counted<EncodedFrameBuffer>(std::move(frame), Bounded(width_), Bounded(height_));
        return webrtc::VideoFrame::Builder()
            .set_video_frame_buffer(std::move(buffer))
            .set_timestamp_rtp(image.Timestamp())
            .set_timestamp_us(rtc::TimeMicros())
            .set_rotation(image.rotation_)
            .build();
    }

    void ReadTemporalLayer(const webrtc::EncodedImage& image, EncodedFrame& frame) const {
        if (codec_ != webrtc::kVideoCodecVP8) return;
        // What a receiver decodes is always of this type; the interface knows only its base, which does not
        // carry what the RTP payload header says.
        const auto* specific = static_cast<const webrtc::VCMEncodedFrame&>(image).CodecSpecific();
        if (specific->codecType != webrtc::kVideoCodecVP8) return;
        const auto& vp8 = specific->codecSpecific.VP8;
        if (vp8.temporalIdx == webrtc::kNoTemporalIdx) return;
        frame.temporal_layer = std::min<int>(vp8.temporalIdx, kTemporalLayers - 1);
        frame.is_temporal_switch = vp8.layerSync;
    }

    webrtc::DecodedImageCallback* callback_ = nullptr;
    webrtc::VideoCodecType codec_ = webrtc::kVideoCodecGeneric;
    int width_ = 0;
    int height_ = 0;
    uint64_t next_number_ = 0;
};

class PassThroughEncoder final : public webrtc::VideoEncoder {
public:
    int InitEncode(const webrtc::VideoCodec* codec, const Settings&) override {
        if (codec == nullptr) return WEBRTC_VIDEO_CODEC_ERR_PARAMETER;
        codec_ = codec->codecType;
        return WEBRTC_VIDEO_CODEC_OK;
    }

    int32_t RegisterEncodeCompleteCallback(webrtc::EncodedImageCallback* callback) override {
        callback_ = callback;
        return WEBRTC_VIDEO_CODEC_OK;
    }

    int32_t Release() override { return WEBRTC_VIDEO_CODEC_OK; }

    void SetRates(const RateControlParameters& rates) override {
        allocated_bps_ = rates.bitrate.get_sum_bps();
        if (forwarder_) forwarder_->OnAllocation(allocated_bps_);
    }

    int32_t Encode(const webrtc::VideoFrame& raw, const std::vector<webrtc::VideoFrameType>* types) override {
        const auto buffer = raw.video_frame_buffer();
        if (buffer->type() != webrtc::VideoFrameBuffer::Type::kNative) return WEBRTC_VIDEO_CODEC_OK;
        const auto* carrier = static_cast<const EncodedFrameBuffer*>(buffer.get());
        if (forwarder_ != carrier->forwarder()) {
            forwarder_ = carrier->forwarder();
            forwarder_->OnAllocation(allocated_bps_);
        }
        const EncodedFrame& frame = *carrier->frame();
        const bool key_wanted =
            types != nullptr && !types->empty() && (*types)[0] == webrtc::VideoFrameType::kVideoFrameKey;
        // A frame of another codec than the leg negotiated aborts the process further down.
        const bool fits = frame.codec == codec_ && callback_ != nullptr;
        if (forwarder_->Admit(frame, carrier->number(), key_wanted) && fits) Emit(raw, frame);
        forwarder_->OnEncoderIdle();
        return WEBRTC_VIDEO_CODEC_OK;
    }

    EncoderInfo GetEncoderInfo() const override {
        EncoderInfo info;
        info.scaling_settings = ScalingSettings::kOff;
        info.supports_native_handle = true;
        info.implementation_name = kImplementationName;
        // Keeps libwebrtc from dropping frames to meet a rate that no one here can change.
        info.has_trusted_rate_controller = true;
        info.is_hardware_accelerated = true;
        info.supports_simulcast = false;
        return info;
    }

private:
    void Emit(const webrtc::VideoFrame& raw, const EncodedFrame& frame) {
        webrtc::EncodedImage image;
        image.SetEncodedData(frame.payload);
        image.set_size(frame.size);
        image.SetTimestamp(raw.timestamp());
        image._encodedWidth = static_cast<uint32_t>(frame.width);
        image._encodedHeight = static_cast<uint32_t>(frame.height);
        image._frameType =
            frame.is_key ? webrtc::VideoFrameType::kVideoFrameKey : webrtc::VideoFrameType::kVideoFrameDelta;
        image.capture_time_ms_ = raw.render_time_ms();
        image.ntp_time_ms_ = raw.ntp_time_ms();
        image.rotation_ = frame.rotation;
        webrtc::CodecSpecificInfo specifics;
        specifics.codecType = frame.codec;
        std::memset(&specifics.codecSpecific, 0, sizeof specifics.codecSpecific);
        if (frame.codec == webrtc::kVideoCodecVP8) {
            specifics.codecSpecific.VP8.temporalIdx = webrtc::kNoTemporalIdx;
            specifics.codecSpecific.VP8.keyIdx = webrtc::kNoKeyIdx;
        } else if (frame.codec == webrtc::kVideoCodecH264) {
            specifics.codecSpecific.H264.packetization_mode = webrtc::H264PacketizationMode::NonInterleaved;
            specifics.codecSpecific.H264.temporal_idx = webrtc::kNoTemporalIdx;
            specifics.codecSpecific.H264.idr_frame = frame.is_key;
        }
        callback_->OnEncodedImage(image, &specifics);
    }

    webrtc::EncodedImageCallback* callback_ = nullptr;
    webrtc::VideoCodecType codec_ = webrtc::kVideoCodecGeneric;
    uint32_t allocated_bps_ = 0;
    // Learned from the first frame: the factory does not say for whom it makes an encoder.
    std::shared_ptr<VideoForwarder> forwarder_;
};

class PassThroughDecoderFactory final : public webrtc::VideoDecoderFactory {
public:
    std::vector<webrtc::SdpVideoFormat> GetSupportedFormats() const override { return ForwardableFormats(); }
    std::unique_ptr<webrtc::VideoDecoder> CreateVideoDecoder(const webrtc::SdpVideoFormat&) override {
        return std::make_unique<PassThroughDecoder>();
    }
};

class PassThroughEncoderFactory final : public webrtc::VideoEncoderFactory {
public:
    std::vector<webrtc::SdpVideoFormat> GetSupportedFormats() const override { return ForwardableFormats(); }
    std::unique_ptr<webrtc::VideoEncoder> CreateVideoEncoder(const webrtc::SdpVideoFormat&) override {
        return std::make_unique<PassThroughEncoder>();
    }
};

}  // namespace

bool CanBePacketized(webrtc::VideoCodecType codec, const uint8_t* data, size_t size) {
    if (size == 0) return false;
    if (codec != webrtc::kVideoCodecH264) return true;
    const auto units = webrtc::H264::FindNaluIndices(data, size);
    return !units.empty() && std::all_of(units.begin(), units.end(), [](const auto& unit) {
        return unit.payload_size > 0;
    });
}

std::unique_ptr<webrtc::VideoDecoderFactory> CreatePassThroughDecoderFactory() {
    return std::make_unique<PassThroughDecoderFactory>();
}

std::unique_ptr<webrtc::VideoEncoderFactory> CreatePassThroughEncoderFactory() {
    return std::make_unique<PassThroughEncoderFactory>();
}

}  // namespace sightline
