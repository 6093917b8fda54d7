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

/// A call's received audio stream that has a frame transformer of its own from the beginning, if there is one at all.
///
/// Set by way of a receiver instead, a transformer would be that of all its streams, which know only who registered last;
/// and a receiver whose stream is made again sets it twice or not at all, depending on what the offer before named: libwebrtc
/// aborts when it comes a second time.
class TappedAudioStream final : public webrtc::AudioReceiveStreamInterface {
public:
    using Transformer = rtc::scoped_refptr<webrtc::FrameTransformerInterface>;

    /// `call` has to outlive this; `transformer` may be null.
    TappedAudioStream(webrtc::Call& call, Config config, Transformer transformer)
        : call_(call), decoders_(config.decoder_map), stream_(Create(call, std::move(config), std::move(transformer))) {}
    ~TappedAudioStream() override { call_.DestroyAudioReceiveStream(&stream_); }

    /// The call's own.
    webrtc::AudioReceiveStreamInterface& stream() const { return stream_; }

    /// No receiver of a router has one.
    void SetDepacketizerToDecoderFrameTransformer(Transformer) override {}

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
        decoders_ = decoders;
        stream_.SetDecoderMap(std::move(decoders));
    }
    void SetNackHistory(int history_ms) override { stream_.SetNackHistory(history_ms); }
    void SetNonSenderRttMeasurement(bool enabled) override { stream_.SetNonSenderRttMeasurement(enabled); }
    Stats GetStats(bool get_and_clear_legacy_stats) const override {
        Stats stats = stream_.GetStats(get_and_clear_legacy_stats);
        // Where a transformer keeps all but the first packet, it is that of the first, and libwebrtc aborts on one that was
        // negotiated no more.
        if (stats.codec_payload_type && !decoders_.contains(*stats.codec_payload_type)) {
            stats.codec_payload_type.reset();
        }
        return stats;
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
        webrtc::Call& call, Config config, Transformer transformer) {
        config.frame_transformer = std::move(transformer);
        return *call.CreateAudioReceiveStream(config);
    }

    webrtc::Call& call_;
    std::map<int, webrtc::SdpAudioFormat> decoders_;
    webrtc::AudioReceiveStreamInterface& stream_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_TAPPED_AUDIO_STREAM_H_
