// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#ifndef SIGHTLINE_PEER_H
#define SIGHTLINE_PEER_H

#include "peer/engine_prelude.h"

#include <memory>
#include <string>
#include <vector>

#include "api/function_view.h"
#include "api/peer_connection_interface.h"
#include "api/stats/rtc_stats_report.h"
#include "api/task_queue/pending_task_safety_flag.h"
#include "abi/completion.h"
#include "emulation/conditioner.h"
#include "peer/descriptions.h"
#include "peer/engine.h"
#include "abi/live_count.h"

namespace sightline {

/// Hears what happens to a `Peer`. All calls come on the signalling thread and must return at once; none
/// comes after `Peer::Close` has returned.
class PeerObserver {
public:
    virtual ~PeerObserver() = default;
    virtual void OnSignalingState(webrtc::PeerConnectionInterface::SignalingState) {}
    virtual void OnConnectionState(webrtc::PeerConnectionInterface::PeerConnectionState) {}
    virtual void OnIceState(webrtc::PeerConnectionInterface::IceConnectionState) {}
    virtual void OnGatheringState(webrtc::PeerConnectionInterface::IceGatheringState) {}
    virtual void OnNegotiationNeeded() {}
    /// `candidate` is the line without "a=".
    virtual void OnCandidate(const std::string& mid, int line_index, const std::string& candidate) {}
    virtual void OnTrack(rtc::scoped_refptr<webrtc::RtpTransceiverInterface>) {}
    virtual void OnTrackRemoved(rtc::scoped_refptr<webrtc::RtpReceiverInterface>) {}
    virtual void OnDataChannel(rtc::scoped_refptr<webrtc::DataChannelInterface>) {}
};

/// How a `Peer` is set up.
struct PeerOptions {
    /// Unified plan, max-bundle, RTCP multiplexed, no TCP candidates.
    PeerOptions();

    webrtc::PeerConnectionInterface::RTCConfiguration configuration;
    /// Gathers candidates on the loopback interface only; otherwise on every interface, loopback included.
    bool loopback_only = false;
    /// UDP ports that it may take, both included; 0 for any.
    int lowest_port = 0;
    int highest_port = 0;
    /// Sends Opus with discontinuous transmission.
    bool opus_dtx = false;
    /// Sends Opus at a constant rate.
    bool opus_cbr = false;
    /// The emulated network; null for none.
    std::shared_ptr<Conditioner> conditioner;
    /// Where in it is what the peer connection sends: up at its client, down at the other end.
    Direction sending = Direction::up;
    /// What its datagrams are for.
    DatagramUse use = DatagramUse::kMediaAndData;
};

using StatsReport = rtc::scoped_refptr<const webrtc::RTCStatsReport>;

/// A libwebrtc peer connection with its observer, network and operations.
///
/// Operations return at once and complete on the signalling thread, each exactly once, at the latest when the
/// peer closes. All functions may be called on any thread but the engine's own; `connection()` is libwebrtc's
/// thread-safe proxy, whose calls wait for the signalling thread.
class Peer final : private webrtc::PeerConnectionObserver {
public:
    static webrtc::RTCErrorOr<std::unique_ptr<Peer>> Create(
        std::shared_ptr<Engine> engine, PeerOptions options, std::unique_ptr<PeerObserver> observer);

    /// Closes. Waits for the signalling thread, so never on an engine thread (see `RunOffEngine`).
    ~Peer() override;
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    const std::shared_ptr<Engine>& engine() const { return engine_; }
    /// Null after `Close`.
    webrtc::PeerConnectionInterface* connection() const { return connection_.get(); }
    /// Runs `action` on the signalling thread and waits for it; a `NETWORK_ERROR` when the peer is closed.
    webrtc::RTCError Call(rtc::FunctionView<webrtc::RTCError(webrtc::PeerConnectionInterface&)> action);

    void CreateOffer(bool ice_restart, Completion<Description> completion);
    void CreateAnswer(Completion<Description> completion);
    /// Without a text, the engine makes the description that fits its state.
    void SetLocalDescription(Description description, Completion<Done> completion);
    /// Also hands over the candidates that came before it.
    void SetRemoteDescription(Description description, Completion<Done> completion);
    /// The current local description with the candidates gathered so far.
    void LocalDescription(Completion<Description> completion);
    /// Takes a remote candidate, in any order with the remote description: until that is set, candidates
    /// wait. An empty candidate (end of candidates) is accepted and ignored.
    void AddCandidate(std::string mid, int line_index, std::string candidate, Completion<Done> completion);
    /// Makes the next offer restart ICE.
    void RestartIce();
    void GetStats(Completion<StatsReport> completion);

    /// Ends the connection and every operation; the observer receives nothing afterwards. May be called
    /// twice.
    void Close();

private:
    Peer(std::shared_ptr<Engine> engine, std::unique_ptr<PeerObserver> observer);
    webrtc::RTCError Connect(PeerOptions options);
    /// Runs `task` on the signalling thread, unless the peer has closed by then.
    template <typename Task>
    void Post(Task task);
    void DeliverPendingCandidates();

    void OnSignalingChange(webrtc::PeerConnectionInterface::SignalingState state) override;
    void OnConnectionChange(webrtc::PeerConnectionInterface::PeerConnectionState state) override;
    void OnStandardizedIceConnectionChange(
        webrtc::PeerConnectionInterface::IceConnectionState state) override;
    void OnIceGatheringChange(webrtc::PeerConnectionInterface::IceGatheringState state) override;
    void OnNegotiationNeededEvent(uint32_t event_id) override;
    void OnIceCandidate(const webrtc::IceCandidateInterface* candidate) override;
    void OnTrack(rtc::scoped_refptr<webrtc::RtpTransceiverInterface> transceiver) override;
    void OnRemoveTrack(rtc::scoped_refptr<webrtc::RtpReceiverInterface> receiver) override;
    void OnDataChannel(rtc::scoped_refptr<webrtc::DataChannelInterface> channel) override;

    const std::shared_ptr<Engine> engine_;
    const rtc::scoped_refptr<webrtc::PendingTaskSafetyFlag> alive_;
    bool opus_dtx_ = false;
    bool opus_cbr_ = false;
    std::unique_ptr<PeerObserver> observer_;
    rtc::scoped_refptr<webrtc::PeerConnectionInterface> connection_;
    /// Remote candidates waiting for the remote description. Signalling thread only.
    std::vector<std::unique_ptr<webrtc::IceCandidateInterface>> pending_candidates_;
    LiveCount<SL_LIVE_PEER> count_;
};

}  // namespace sightline
#endif
