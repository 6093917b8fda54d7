// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include <mutex>
#include <utility>

#include "abi/abi.h"
#include "media/saturation.h"
#include "peer/stats_walk.h"

using namespace sightline;
using PC = webrtc::PeerConnectionInterface;

struct sl_stats_report {
    /// Passes through a lock on its way in, as every reader does: a hand-over between threads that a thread
    /// sanitizer can follow, whatever brings the report from one to the other.
    explicit sl_stats_report(StatsReport made) {
        std::lock_guard lock(mutex);
        report = std::move(made);
    }

    StatsReport report;
    mutable std::mutex mutex;
};

namespace {

/// Passes events to C functions. Makes the handles that the receivers then own.
class CallbackObserver : public PeerObserver {
public:
    CallbackObserver(std::shared_ptr<Engine> engine, const sl_peer_callbacks& callbacks)
        : engine_(std::move(engine)), callbacks_(callbacks) {}
    ~CallbackObserver() override {
        if (callbacks_.release) callbacks_.release(callbacks_.context);
    }

    void OnSignalingState(PC::SignalingState state) override { Tell(callbacks_.on_signaling_state, state); }
    void OnConnectionState(PC::PeerConnectionState state) override {
        Tell(callbacks_.on_connection_state, state);
    }
    void OnIceState(PC::IceConnectionState state) override { Tell(callbacks_.on_ice_state, state); }
    void OnGatheringState(PC::IceGatheringState state) override {
        Tell(callbacks_.on_gathering_state, state);
    }
    void OnNegotiationNeeded() override {
        if (callbacks_.on_negotiation_needed) callbacks_.on_negotiation_needed(callbacks_.context);
    }
    void OnCandidate(const std::string& mid, int line_index, const std::string& candidate) override {
        if (!callbacks_.on_candidate) return;
        callbacks_.on_candidate(callbacks_.context, mid.c_str(), line_index, candidate.c_str());
    }
    void OnTrack(rtc::scoped_refptr<webrtc::RtpTransceiverInterface> transceiver) override {
        if (!callbacks_.on_track) return;
        callbacks_.on_track(callbacks_.context, MakeRemoteTrack(engine_, std::move(transceiver)));
    }
    void OnTrackRemoved(rtc::scoped_refptr<webrtc::RtpReceiverInterface> receiver) override {
        if (!callbacks_.on_track_removed) return;
        callbacks_.on_track_removed(callbacks_.context, receiver->track()->id().c_str());
    }
    void OnDataChannel(rtc::scoped_refptr<webrtc::DataChannelInterface> channel) override {
        if (!callbacks_.on_data_channel) return;
        callbacks_.on_data_channel(callbacks_.context, MakeDataChannel(engine_, std::move(channel)));
    }

private:
    template <typename State>
    void Tell(void (*callback)(void*, int32_t), State state) {
        if (callback) callback(callbacks_.context, static_cast<int32_t>(state));
    }

