// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_DATED_AUDIO_STREAM_H_
#define SIGHTLINE_ROUTER_DATED_AUDIO_STREAM_H_

#include <memory>
#include <utility>

#include "call/audio_send_stream.h"
#include "call/call.h"
#include "router/sender_report_rewriter.h"

namespace sightline {

/// A call's audio stream whose packets pass a `SenderReportRewriter` on their way to the transport.
///
/// Whoever holds the stream names its own transport whenever it reconfigures the stream; libwebrtc aborts when a
/// stream gets another transport than it began with.
class DatedAudioStream final : public webrtc::AudioSendStream {
public:
    /// `call` has to outlive this.
    DatedAudioStream(webrtc::Call& call, const Config& config)
        : call_(call), config_(config), rewriter_(config.send_transport, config.rtp.ssrc),
          stream_(call.CreateAudioSendStream(Rewritten())) {}
    ~DatedAudioStream() override { call_.DestroyAudioSendStream(stream_); }

    const Config& GetConfig() const override { return config_; }
    void Reconfigure(const Config& config) override {
        config_ = config;
        stream_->Reconfigure(Rewritten());
    }
    void Start() override { stream_->Start(); }
    void Stop() override { stream_->Stop(); }
    void SendAudioData(std::unique_ptr<webrtc::AudioFrame> frame) override {
        stream_->SendAudioData(std::move(frame));
    }
    bool SendTelephoneEvent(int payload_type, int frequency, int event, int duration_ms) override {
        return stream_->SendTelephoneEvent(payload_type, frequency, event, duration_ms);
    }
    void SetMuted(bool muted) override { stream_->SetMuted(muted); }
    Stats GetStats() const override { return stream_->GetStats(); }
    Stats GetStats(bool has_remote_tracks) const override { return stream_->GetStats(has_remote_tracks); }

private:
    Config Rewritten() {
        Config config = config_;
        config.send_transport = &rewriter_;
        return config;
    }

    webrtc::Call& call_;
    Config config_;
    SenderReportRewriter rewriter_;
    webrtc::AudioSendStream* const stream_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_DATED_AUDIO_STREAM_H_
