// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/guarded_call.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "call/call.h"
#include "modules/rtp_rtcp/source/byte_io.h"
#include "modules/rtp_rtcp/include/rtp_header_extension_map.h"
#include "modules/rtp_rtcp/source/rtp_header_extensions.h"
#include "modules/rtp_rtcp/source/rtp_packet.h"
#include "modules/rtp_rtcp/source/rtp_util.h"
#include "router/congestion.h"
#include "router/dated_audio_stream.h"
#include "router/feedback_gate.h"
#include "router/keyed_digest.h"
#include "router/leg_wiring.h"
#include "router/path_timing.h"
#include "router/sequence_gate.h"
#include "router/tapped_audio_stream.h"
#include "rtc_base/time_utils.h"

namespace sightline {

namespace {

/// RFC 4588: the number of the packet that is sent again comes before its payload.
constexpr size_t kOriginalNumberBytes = 2;

/// The received video streams of a call, by the SSRCs of their packets. Worker thread only, as all that
/// receives.
class VideoGates {
public:
    void Add(webrtc::VideoReceiveStreamInterface* stream, uint32_t ssrc, uint32_t rtx_ssrc) {
        auto gate = std::make_shared<SequenceGate>();
        if (rtx_ssrc != 0) sources_[rtx_ssrc] = {stream, gate, true};
        sources_[ssrc] = {stream, std::move(gate), false};
    }
    void Remove(webrtc::VideoReceiveStreamInterface* stream) {
        std::erase_if(sources_, [stream](const auto& entry) { return entry.second.stream == stream; });
    }
    bool Has(uint32_t ssrc) const { return sources_.count(ssrc) > 0; }
    bool Admit(const rtc::CopyOnWriteBuffer& buffer, uint32_t ssrc) {
        const auto found = sources_.find(ssrc);
        // What belongs to no stream is libwebrtc's to refuse, and comes again when a stream was made for it.
        if (found == sources_.end()) return true;
        Source& source = found->second;
        const webrtc::RtpHeaderExtensionMap extensions = source.stream->GetRtpExtensionMap();
        webrtc::RtpPacket packet(&extensions);
        // As libwebrtc, which would drop it as well.
        if (!packet.Parse(buffer)) return false;
        // It puts packets that its sender hears nothing of through an estimator of its own, which aborts after some megabytes
        // of them in one moment.
        if (!packet.HasExtension<webrtc::TransportSequenceNumber>()) return false;
        const auto read = Read(packet, source.is_rtx);
        return !read || source.gate->Admit(*read, rtc::TimeMillis());
    }

private:
    struct Source {
        webrtc::VideoReceiveStreamInterface* stream = nullptr;
        std::shared_ptr<SequenceGate> gate;
        bool is_rtx = false;
    };

    /// None where nothing is sent again: libwebrtc ignores such a packet.
    std::optional<SequenceGate::Packet> Read(const webrtc::RtpPacket& packet, bool is_rtx) const {
        auto payload = packet.payload();
        uint16_t number = packet.SequenceNumber();
        if (is_rtx) {
            if (payload.size() < kOriginalNumberBytes) return std::nullopt;
            number = webrtc::ByteReader<uint16_t>::ReadBigEndian(payload.data());
            payload = payload.subview(kOriginalNumberBytes);
        }
        return SequenceGate::Packet{
            number, packet.Timestamp(), payload.empty(), packet.Marker(), digest_.Of({payload.data(), payload.size()})};
    }

    const KeyedDigest digest_;
    std::map<uint32_t, Source> sources_;
};

/// What a client's packets show of its path, by their send times. Worker thread only.
class ReceivedPath {
public:
    /// `leg` is notified; null if no one is.
    explicit ReceivedPath(std::shared_ptr<LegCongestion> leg) : leg_(std::move(leg)) {}

    /// Those of a stream. Engines give an extension the same id in a whole bundle; a sender that does not only spoils its own
    /// figures.
    void Learn(const std::vector<webrtc::RtpExtension>& extensions) {
        for (const auto& extension : extensions) {
            if (extension.uri != webrtc::AbsoluteSendTime::Uri()) continue;
            extensions_ = webrtc::RtpHeaderExtensionMap();
            extensions_.Register<webrtc::AbsoluteSendTime>(extension.id);
        }
    }
    /// \param time_us As libwebrtc has it: of the system's clock where the socket says it, else monotonic; -1 if unknown.
    void OnPacket(const rtc::CopyOnWriteBuffer& buffer, int64_t time_us) {
        if (!leg_ || !extensions_.IsRegistered(webrtc::AbsoluteSendTime::kId)) return;
        webrtc::RtpPacket packet(&extensions_);
        uint32_t send_time = 0;
        if (!packet.Parse(buffer) || !packet.GetExtension<webrtc::AbsoluteSendTime>(&send_time)) return;
        // One clock is read after the other: packets of the same moment may change places by microseconds.
        arrival_us_ = std::max(arrival_us_, Arrival(time_us));
        leg_->OnPacket(send_times_.OnPacket(send_time), arrival_us_, buffer.size());
    }

private:
    /// By the monotonic clock. A time that is long ago, or yet to come, is of a clock that was set.
    static int64_t Arrival(int64_t time_us) {
        constexpr int64_t kLongestUs = 500'000;
        const int64_t now_us = rtc::TimeMicros();
        for (const int64_t age_us : {now_us - time_us, rtc::TimeUTCMicros() - time_us}) {
            if (age_us >= 0 && age_us <= kLongestUs) return now_us - age_us;
        }
        return now_us;
    }

