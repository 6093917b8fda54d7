// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_LEG_H_
#define SIGHTLINE_ROUTER_LEG_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/completion.h"
#include "emulation/conditioner.h"
#include "peer/engine.h"
#include "peer/peer.h"
#include "router/announcement.h"
#include "router/audio.h"
#include "router/congestion.h"
#include "router/extension_ids.h"
#include "router/leg_wiring.h"
#include "router/sdp.h"
#include "router/stream.h"
#include "rtc_base/thread.h"

namespace sightline {

/// What every leg of a router shares.
struct RouterShared {
    std::shared_ptr<Engine> engine;
    /// Where all legs live: their functions are called there, and their events arrive there.
    rtc::Thread* control = nullptr;
    std::shared_ptr<AudioPacketCloakroom> cloakroom;
    std::shared_ptr<LegRegistry> legs;
    bool loopback_only = false;
    /// UDP ports that legs may take, both included; 0 for any.
    int lowest_port = 0;
    int highest_port = 0;
    /// What clients are given of local candidates.
    Announcement announcement;
    /// Which remote candidates are used.
    CandidateRule candidates;
    /// Bitrates of a subscriber leg, bps.
    int min_bitrate = 0;
    int start_bitrate = 0;
    int max_bitrate = 0;
    LayerId next_layer = 1;

    std::function<void(uint64_t leg, const std::string& mid, int line_index, const std::string& candidate)>
        on_candidate;
    std::function<void(uint64_t leg, int state)> on_connection_state;
};

/// One client's peer connection with the router. The client offers, the router answers.
///
/// Control thread only. Offers are answered one after the other; candidates may come at any time after the
/// first offer. Local candidates are held back until the answer they belong to has been given.
class RouterLeg : public std::enable_shared_from_this<RouterLeg> {
public:
    RouterLeg(uint64_t id, std::shared_ptr<RouterShared> shared, std::shared_ptr<RouterStream> stream);
    virtual ~RouterLeg();
    RouterLeg(const RouterLeg&) = delete;
    RouterLeg& operator=(const RouterLeg&) = delete;

    uint64_t id() const { return id_; }
    const std::shared_ptr<RouterStream>& stream() const { return stream_; }
    const std::shared_ptr<LegCongestion>& congestion() const { return congestion_; }

    webrtc::RTCError Connect(std::shared_ptr<Conditioner> conditioner);
    /// Answers `offer`, the leg's first or, for an ICE restart or changed media, a later one.
    void Negotiate(std::string offer, Completion<std::string> completion);
    void AddCandidate(
        const std::string& mid, int line_index, const std::string& candidate, Completion<Done> completion);
    void GetStats(Completion<StatsReport> completion);
    /// Ends the connection and every negotiation. Nothing is called back afterwards. Waits for engine
    /// threads.
    virtual void Close();

protected:
    virtual SdpReading Read(const std::string& offer) = 0;
    /// Prepares the transceivers for the answer, on the signalling thread.
    virtual webrtc::RTCError Configure(webrtc::PeerConnectionInterface& connection, const SdpView& view) = 0;
    /// The answer is in place. On the signalling thread.
    virtual webrtc::RTCError Finish(webrtc::PeerConnectionInterface& connection);
    /// Makes what takes the audio that the leg receives; empty if it receives none.
    virtual AudioTapFactory TapAudio();
    /// An offer goes to the engine.
    virtual void Admitted(const RouterOffer& offer);
    /// An offer was answered.
    virtual void Negotiated(const RouterOffer& offer);

    const std::shared_ptr<RouterShared>& shared() const { return shared_; }
    /// How offers on this leg are read.
    SdpLimits limits() const;
    Peer* peer() const { return peer_.get(); }

private:
    class Observer;
    struct Negotiation {
        /// How far the offer has come: not at all, to the engine, or taken by it.
        enum class Stage { kWaiting, kTried, kTaken };

