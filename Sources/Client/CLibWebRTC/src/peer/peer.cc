// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#include "peer/peer.h"

#include <utility>

#include "api/jsep.h"
#include "p2p/client/basic_port_allocator.h"
#include "peer/peer_observers.h"
#include "rtc_base/network_constants.h"

namespace sightline {
namespace {

using PC = webrtc::PeerConnectionInterface;

/// Candidates kept for a remote description that has not come yet; beyond this, someone is misbehaving.
constexpr size_t kMaximumPendingCandidates = 256;

webrtc::RTCError Error(webrtc::RTCErrorType type, std::string message) {
    return webrtc::RTCError(type, std::move(message));
}

}  // namespace

PeerOptions::PeerOptions() {
    configuration.sdp_semantics = webrtc::SdpSemantics::kUnifiedPlan;
    configuration.bundle_policy = PC::kBundlePolicyMaxBundle;
    configuration.rtcp_mux_policy = PC::kRtcpMuxPolicyRequire;
    configuration.tcp_candidate_policy = PC::kTcpCandidatePolicyDisabled;
}

webrtc::RTCErrorOr<std::unique_ptr<Peer>> Peer::Create(
    std::shared_ptr<Engine> engine, PeerOptions options, std::unique_ptr<PeerObserver> observer) {
    std::unique_ptr<Peer> peer(new Peer(std::move(engine), std::move(observer)));
    auto error = peer->Connect(std::move(options));
    if (!error.ok()) return error;
    return peer;
}

Peer::Peer(std::shared_ptr<Engine> engine, std::unique_ptr<PeerObserver> observer)
    : engine_(std::move(engine)),
      alive_(webrtc::PendingTaskSafetyFlag::CreateDetached()),
      observer_(std::move(observer)) {
}

webrtc::RTCError Peer::Connect(PeerOptions options) {
    opus_dtx_ = options.opus_dtx;
    opus_cbr_ = options.opus_cbr;
    webrtc::PeerConnectionDependencies dependencies(this);
    auto allocator = std::make_unique<cricket::BasicPortAllocator>(
        engine_->network_manager(),
        CreateConditionedSocketFactory(
            engine_->socket_factory(), std::move(options.conditioner), options.sending, options.use));
    // The factory's own mask does not reach an allocator of ours.
    allocator->SetNetworkIgnoreMask(options.loopback_only ? ~rtc::ADAPTER_TYPE_LOOPBACK : 0);
    if (!allocator->SetPortRange(options.lowest_port, options.highest_port)) {
        return Error(webrtc::RTCErrorType::INVALID_PARAMETER, "the range of ports is empty");
    }
    dependencies.allocator = std::move(allocator);
    auto made = engine_->factory()->CreatePeerConnectionOrError(
        options.configuration, std::move(dependencies));
    if (!made.ok()) return made.MoveError();
    connection_ = made.MoveValue();
    return webrtc::RTCError::OK();
}

Peer::~Peer() {
    Close();
}

void Peer::Close() {
    // Destroyed on the caller's thread, once nothing can call it any more.
    std::unique_ptr<PeerObserver> observer;
    engine_->OnSignaling([this, &observer] {
        if (!connection_) return;
        // Posted operations that have not begun find the flag down and are dropped, which fails their
        // completions; those that libwebrtc has queued fail as it drops them.
        alive_->SetNotAlive();
        connection_->Close();
        connection_ = nullptr;
        pending_candidates_.clear();
        observer = std::move(observer_);
    });
}

template <typename Task>
void Peer::Post(Task task) {
    engine_->signaling()->PostTask(webrtc::SafeTask(alive_, std::move(task)));
}

webrtc::RTCError Peer::Call(rtc::FunctionView<webrtc::RTCError(PC&)> action) {
    return engine_->OnSignaling([&] {
        return connection_ ? action(*connection_)
                           : Error(webrtc::RTCErrorType::NETWORK_ERROR, kClosedMessage);
    });
}

void Peer::CreateOffer(bool ice_restart, Completion<Description> completion) {
    Post([this, ice_restart, completion = std::move(completion)]() mutable {
        PC::RTCOfferAnswerOptions options;
        options.ice_restart = ice_restart;
        connection_->CreateOffer(CreateObserver::Make(std::move(completion)).get(), options);
    });
}

void Peer::CreateAnswer(Completion<Description> completion) {
    Post([this, completion = std::move(completion)]() mutable {
        connection_->CreateAnswer(CreateObserver::Make(std::move(completion)).get(), {});
    });
}

void Peer::SetLocalDescription(Description description, Completion<Done> completion) {
    Post([this, description = std::move(description), completion = std::move(completion)]() mutable {
        if (description.sdp.empty() && description.type != webrtc::SdpType::kRollback) {
            return connection_->SetLocalDescription(SetLocalObserver::Make(std::move(completion)));
        }
        auto parsed = ParseDescription(description);
        if (!parsed.ok()) return completion.Fail(parsed.MoveError());
        connection_->SetLocalDescription(parsed.MoveValue(), SetLocalObserver::Make(std::move(completion)));
    });
}

void Peer::SetRemoteDescription(Description description, Completion<Done> completion) {
    Post([this, description = std::move(description), completion = std::move(completion)]() mutable {
        auto parsed = ParseDescription(description);
        if (!parsed.ok()) return completion.Fail(parsed.MoveError());
        auto remote = parsed.MoveValue();
        if (opus_dtx_) RequestOfOpus(*remote, "usedtx");
        if (opus_cbr_) RequestOfOpus(*remote, "cbr");
        // The closure below runs on the signalling thread, at the latest while the connection closes.
        Completion<Done> deliver_first(
            [this, completion = std::make_shared<Completion<Done>>(std::move(completion)),
             alive = alive_](webrtc::RTCErrorOr<Done> result) {
                if (result.ok() && alive->alive()) DeliverPendingCandidates();
                completion->Fulfill(std::move(result));
            });
        connection_->SetRemoteDescription(
            std::move(remote), SetRemoteObserver::Make(std::move(deliver_first)));
    });
}

void Peer::LocalDescription(Completion<Description> completion) {
    Post([this, completion = std::move(completion)]() mutable {
        const auto* current = connection_->local_description();
        Description description;
        if (!current || !current->ToString(&description.sdp)) {
            return completion.Fail(
                Error(webrtc::RTCErrorType::INVALID_STATE, "there is no local description yet"));
        }
        description.type = current->GetType();
        completion.Succeed(std::move(description));
    });
}

void Peer::AddCandidate(std::string mid, int line_index, std::string candidate, Completion<Done> completion) {
    if (candidate.empty()) return completion.Succeed({});
    webrtc::SdpParseError error;
    std::unique_ptr<webrtc::IceCandidateInterface> parsed(
        webrtc::CreateIceCandidate(mid, line_index, candidate, &error));
    if (!parsed) return completion.Fail(Error(webrtc::RTCErrorType::SYNTAX_ERROR, error.description));
    Post([this, parsed = std::move(parsed), completion = std::move(completion)]() mutable {
        if (connection_->remote_description()) {
            return connection_->AddIceCandidate(
                std::move(parsed), [completion = std::make_shared<Completion<Done>>(std::move(completion))](
                                       webrtc::RTCError error) {
                    error.ok() ? completion->Succeed({}) : completion->Fail(std::move(error));
                });
        }
        if (pending_candidates_.size() >= kMaximumPendingCandidates) {
            return completion.Fail(Error(
                webrtc::RTCErrorType::RESOURCE_EXHAUSTED,
                "too many candidates before the remote description"));
        }
        pending_candidates_.push_back(std::move(parsed));
        completion.Succeed({});
    });
}

void Peer::DeliverPendingCandidates() {
    for (auto& candidate : std::exchange(pending_candidates_, {})) {
        // One that does not fit the description is skipped, as it would be had it come later.
        connection_->AddIceCandidate(std::move(candidate), [](webrtc::RTCError) {});
    }
}

void Peer::RestartIce() {
    Post([this] { connection_->RestartIce(); });
}

void Peer::GetStats(Completion<StatsReport> completion) {
    Post([this, completion = std::move(completion)]() mutable {
        connection_->GetStats(StatsObserver::Make(std::move(completion)).get());
    });
}

void Peer::OnSignalingChange(PC::SignalingState state) {
    observer_->OnSignalingState(state);
}

void Peer::OnConnectionChange(PC::PeerConnectionState state) {
    observer_->OnConnectionState(state);
}

void Peer::OnStandardizedIceConnectionChange(PC::IceConnectionState state) {
    observer_->OnIceState(state);
}

void Peer::OnIceGatheringChange(PC::IceGatheringState state) {
    observer_->OnGatheringState(state);
}

void Peer::OnNegotiationNeededEvent(uint32_t event_id) {
    if (connection_ && connection_->ShouldFireNegotiationNeededEvent(event_id))
        observer_->OnNegotiationNeeded();
}

void Peer::OnIceCandidate(const webrtc::IceCandidateInterface* candidate) {
    std::string text;
    if (!candidate->ToString(&text)) return;
    observer_->OnCandidate(candidate->sdp_mid(), candidate->sdp_mline_index(), text);
}

void Peer::OnTrack(rtc::scoped_refptr<webrtc::RtpTransceiverInterface> transceiver) {
    observer_->OnTrack(std::move(transceiver));
}

void Peer::OnRemoveTrack(rtc::scoped_refptr<webrtc::RtpReceiverInterface> receiver) {
    observer_->OnTrackRemoved(std::move(receiver));
}

void Peer::OnDataChannel(rtc::scoped_refptr<webrtc::DataChannelInterface> channel) {
    observer_->OnDataChannel(std::move(channel));
}

}  // namespace sightline