    const std::shared_ptr<LegCongestion> leg_;
    webrtc::RtpHeaderExtensionMap extensions_;
    int64_t arrival_us_ = 0;
    SendTimes send_times_;
};

/// Hands everything on but video packets that its gates refuse. Audio that is sent is a `DatedAudioStream`, and audio that is
/// received a `TappedAudioStream`.
class GuardedCall final : public webrtc::Call, private webrtc::PacketReceiver {
public:
    /// `leg` is that of the leg whose call it is; empty if that is unknown.
    GuardedCall(std::unique_ptr<webrtc::Call> call, LegWiring leg)
        : call_(std::move(call)), audio_tap_(std::move(leg.audio_tap)), path_(std::move(leg.congestion)) {}

    webrtc::VideoReceiveStreamInterface* CreateVideoReceiveStream(
        webrtc::VideoReceiveStreamInterface::Config config) override {
        const uint32_t ssrc = config.rtp.remote_ssrc;
        const uint32_t rtx_ssrc = config.rtp.rtx_ssrc;
        path_.Learn(config.rtp.extensions);
        // Nothing is played out here; what the clocks of a client say would only move playout about.
        config.sync_group.clear();
        auto* stream = call_->CreateVideoReceiveStream(std::move(config));
        gates_.Add(stream, ssrc, rtx_ssrc);
        return stream;
    }
    void DestroyVideoReceiveStream(webrtc::VideoReceiveStreamInterface* stream) override {
        gates_.Remove(stream);
        call_->DestroyVideoReceiveStream(stream);
    }
    webrtc::PacketReceiver* Receiver() override { return this; }

    webrtc::AudioSendStream* CreateAudioSendStream(const webrtc::AudioSendStream::Config& config) override {
        auto stream = std::make_unique<DatedAudioStream>(*call_, config);
        return dated_.emplace(stream.get(), std::move(stream)).first->first;
    }
    void DestroyAudioSendStream(webrtc::AudioSendStream* stream) override { dated_.erase(stream); }
    webrtc::AudioReceiveStreamInterface* CreateAudioReceiveStream(
        const webrtc::AudioReceiveStreamInterface::Config& config) override {
        path_.Learn(config.rtp.extensions);
        auto stream =
            std::make_unique<TappedAudioStream>(*call_, config, audio_tap_ ? audio_tap_() : nullptr);
        return tapped_.emplace(stream.get(), std::move(stream)).first->first;
    }
    void DestroyAudioReceiveStream(webrtc::AudioReceiveStreamInterface* stream) override {
        tapped_.erase(stream);
    }
    webrtc::VideoSendStream* CreateVideoSendStream(
        webrtc::VideoSendStream::Config config, webrtc::VideoEncoderConfig encoder) override {
        return call_->CreateVideoSendStream(std::move(config), std::move(encoder));
    }
    webrtc::VideoSendStream* CreateVideoSendStream(
        webrtc::VideoSendStream::Config config, webrtc::VideoEncoderConfig encoder,
        std::unique_ptr<webrtc::FecController> fec) override {
        return call_->CreateVideoSendStream(std::move(config), std::move(encoder), std::move(fec));
    }
    void DestroyVideoSendStream(webrtc::VideoSendStream* stream) override {
        call_->DestroyVideoSendStream(stream);
    }
    webrtc::FlexfecReceiveStream* CreateFlexfecReceiveStream(
        const webrtc::FlexfecReceiveStream::Config config) override {
        return call_->CreateFlexfecReceiveStream(config);
    }
    void DestroyFlexfecReceiveStream(webrtc::FlexfecReceiveStream* stream) override {
        call_->DestroyFlexfecReceiveStream(stream);
    }
    void AddAdaptationResource(rtc::scoped_refptr<webrtc::Resource> resource) override {
        call_->AddAdaptationResource(std::move(resource));
    }
    webrtc::RtpTransportControllerSendInterface* GetTransportControllerSend() override {
        return call_->GetTransportControllerSend();
    }
    Stats GetStats() const override { return call_->GetStats(); }
    void SignalChannelNetworkState(webrtc::MediaType media, webrtc::NetworkState state) override {
        call_->SignalChannelNetworkState(media, state);
    }
    void OnAudioTransportOverheadChanged(int bytes_per_packet) override {
        call_->OnAudioTransportOverheadChanged(bytes_per_packet);
    }
    void OnLocalSsrcUpdated(webrtc::AudioReceiveStreamInterface& stream, uint32_t ssrc) override {
        call_->OnLocalSsrcUpdated(OfCall(stream), ssrc);
    }
    void OnLocalSsrcUpdated(webrtc::VideoReceiveStreamInterface& stream, uint32_t ssrc) override {
        call_->OnLocalSsrcUpdated(stream, ssrc);
    }
    void OnLocalSsrcUpdated(webrtc::FlexfecReceiveStream& stream, uint32_t ssrc) override {
        call_->OnLocalSsrcUpdated(stream, ssrc);
    }
    /// See `CreateVideoReceiveStream`.
    void OnUpdateSyncGroup(webrtc::AudioReceiveStreamInterface&, absl::string_view) override {}
    void OnSentPacket(const rtc::SentPacket& packet) override { call_->OnSentPacket(packet); }
    void SetClientBitratePreferences(const webrtc::BitrateSettings& preferences) override {
        call_->SetClientBitratePreferences(preferences);
    }
    const webrtc::FieldTrialsView& trials() const override { return call_->trials(); }
    webrtc::TaskQueueBase* network_thread() const override { return call_->network_thread(); }
    webrtc::TaskQueueBase* worker_thread() const override { return call_->worker_thread(); }

private:
    /// The call knows none but its own, and whoever calls this has none but those made here.
    static webrtc::AudioReceiveStreamInterface& OfCall(webrtc::AudioReceiveStreamInterface& stream) {
        return static_cast<TappedAudioStream&>(stream).stream();
    }