        std::string offer;
        Completion<std::string> completion;
        RouterOffer accepted;
        std::string answer;
        Stage stage = Stage::kWaiting;
        /// That of the offer before, which holds again if this one is refused.
        std::optional<SdpView> last_view;
    };
    struct LocalCandidate {
        std::string mid;
        std::string candidate;
    };

    void BeginNext();
    void SetRemote();
    void ConfigureAnswer(Done);
    void SetLocal(Description answer);
    void FinishAnswer(Done);
    /// Ends the present negotiation. An offer that is refused leaves the leg as it was, unless the engine has done half of
    /// what it says: the error is `NETWORK_ERROR` then, and the leg answers no more.
    void End(webrtc::RTCErrorOr<std::string> result);
    /// Of an offer that the engine has refused.
    void TakeBack(webrtc::RTCError refusal);
    /// Whether the engine is as it was before an offer that it has refused; `outcome` is that of a rollback.
    bool IsIntact(webrtc::RTCErrorType outcome);
    webrtc::RTCError Broken(const webrtc::RTCError& cause);
    void Conclude(webrtc::RTCErrorOr<std::string> result);
    void Report(const LocalCandidate& candidate);
    /// Hands a remote candidate to the engine if the leg has room for it.
    void Use(const CandidateReading& candidate, const SectionMapping& section, Completion<Done> completion);
    /// `completion`, moved to the control thread.
    template <typename Value>
    Completion<Value> OnControl(Completion<Value> completion);
    /// `next` on the control thread with the result's value, or the end of the negotiation with its error;
    /// nothing if the leg is gone by then.
    template <typename Value>
    Completion<Value> Then(void (RouterLeg::*next)(Value));

    const uint64_t id_;
    const std::shared_ptr<RouterShared> shared_;
    const std::shared_ptr<RouterStream> stream_;
    const std::shared_ptr<LegCongestion> congestion_ = std::make_shared<LegCongestion>();
    std::unique_ptr<Peer> peer_;
    std::deque<Negotiation> negotiations_;
    std::vector<LocalCandidate> held_candidates_;
    /// That came since the last offer, used or not.
    size_t remote_candidates_ = 0;
    CandidateBudget budget_;
    RestartBudget restarts_;
    bool is_broken_ = false;
    ExtensionIds extension_ids_;
    /// Of the last accepted offer.
    std::optional<SdpView> view_;
};

/// Receives a stream from its publisher.
class PublisherLeg final : public RouterLeg {
public:
    PublisherLeg(uint64_t id, std::shared_ptr<RouterShared> shared, std::shared_ptr<RouterStream> stream);
    ~PublisherLeg() override;

    void Close() override;

protected:
    SdpReading Read(const std::string& offer) override;
    AudioTapFactory TapAudio() override;
    void Admitted(const RouterOffer& offer) override;
    webrtc::RTCError Configure(webrtc::PeerConnectionInterface& connection, const SdpView& view) override;

private:
    void TakeVideo(webrtc::RtpTransceiverInterface& transceiver, const std::string& rid);

    /// By the view's mids. Signalling thread only.
    std::map<std::string, std::shared_ptr<PublisherLayer>> layers_;
};

/// Sends a stream to one subscriber.
class SubscriberLeg final : public RouterLeg {
public:
    SubscriberLeg(uint64_t id, std::shared_ptr<RouterShared> shared, std::shared_ptr<RouterStream> stream);
    ~SubscriberLeg() override;

    const std::shared_ptr<VideoForwarder>& video() const { return video_; }
    void Close() override;

protected:
    SdpReading Read(const std::string& offer) override;
    webrtc::RTCError Configure(webrtc::PeerConnectionInterface& connection, const SdpView& view) override;
    webrtc::RTCError Finish(webrtc::PeerConnectionInterface& connection) override;
    void Negotiated(const RouterOffer& offer) override;

private:
    const std::shared_ptr<LatestLateness> audio_lateness_;
    const std::shared_ptr<VideoForwarder> video_;
    const std::shared_ptr<AudioForwarder> audio_;
    bool joined_ = false;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_LEG_H_
