// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "../include/sl_sender.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "abi/abi.h"
#include "absl/strings/match.h"
#include "rtc_base/helpers.h"

using namespace sightline;
using webrtc::RTCError;
using webrtc::RTCErrorType;
using PC = webrtc::PeerConnectionInterface;

struct sl_sender {
    std::shared_ptr<Engine> engine;
    rtc::scoped_refptr<webrtc::RtpTransceiverInterface> transceiver;
    /// Mute outlives the track: a replacement is as audible as what it replaces. Signalling thread only.
    bool enabled = true;
    LiveCount<SL_LIVE_SENDER> count;
};

namespace {

using Track = rtc::scoped_refptr<webrtc::MediaStreamTrackInterface>;

std::string IdOr(const char* id) {
    return id && *id ? id : rtc::CreateRandomUuid();
}

Track MakeTrack(Engine& engine, sl_video_source* source, const std::string& id) {
    if (!source) return nullptr;
    return engine.factory()->CreateVideoTrack(id, source->source->MakeOutlet().get());
}

Track MakeTrack(Engine& engine, sl_audio_source* source, const std::string& id) {
    if (!source) return nullptr;
    return engine.factory()->CreateAudioTrack(id, source->source.get());
}

void Apply(const sl_encoding& from, webrtc::RtpEncodingParameters& to) {
    auto bound = [](auto value) { return value > 0 ? absl::make_optional(value) : absl::nullopt; };
    to.active = from.active;
    to.max_bitrate_bps = bound(static_cast<int>(from.max_bitrate_bps));
    to.min_bitrate_bps = bound(static_cast<int>(from.min_bitrate_bps));
    to.max_framerate = bound(from.max_framerate);
    to.scale_resolution_down_by = std::max(1.0, from.scale_resolution_down_by);
    if (from.scalability_mode && *from.scalability_mode) to.scalability_mode = from.scalability_mode;
}

webrtc::RtpTransceiverInit ToInit(const sl_sender_config& config, bool is_video) {
    webrtc::RtpTransceiverInit init;
    init.direction = config.receives ? webrtc::RtpTransceiverDirection::kSendRecv
                                     : webrtc::RtpTransceiverDirection::kSendOnly;
    init.stream_ids = {IdOr(config.stream_id)};
    for (size_t i = 0; config.encodings && i < config.encoding_count; i++) {
        auto& encoding = init.send_encodings.emplace_back();
        encoding.rid = TextOr(config.encodings[i].rid, "");
        Apply(config.encodings[i], encoding);
        // libwebrtc refuses a scale on audio.
        if (!is_video) encoding.scale_resolution_down_by.reset();
    }
    return init;
}

/// Leaves only `codec` and its retransmissions; all codecs if it is null.
RTCError PreferCodec(Engine& engine, webrtc::RtpTransceiverInterface& transceiver, const char* codec) {
    if (!codec || !*codec) return RTCError::OK();
    std::vector<webrtc::RtpCodecCapability> wanted;
    bool found = false;
    for (auto& each : engine.factory()->GetRtpSenderCapabilities(transceiver.media_type()).codecs) {
        bool is_codec = absl::EqualsIgnoreCase(each.name, codec);
        found = found || is_codec;
        if (is_codec || each.name == "rtx") wanted.push_back(each);
    }
    if (!found) return RTCError(RTCErrorType::UNSUPPORTED_PARAMETER, std::string("no such codec: ") + codec);
    return transceiver.SetCodecPreferences(wanted);
}

template <typename Source>
sl_sender* AddSender(
    sl_peer* peer, cricket::MediaType kind, Source* source, const sl_sender_config* config, sl_error* error) {
    FillError(error, SL_OK, "");
    if (!peer || !config) {
        FillError(error, SL_INVALID_ARGUMENT, "a sender needs a peer connection and a configuration");
        return nullptr;
    }
    auto& engine = *peer->peer->engine();
    rtc::scoped_refptr<webrtc::RtpTransceiverInterface> transceiver;
    auto outcome = peer->peer->Call([&](PC& connection) {
        auto track = MakeTrack(engine, source, IdOr(config->track_id));
        auto init = ToInit(*config, kind == cricket::MEDIA_TYPE_VIDEO);
        auto added = track ? connection.AddTransceiver(track, init) : connection.AddTransceiver(kind, init);
        if (!added.ok()) return added.MoveError();
        transceiver = added.MoveValue();
        auto preferred = PreferCodec(engine, *transceiver, config->codec);
        if (!preferred.ok()) transceiver->StopStandard();
        return preferred;
    });
    if (!Report(error, outcome)) return nullptr;
    return new sl_sender{peer->peer->engine(), std::move(transceiver)};
}

/// Runs `action` on the signalling thread, unless the sender has stopped, as it has when its peer is closed.
template <typename Action>
bool OnSender(sl_sender* sender, sl_error* error, Action action) {
    FillError(error, SL_OK, "");
    if (!sender) {
        FillError(error, SL_INVALID_ARGUMENT, "there is no sender");
        return false;
    }
    return Report(error, sender->engine->OnSignaling([&] {
        if (sender->transceiver->stopped())
            return RTCError(RTCErrorType::NETWORK_ERROR, "the sender has stopped");
        return action(*sender);
    }));
}

template <typename Source>
bool Replace(sl_sender* sender, Source* source, sl_error* error) {
    return OnSender(sender, error, [source](sl_sender& sender) {
        auto track = MakeTrack(*sender.engine, source, rtc::CreateRandomUuid());
        if (track) track->set_enabled(sender.enabled);
        if (sender.transceiver->sender()->SetTrack(track.get())) return RTCError::OK();
        return RTCError(RTCErrorType::INVALID_STATE, "the sender sends another kind of media");
    });
}

}  // namespace