    /// Whether there is a stream of a kind that has an SSRC.
    bool Has(webrtc::MediaType kind, uint32_t ssrc) const {
        if (kind == webrtc::MediaType::VIDEO) return gates_.Has(ssrc);
        return std::any_of(tapped_.begin(), tapped_.end(), [ssrc](const auto& entry) {
            return entry.second->remote_ssrc() == ssrc;
        });
    }

    DeliveryStatus DeliverPacket(
        webrtc::MediaType media, rtc::CopyOnWriteBuffer packet, int64_t time_us) override {
        const bool is_media = webrtc::IsRtpPacket(packet);
        const bool is_audio = media == webrtc::MediaType::AUDIO;
        const uint32_t ssrc = is_media ? webrtc::ParseRtpSsrc(packet) : 0;
        // By its mid a packet comes here though its SSRC is signalled for the other kind. The call tells streams apart by their
        // SSRCs alone: it would make another of that SSRC, forget it with the first, and abort on the packet after that.
        const auto other = is_audio ? webrtc::MediaType::VIDEO : webrtc::MediaType::AUDIO;
        if (is_media && Has(other, ssrc)) return DELIVERY_PACKET_ERROR;
        if (!is_media) feedback_.Correct({packet.MutableData(), packet.size()}, rtc::TimeMillis());
        if (is_media && !is_audio && !gates_.Admit(packet, ssrc)) return DELIVERY_PACKET_ERROR;
        const DeliveryStatus status = call_->Receiver()->DeliverPacket(media, packet, time_us);
        // The call has forgotten a stream that there is: it shared its SSRC with one that ended. Whoever hears that there is
        // none makes it again, and aborts.
        if (is_media && status == DELIVERY_UNKNOWN_SSRC && Has(media, ssrc)) return DELIVERY_PACKET_ERROR;
        // One of a source that is not known yet comes again.
        if (is_media && status == DELIVERY_OK) path_.OnPacket(packet, time_us);
        return status;
    }

    const std::unique_ptr<webrtc::Call> call_;
    const AudioTapFactory audio_tap_;
    VideoGates gates_;
    FeedbackGate feedback_;
    ReceivedPath path_;
    std::map<webrtc::AudioSendStream*, std::unique_ptr<DatedAudioStream>> dated_;
    std::map<webrtc::AudioReceiveStreamInterface*, std::unique_ptr<TappedAudioStream>> tapped_;
};

class GuardedCallFactory final : public webrtc::CallFactoryInterface {
public:
    webrtc::Call* CreateCall(const webrtc::CallConfig& config) override {
        return new GuardedCall(
            std::unique_ptr<webrtc::Call>(calls_->CreateCall(config)), WiringOf(config.event_log));
    }

private:
    const std::unique_ptr<webrtc::CallFactoryInterface> calls_ = webrtc::CreateCallFactory();
};

}  // namespace

std::unique_ptr<webrtc::CallFactoryInterface> CreateGuardedCallFactory() {
    return std::make_unique<GuardedCallFactory>();
}

}  // namespace sightline