    const std::shared_ptr<Engine> engine_;
    const sl_peer_callbacks callbacks_;
};

/// Whether a number of this ABI is libwebrtc's.
template <typename Theirs, typename Ours>
constexpr bool Same(Theirs theirs, Ours ours) {
    return static_cast<int>(theirs) == static_cast<int>(ours);
}

static_assert(Same(PC::kHaveRemotePrAnswer, SL_SIGNALING_HAVE_REMOTE_PRANSWER));
static_assert(Same(PC::kClosed, SL_SIGNALING_CLOSED));
static_assert(Same(PC::PeerConnectionState::kClosed, SL_CONNECTION_CLOSED));
static_assert(Same(PC::kIceConnectionFailed, SL_ICE_FAILED) && Same(PC::kIceConnectionClosed, SL_ICE_CLOSED));
static_assert(Same(PC::kIceGatheringComplete, SL_GATHERING_COMPLETE));
static_assert(
    Same(webrtc::SdpType::kAnswer, SL_SDP_ANSWER) && Same(webrtc::SdpType::kRollback, SL_SDP_ROLLBACK));

PC::IceServer ToServer(const sl_ice_server& server) {
    PC::IceServer made;
    for (size_t i = 0; server.urls && i < server.url_count; i++)
        made.urls.push_back(TextOr(server.urls[i], ""));
    made.username = TextOr(server.username, "");
    made.password = TextOr(server.password, "");
    return made;
}

PeerOptions ToOptions(const sl_peer_config& config) {
    PeerOptions options;
    for (size_t i = 0; config.ice_servers && i < config.ice_server_count; i++) {
        options.configuration.servers.push_back(ToServer(config.ice_servers[i]));
    }
    if (config.transport_policy == SL_TRANSPORT_RELAY) options.configuration.type = PC::kRelay;
    options.loopback_only = config.loopback_only;
    options.opus_dtx = config.opus_dtx;
    options.opus_cbr = config.opus_cbr;
    if (config.can_saturate) AllowSaturation(options.configuration);
    if (config.conditioner) options.conditioner = config.conditioner->conditioner;
    return options;
}

Completion<Description> MakeDescriptionCompletion(void* context, sl_description_fn done) {
    return Completion<Description>([context, done](webrtc::RTCErrorOr<Description> result) {
        if (!done) return;
        if (result.ok()) {
            const auto& made = result.value();
            return done(context, nullptr, static_cast<int32_t>(made.type), made.sdp.c_str());
        }
        auto error = MakeError(result.error());
        done(context, &error, SL_SDP_OFFER, nullptr);
    });
}

Completion<StatsReport> MakeStatsCompletion(void* context, sl_stats_fn done) {
    return Completion<StatsReport>([context, done](webrtc::RTCErrorOr<StatsReport> result) {
        if (!done) return;
        if (result.ok()) return done(context, nullptr, new sl_stats_report{result.MoveValue()});
        auto error = MakeError(result.error());
        done(context, &error, nullptr);
    });
}

/// Fails `completion` if there is no peer or no such type of description.
bool IsUsable(sl_peer* peer, int32_t type, Completion<Done>& completion) {
    if (peer && type >= SL_SDP_OFFER && type <= SL_SDP_ROLLBACK) return true;
    completion.Fail(webrtc::RTCError(webrtc::RTCErrorType::INVALID_PARAMETER, "no peer, or an unknown type"));
    return false;
}

}  // namespace

sl_peer* sl_peer_create(
    sl_engine* engine, const sl_peer_config* config, const sl_peer_callbacks* callbacks, sl_error* error) {
    FillError(error, SL_OK, "");
    auto shared = engine ? engine->engine : nullptr;
    auto observer = std::make_unique<CallbackObserver>(shared, callbacks ? *callbacks : sl_peer_callbacks{});
    if (!shared || !config) {
        FillError(error, SL_INVALID_ARGUMENT, "a peer connection needs an engine and a configuration");
        return nullptr;
    }
    auto made = Peer::Create(std::move(shared), ToOptions(*config), std::move(observer));
    if (made.ok()) return new sl_peer{made.MoveValue()};
    FillError(error, made.error());
    return nullptr;
}

void sl_peer_close(sl_peer* peer) {
    if (peer) peer->peer->Close();
}

void sl_peer_destroy(sl_peer* peer) {
    if (peer) RunOffEngine([peer] { delete peer; });
}

void sl_peer_create_offer(sl_peer* peer, bool ice_restart, void* context, sl_description_fn done) {
    auto completion = MakeDescriptionCompletion(context, done);
    if (peer) peer->peer->CreateOffer(ice_restart, std::move(completion));
}

void sl_peer_create_answer(sl_peer* peer, void* context, sl_description_fn done) {
    auto completion = MakeDescriptionCompletion(context, done);
    if (peer) peer->peer->CreateAnswer(std::move(completion));
}