sl_sender* sl_peer_add_video(
    sl_peer* peer, sl_video_source* source, const sl_sender_config* config, sl_error* error) {
    return AddSender(peer, cricket::MEDIA_TYPE_VIDEO, source, config, error);
}

sl_sender* sl_peer_add_audio(
    sl_peer* peer, sl_audio_source* source, const sl_sender_config* config, sl_error* error) {
    return AddSender(peer, cricket::MEDIA_TYPE_AUDIO, source, config, error);
}

bool sl_peer_add_receiver(sl_peer* peer, int32_t kind, const char* codec, sl_error* error) {
    FillError(error, SL_OK, "");
    if (!peer || (kind != SL_MEDIA_AUDIO && kind != SL_MEDIA_VIDEO)) {
        FillError(error, SL_INVALID_ARGUMENT, "a receiver needs a peer connection and a kind of media");
        return false;
    }
    return Report(error, peer->peer->Call([&](PC& connection) {
        webrtc::RtpTransceiverInit init;
        init.direction = webrtc::RtpTransceiverDirection::kRecvOnly;
        auto type = kind == SL_MEDIA_VIDEO ? cricket::MEDIA_TYPE_VIDEO : cricket::MEDIA_TYPE_AUDIO;
        auto added = connection.AddTransceiver(type, init);
        if (!added.ok()) return added.MoveError();
        auto preferred = PreferCodec(*peer->peer->engine(), *added.value(), codec);
        if (!preferred.ok()) added.value()->StopStandard();
        return preferred;
    }));
}

void sl_sender_destroy(sl_sender* sender) {
    if (sender) RunOffEngine([sender] { delete sender; });
}

bool sl_sender_replace_video(sl_sender* sender, sl_video_source* source, sl_error* error) {
    return Replace(sender, source, error);
}

bool sl_sender_replace_audio(sl_sender* sender, sl_audio_source* source, sl_error* error) {
    return Replace(sender, source, error);
}

void sl_sender_set_enabled(sl_sender* sender, bool enabled) {
    OnSender(sender, nullptr, [enabled](sl_sender& sender) {
        sender.enabled = enabled;
        if (auto track = sender.transceiver->sender()->track()) track->set_enabled(enabled);
        return RTCError::OK();
    });
}

bool sl_sender_set_encoding(sl_sender* sender, size_t index, const sl_encoding* encoding, sl_error* error) {
    return OnSender(sender, error, [&](sl_sender& sender) {
        auto rtp = sender.transceiver->sender();
        auto parameters = rtp->GetParameters();
        if (!encoding || index >= parameters.encodings.size()) {
            return RTCError(RTCErrorType::INVALID_RANGE, "there is no such encoding");
        }
        auto& target = parameters.encodings[index];
        Apply(*encoding, target);
        if (rtp->media_type() == cricket::MEDIA_TYPE_AUDIO) target.scale_resolution_down_by.reset();
        return rtp->SetParameters(parameters);
    });
}

bool sl_sender_set_degradation(sl_sender* sender, int32_t preference, sl_error* error) {
    return OnSender(sender, error, [preference](sl_sender& sender) {
        auto known = preference >= SL_DEGRADATION_DISABLED && preference <= SL_DEGRADATION_BALANCED;
        auto parameters = sender.transceiver->sender()->GetParameters();
        parameters.degradation_preference = static_cast<webrtc::DegradationPreference>(
            known ? preference : SL_DEGRADATION_BALANCED);
        return sender.transceiver->sender()->SetParameters(parameters);
    });
}

size_t sl_sender_encoding_count(sl_sender* sender) {
    size_t count = 0;
    OnSender(sender, nullptr, [&count](sl_sender& sender) {
        count = sender.transceiver->sender()->GetParameters().encodings.size();
        return RTCError::OK();
    });
    return count;
}

bool sl_sender_stop(sl_sender* sender, sl_error* error) {
    return OnSender(sender, error, [](sl_sender& sender) { return sender.transceiver->StopStandard(); });
}

size_t sl_sender_mid(sl_sender* sender, char* buffer, size_t capacity) {
    std::string mid;
    OnSender(sender, nullptr, [&mid](sl_sender& sender) {
        mid = sender.transceiver->mid().value_or("");
        return RTCError::OK();
    });
    if (buffer && capacity > 0) {
        auto length = std::min(mid.size(), capacity - 1);
        std::memcpy(buffer, mid.data(), length);
        buffer[length] = 0;
    }
    return mid.size();
}
