// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_TAPPED_AUDIO_STREAM_H_
#define SIGHTLINE_ROUTER_TAPPED_AUDIO_STREAM_H_

#include <map>
#include <utility>
#include <vector>

#include "call/audio_receive_stream.h"
#include "call/call.h"

namespace sightline {

/// A received audio stream of a call, which has one frame transformer for all of them, from the first that gets one.
///
/// A receiver whose stream is made again sets its transformer twice or not at all, depending on what the offer before
/// named; libwebrtc aborts when it comes a second time.
class TappedAudioStream final : public webrtc::AudioReceiveStreamInterface {
public:
    using Transformer = rtc::scoped_refptr<webrtc::FrameTransformerInterface>;

    /// `call` and `transformer`, which is that of all, have to outlive this.
    TappedAudioStream(webrtc::Call& call, Config config, Transformer& transformer)
        : call_(call), transformer_(transformer), stream_(Create(call, std::move(config), transformer)) {}
    ~TappedAudioStream() override { call_.DestroyAudioReceiveStream(&stream_); }

    /// The call's own.
    webrtc::AudioReceiveStreamInterface& stream() const { return stream_; }

    void SetDepacketizerToDecoderFrameTransformer(Transformer transformer) override {
        if (transformer_) return;
        transformer_ = transformer;
        stream_.SetDepacketizerToDecoderFrameTransformer(std::move(transformer));
    }

    void SetRtpExtensions(std::vector<webrtc::RtpExtension> extensions) override {
        stream_.SetRtpExtensions(std::move(extensions));
    }
    webrtc::RtpHeaderExtensionMap GetRtpExtensionMap() const override { return stream_.GetRtpExtensionMap(); }
    const std::vector<webrtc::RtpExtension>& GetRtpExtensions() const override {
        return stream_.GetRtpExtensions();
    }
    bool transport_cc() const override { return stream_.transport_cc(); }
    void SetTransportCc(bool transport_cc) override { stream_.SetTransportCc(transport_cc); }
    void Start() override { stream_.Start(); }
    void Stop() override { stream_.Stop(); }
    bool IsRunning() const override { return stream_.IsRunning(); }
    void SetFrameDecryptor(rtc::scoped_refptr<webrtc::FrameDecryptorInterface> decryptor) override {
        stream_.SetFrameDecryptor(std::move(decryptor));
    }
    std::vector<webrtc::RtpSource> GetSources() const override { return stream_.GetSources(); }
    void SetDecoderMap(std::map<int, webrtc::SdpAudioFormat> decoders) override {
        stream_.SetDecoderMap(std::move(decoders));
    }
    void SetNackHistory(int history_ms) override { stream_.SetNackHistory(history_ms); }
    void SetNonSenderRttMeasurement(bool enabled) override { stream_.SetNonSenderRttMeasurement(enabled); }
    Stats GetStats(bool get_and_clear_legacy_stats) const override {
        return stream_.GetStats(get_and_clear_legacy_stats);
    }
    void SetSink(webrtc::AudioSinkInterface* sink) override { stream_.SetSink(sink); }
    void SetGain(float gain) override { stream_.SetGain(gain); }
    bool SetBaseMinimumPlayoutDelayMs(int delay_ms) override {
        return stream_.SetBaseMinimumPlayoutDelayMs(delay_ms);
    }
    int GetBaseMinimumPlayoutDelayMs() const override { return stream_.GetBaseMinimumPlayoutDelayMs(); }
    uint32_t remote_ssrc() const override { return stream_.remote_ssrc(); }

private:
    static webrtc::AudioReceiveStreamInterface& Create(
        webrtc::Call& call, Config config, Transformer& transformer) {
        if (!transformer) transformer = config.frame_transformer;
        config.frame_transformer = transformer;
        return *call.CreateAudioReceiveStream(config);
    }

    webrtc::Call& call_;
    Transformer& transformer_;
    webrtc::AudioReceiveStreamInterface& stream_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_TAPPED_AUDIO_STREAM_H_