void sl_peer_set_local_description(
    sl_peer* peer, int32_t type, const char* sdp, void* context, sl_done_fn done) {
    auto completion = MakeCompletion(context, done);
    if (!IsUsable(peer, type, completion)) return;
    peer->peer->SetLocalDescription(
        {static_cast<webrtc::SdpType>(type), TextOr(sdp, "")}, std::move(completion));
}

void sl_peer_set_remote_description(
    sl_peer* peer, int32_t type, const char* sdp, void* context, sl_done_fn done) {
    auto completion = MakeCompletion(context, done);
    if (!IsUsable(peer, type, completion)) return;
    peer->peer->SetRemoteDescription(
        {static_cast<webrtc::SdpType>(type), TextOr(sdp, "")}, std::move(completion));
}

void sl_peer_local_description(sl_peer* peer, void* context, sl_description_fn done) {
    auto completion = MakeDescriptionCompletion(context, done);
    if (peer) peer->peer->LocalDescription(std::move(completion));
}

void sl_peer_add_candidate(
    sl_peer* peer, const char* mid, int32_t line_index, const char* candidate, void* context,
    sl_done_fn done) {
    auto completion = MakeCompletion(context, done);
    if (!peer) return;
    peer->peer->AddCandidate(TextOr(mid, ""), line_index, TextOr(candidate, ""), std::move(completion));
}

void sl_peer_restart_ice(sl_peer* peer) {
    if (peer) peer->peer->RestartIce();
}

bool sl_peer_set_bitrate(
    sl_peer* peer, int32_t min_bps, int32_t start_bps, int32_t max_bps, sl_error* error) {
    FillError(error, SL_OK, "");
    if (!peer) return false;
    webrtc::BitrateSettings bounds;
    if (min_bps > 0) bounds.min_bitrate_bps = min_bps;
    if (start_bps > 0) bounds.start_bitrate_bps = start_bps;
    if (max_bps > 0) bounds.max_bitrate_bps = max_bps;
    return Report(error, peer->peer->Call([&](PC& connection) { return connection.SetBitrate(bounds); }));
}

bool sl_peer_saturate(sl_peer* peer, int32_t bitrate_bps, sl_error* error) {
    FillError(error, SL_OK, "");
    if (!peer || bitrate_bps <= 0) {
        FillError(error, SL_INVALID_ARGUMENT, "saturation needs a peer connection and a bitrate above 0");
        return false;
    }
    return Report(error, peer->peer->Call([&](PC& connection) {
        if (!connection.GetConfiguration().suspend_below_min_bitrate()) {
            return webrtc::RTCError(
                webrtc::RTCErrorType::INVALID_STATE, "the peer connection was not made to be saturated");
        }
        return BeginSaturation(connection, bitrate_bps);
    }));
}

bool sl_peer_end_saturation(sl_peer* peer, int32_t start_bps, int32_t max_video_bps, sl_error* error) {
    FillError(error, SL_OK, "");
    if (!peer || start_bps <= 0 || max_video_bps < 0) {
        FillError(error, SL_INVALID_ARGUMENT, "the start rate after saturation is above 0, the video's not below");
        return false;
    }
    webrtc::BitrateSettings after;
    after.start_bitrate_bps = start_bps;
    return Report(error, peer->peer->Call([&](PC& connection) {
        return EndSaturation(connection, after, max_video_bps);
    }));
}

void sl_peer_get_stats(sl_peer* peer, void* context, sl_stats_fn done) {
    auto completion = MakeStatsCompletion(context, done);
    if (peer) peer->peer->GetStats(std::move(completion));
}

void sl_stats_report_walk(const sl_stats_report* report, void* context, sl_stats_object_fn visit) {
    if (!report || !visit) return;
    std::lock_guard lock(report->mutex);
    WalkStats(*report->report, context, visit);
}

void sl_stats_report_destroy(sl_stats_report* report) {
    delete report;
}
