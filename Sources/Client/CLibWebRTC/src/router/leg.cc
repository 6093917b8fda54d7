// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/leg.h"

#include <algorithm>
#include <span>
#include <utility>

#include "api/task_queue/task_queue_base.h"
#include "rtc_base/time_utils.h"

namespace sightline {

namespace {

using webrtc::RTCError;
using webrtc::RTCErrorType;

// Offers waiting on one leg; a client that sends more before the first is answered is misbehaving.
constexpr size_t kMaxWaitingOffers = 4;

RTCError ToError(const SdpReading& reading) {
    const bool malformed = reading.problem == SdpProblem::kMalformed;
    return RTCError(
        malformed ? RTCErrorType::SYNTAX_ERROR : RTCErrorType::UNSUPPORTED_OPERATION, reading.message);
}

// Whether a later offer on a leg keeps the m-lines of the first: libwebrtc can neither take sections away nor
// turn one into several.
bool ExtendsView(const SdpView& next, const SdpView& last) {
    if (next.rids != last.rids || next.sections.size() < last.sections.size()) return false;
    return std::ranges::equal(
        last.sections, std::span(next.sections).first(last.sections.size()),
        [](const SectionMapping& a, const SectionMapping& b) { return a.view_mid == b.view_mid; });
}

}  // namespace

// Events come on the signalling thread and are handled on the control thread.
class RouterLeg::Observer final : public PeerObserver {
public:
    explicit Observer(std::weak_ptr<RouterLeg> leg, rtc::Thread* control)
        : leg_(std::move(leg)), control_(control) {}

    void OnConnectionState(webrtc::PeerConnectionInterface::PeerConnectionState state) override {
        control_->PostTask([leg = leg_, state] {
            const auto alive = leg.lock();
            if (!alive || !alive->peer_) return;
            alive->shared_->on_connection_state(alive->id_, static_cast<int>(state));
        });
    }

    void OnCandidate(const std::string& mid, int, const std::string& candidate) override {
        control_->PostTask([leg = leg_, local = LocalCandidate{mid, candidate}] {
            const auto alive = leg.lock();
            if (alive && alive->peer_) alive->Report(local);
        });
    }

private:
    const std::weak_ptr<RouterLeg> leg_;
    rtc::Thread* const control_;
};

RouterLeg::RouterLeg(uint64_t id, std::shared_ptr<RouterShared> shared, std::shared_ptr<RouterStream> stream)
    : id_(id), shared_(std::move(shared)), stream_(std::move(stream)) {}

RouterLeg::~RouterLeg() = default;

RTCError RouterLeg::Connect(std::shared_ptr<Conditioner> conditioner) {
    PeerOptions options;
    options.loopback_only = shared_->loopback_only;
    options.lowest_port = shared_->lowest_port;
    options.highest_port = shared_->highest_port;
    options.conditioner = std::move(conditioner);
    // It is the client's network, and this is the other end of its path.
    options.sending = Direction::down;
    // Data channels are refused in every answer.
    options.use = DatagramUse::kMedia;
    // Frames are not shown here: any wait for a regular rhythm would only be delay.
    options.configuration.set_prerenderer_smoothing(false);
    auto made = shared_->legs->During(LegWiring{congestion_, TapAudio()}, [&] {
        return Peer::Create(shared_->engine, std::move(options),
                            std::make_unique<Observer>(weak_from_this(), shared_->control));
    });
    if (!made.ok()) return made.MoveError();
    peer_ = made.MoveValue();
    return RTCError::OK();
}

void RouterLeg::Close() {
    std::unique_ptr<Peer> peer = std::move(peer_);
    peer.reset();
    negotiations_.clear();
    held_candidates_.clear();
}

void RouterLeg::Negotiate(std::string offer, Completion<std::string> completion) {
    if (!peer_) return;
    if (negotiations_.size() >= kMaxWaitingOffers) {
        return completion.Fail(
            RTCError(RTCErrorType::RESOURCE_EXHAUSTED, "too many offers wait for an answer"));
    }
    Negotiation negotiation;
    negotiation.offer = std::move(offer);
    negotiation.completion = std::move(completion);
    negotiations_.push_back(std::move(negotiation));
    if (negotiations_.size() == 1) BeginNext();
}

void RouterLeg::BeginNext() {
    if (negotiations_.empty()) return;
    if (is_broken_) {
        return End(Broken(RTCError(RTCErrorType::NETWORK_ERROR, "an earlier offer has broken this connection")));
    }
    SdpReading reading = Read(negotiations_.front().offer);
    if (!reading.ok()) return End(ToError(reading));
    if (view_ && !ExtendsView(reading.offer.view, *view_)) {
        return End(RTCError(RTCErrorType::UNSUPPORTED_OPERATION,
                            "other m-lines or layers need a new leg, not a new offer"));
    }
    if (!extension_ids_.Admit(reading.offer.view)) {
        return End(RTCError(RTCErrorType::UNSUPPORTED_OPERATION,
                            "a header extension keeps its id in all offers of an m-line"));
    }
    if (!restarts_.Admit(reading.offer.credentials, rtc::TimeMillis())) {
        return End(Broken(RTCError(RTCErrorType::NETWORK_ERROR, "too many ICE restarts of one connection")));
    }
    Admitted(reading.offer);
    Negotiation& negotiation = negotiations_.front();
    negotiation.accepted = std::move(reading.offer);
    negotiation.last_view = std::exchange(view_, negotiation.accepted.view);
    negotiation.stage = Negotiation::Stage::kTried;
    remote_candidates_ = 0;
    SetRemote();
}

template <typename Value>
Completion<Value> RouterLeg::Then(void (RouterLeg::*next)(Value)) {
    using Result = webrtc::RTCErrorOr<Value>;
    return Completion<Value>([weak = weak_from_this(), control = shared_->control, next](Result result) {
        auto shared_result = std::make_shared<Result>(std::move(result));
        control->PostTask([weak, next, shared_result] {
            const auto leg = weak.lock();
            if (!leg || !leg->peer_ || leg->negotiations_.empty()) return;
            if (!shared_result->ok()) return leg->End(shared_result->MoveError());
            (leg.get()->*next)(shared_result->MoveValue());
        });
    });
}

template <typename Value>
Completion<Value> RouterLeg::OnControl(Completion<Value> completion) {
    using Result = webrtc::RTCErrorOr<Value>;
    auto kept = std::make_shared<Completion<Value>>(std::move(completion));
    return Completion<Value>([kept, control = shared_->control](Result result) {
        control->PostTask([kept, result = std::make_shared<Result>(std::move(result))] {
            kept->Fulfill(std::move(*result));
        });
    });
}

void RouterLeg::SetRemote() {
    Description offer{webrtc::SdpType::kOffer, negotiations_.front().accepted.sdp};
    peer_->SetRemoteDescription(std::move(offer), Then<Done>(&RouterLeg::ConfigureAnswer));
}

void RouterLeg::ConfigureAnswer(Done) {
    negotiations_.front().stage = Negotiation::Stage::kTaken;
    const RouterOffer& accepted = negotiations_.front().accepted;
    budget_.OnOffer(accepted.credentials);
    if (const auto section = MapRemoteCandidate(accepted.view, accepted.transport_mid, -1)) {
        for (const CandidateReading& candidate : accepted.candidates) Use(candidate, *section, {});
    }
    RTCError error = peer_->Call([this](webrtc::PeerConnectionInterface& connection) {
        return Configure(connection, negotiations_.front().accepted.view);
    });
    if (!error.ok()) return End(std::move(error));
    peer_->CreateAnswer(Then<Description>(&RouterLeg::SetLocal));
}

void RouterLeg::SetLocal(Description answer) {
    negotiations_.front().answer = answer.sdp;
    peer_->SetLocalDescription(std::move(answer), Then<Done>(&RouterLeg::FinishAnswer));
}

void RouterLeg::FinishAnswer(Done) {
    RTCError error =
        peer_->Call([this](webrtc::PeerConnectionInterface& connection) { return Finish(connection); });
    if (!error.ok()) return End(std::move(error));
    const Negotiation& negotiation = negotiations_.front();
    Negotiated(negotiation.accepted);
    End(shared_->announcement.OfAnswer(FoldAnswer(negotiation.answer, negotiation.accepted.view)));
}

void RouterLeg::End(webrtc::RTCErrorOr<std::string> result) {
    Negotiation& negotiation = negotiations_.front();
    if (result.ok()) return Conclude(std::move(result));
    switch (negotiation.stage) {
        case Negotiation::Stage::kWaiting: return Conclude(std::move(result));
        case Negotiation::Stage::kTried: return TakeBack(result.MoveError());
        // Streams may have begun or ended by then.
        case Negotiation::Stage::kTaken: return Conclude(Broken(result.error()));
    }
}

void RouterLeg::TakeBack(RTCError refusal) {
    view_ = std::move(negotiations_.front().last_view);
    // The first offer's leg ends anyway.
    if (!view_) return Conclude(std::move(refusal));
    auto kept = std::make_shared<RTCError>(std::move(refusal));
    peer_->SetRemoteDescription(
        Description{webrtc::SdpType::kRollback, ""},
        Completion<Done>([weak = weak_from_this(), control = shared_->control, kept](auto done) {
            const auto outcome = done.error().type();
            control->PostTask([weak, kept, outcome] {
                const auto leg = weak.lock();
                if (!leg || !leg->peer_ || leg->negotiations_.empty()) return;
                leg->Conclude(leg->IsIntact(outcome) ? std::move(*kept) : leg->Broken(*kept));
            });
        }));
}

bool RouterLeg::IsIntact(RTCErrorType outcome) {
    // That there is nothing to take back is no failure of its own; that the engine knows its session to be in error is.
    if (outcome == RTCErrorType::INTERNAL_ERROR) return false;
    const RTCError left = peer_->Call([](webrtc::PeerConnectionInterface& connection) {
        return connection.pending_remote_description() ? RTCError(RTCErrorType::INVALID_STATE) : RTCError::OK();
    });
    return left.ok();
}

RTCError RouterLeg::Broken(const RTCError& cause) {
    is_broken_ = true;
    return RTCError(RTCErrorType::NETWORK_ERROR, cause.message());
}

void RouterLeg::Conclude(webrtc::RTCErrorOr<std::string> result) {
    Negotiation negotiation = std::move(negotiations_.front());
    negotiations_.pop_front();
    negotiation.completion.Fulfill(std::move(result));
    if (negotiations_.empty()) {
        for (const LocalCandidate& candidate : std::exchange(held_candidates_, {})) Report(candidate);
    }
    BeginNext();
}

RTCError RouterLeg::Finish(webrtc::PeerConnectionInterface&) {
    return RTCError::OK();
}

AudioTapFactory RouterLeg::TapAudio() {
    return {};
}

void RouterLeg::Admitted(const RouterOffer&) {}

void RouterLeg::Negotiated(const RouterOffer&) {}

void RouterLeg::Report(const LocalCandidate& candidate) {
    if (!negotiations_.empty()) return held_candidates_.push_back(candidate);
    if (!view_) return;
    const auto mapping = MapLocalCandidate(*view_, candidate.mid);
    if (!mapping) return;
    for (const std::string& told : shared_->announcement.OfCandidate(candidate.candidate)) {
        shared_->on_candidate(id_, mapping->original_mid, mapping->original_index, told);
    }
}

void RouterLeg::AddCandidate(
    const std::string& mid, int line_index, const std::string& candidate, Completion<Done> completion) {
    constexpr size_t kMaxCandidateBytes = 1024;
    constexpr size_t kMaxRemoteCandidates = 256;
    if (candidate.empty()) return completion.Succeed({});
    if (!peer_ || !view_) {
        return completion.Fail(RTCError(RTCErrorType::INVALID_STATE, "the leg has accepted no offer yet"));
    }
    if (++remote_candidates_ > kMaxRemoteCandidates) {
        return completion.Fail(RTCError(RTCErrorType::RESOURCE_EXHAUSTED, "too many candidates"));
    }
    if (candidate.size() > kMaxCandidateBytes) {
        return completion.Fail(RTCError(RTCErrorType::SYNTAX_ERROR, "a candidate is too long"));
    }
    const auto mapping = MapRemoteCandidate(*view_, mid, line_index);
    if (!mapping) {
        return completion.Fail(
            RTCError(RTCErrorType::SYNTAX_ERROR, "a candidate belongs to no m-line of the offer"));
    }
    const CandidateReading reading = ReadCandidate(candidate, shared_->candidates);
    switch (reading.outcome) {
        case CandidateReading::Outcome::kMalformed:
            return completion.Fail(RTCError(RTCErrorType::SYNTAX_ERROR, "a candidate could not be read"));
        // Not the client's mistake: browsers send TCP candidates and names as a matter of course.
        case CandidateReading::Outcome::kIgnored: return completion.Succeed({});
        case CandidateReading::Outcome::kUsable: return Use(reading, *mapping, std::move(completion));
    }
}

void RouterLeg::Use(
    const CandidateReading& candidate, const SectionMapping& section, Completion<Done> completion) {
    // A leg that has used up its room still connects from where the client's own checks come.
    if (!budget_.Admit(candidate.endpoint)) return completion.Succeed({});
    const auto index = std::ranges::find(view_->sections, section.view_mid, &SectionMapping::view_mid)
        - view_->sections.begin();
    peer_->AddCandidate(
        section.view_mid, static_cast<int>(index), candidate.line, OnControl(std::move(completion)));
}

SdpLimits RouterLeg::limits() const {
    SdpLimits limits;
    limits.candidates = shared_->candidates;
    return limits;
}

void RouterLeg::GetStats(Completion<StatsReport> completion) {
    if (peer_) peer_->GetStats(OnControl(std::move(completion)));
}

PublisherLeg::PublisherLeg(
    uint64_t id, std::shared_ptr<RouterShared> shared, std::shared_ptr<RouterStream> stream)
    : RouterLeg(id, std::move(shared), std::move(stream)) {}

PublisherLeg::~PublisherLeg() = default;

SdpReading PublisherLeg::Read(const std::string& offer) {
    return ReadPublisherOffer(offer, stream()->video_codec(), limits());
}

AudioTapFactory PublisherLeg::TapAudio() {
    return [id = id(), stream = stream()] {
        return CreateAudioTap(id, [stream](AudioPacketPtr packet) { stream->OnAudioPacket(packet); });
    };
}

void PublisherLeg::Admitted(const RouterOffer& offer) {
    // At once, not with the answer: a subscriber may be quicker than that.
    if (offer.video_codec) stream()->SetVideoCodec(offer.video_codec);
}

RTCError PublisherLeg::Configure(webrtc::PeerConnectionInterface& connection, const SdpView& view) {
    for (const auto& transceiver : connection.GetTransceivers()) {
        if (transceiver->stopped() || !transceiver->mid()) continue;
        RTCError error = transceiver->SetDirectionWithError(webrtc::RtpTransceiverDirection::kRecvOnly);
        if (!error.ok()) return error;
        if (transceiver->media_type() == cricket::MEDIA_TYPE_VIDEO) {
            TakeVideo(*transceiver, view.is_simulcast() ? *transceiver->mid() : "");
        }
    }
    return RTCError::OK();
}

void PublisherLeg::TakeVideo(webrtc::RtpTransceiverInterface& transceiver, const std::string& rid) {
    rtc::scoped_refptr<webrtc::VideoTrackInterface> track(
        static_cast<webrtc::VideoTrackInterface*>(transceiver.receiver()->track().get()));
    std::shared_ptr<PublisherLayer>& place = layers_[*transceiver.mid()];
    if (place && place->Takes(*track)) return;
    auto layer = std::make_shared<PublisherLayer>(
        shared()->next_layer++, id(), rid, std::move(track), shared()->engine->worker(),
        [stream = stream()](const PublisherLayer& layer, const EncodedFramePtr& frame) {
            stream->OnVideoFrame(layer, frame);
        });
    if (place) {
        // An m-line that was rejected and is used again: the engine has another track for it.
        stream()->ReplaceLayer(place->id(), layer);
        place->Stop();
    } else {
        stream()->AddLayer(layer);
    }
    place = layer;
    layer->Start();
}

void PublisherLeg::Close() {
    for (const auto& layer : stream()->RemoveLayers(id())) layer->Stop();
    RouterLeg::Close();
    // Afterwards none comes any more.
    stream()->ForgetAudio(id());
}

SubscriberLeg::SubscriberLeg(uint64_t id, std::shared_ptr<RouterShared> shared,
                             std::shared_ptr<RouterStream> stream)
    : RouterLeg(id, shared, stream),
      audio_lateness_(std::make_shared<LatestLateness>()),
      video_(std::make_shared<VideoForwarder>(
          audio_lateness_,
          // Weak: frames on their way hold the forwarder, and the stream's end must not wait for them.
          [stream = std::weak_ptr<RouterStream>(stream)](LayerId layer, KeyFrameReason reason) {
              if (const auto alive = stream.lock()) alive->RequestKeyFrame(layer, reason);
          })),
      audio_(std::make_shared<AudioForwarder>(shared->cloakroom, audio_lateness_)) {}

SubscriberLeg::~SubscriberLeg() = default;

SdpReading SubscriberLeg::Read(const std::string& offer) {
    return ReadSubscriberOffer(offer, stream()->video_codec(), limits());
}

RTCError SubscriberLeg::Configure(webrtc::PeerConnectionInterface& connection, const SdpView&) {
    webrtc::BitrateSettings bitrate;
    bitrate.min_bitrate_bps = shared()->min_bitrate;
    bitrate.start_bitrate_bps = shared()->start_bitrate;
    bitrate.max_bitrate_bps = shared()->max_bitrate;
    // Once only: setting the start bitrate again would reset the estimate of a running leg.
    if (!joined_) connection.SetBitrate(bitrate);
    auto* factory = shared()->engine->factory();
    for (const auto& transceiver : connection.GetTransceivers()) {
        if (transceiver->stopped() || !transceiver->mid() || transceiver->sender()->track()) continue;
        RTCError error = transceiver->SetDirectionWithError(webrtc::RtpTransceiverDirection::kSendOnly);
        if (!error.ok()) return error;
        transceiver->sender()->SetStreams({"stream"});
        if (transceiver->media_type() == cricket::MEDIA_TYPE_AUDIO) {
            transceiver->sender()->SetTrack(factory->CreateAudioTrack("audio", audio_->source().get()).get());
        } else if (transceiver->media_type() == cricket::MEDIA_TYPE_VIDEO) {
            transceiver->sender()->SetTrack(factory->CreateVideoTrack("video", video_->source().get()).get());
        }
    }
    return RTCError::OK();
}

RTCError SubscriberLeg::Finish(webrtc::PeerConnectionInterface& connection) {
    for (const auto& transceiver : connection.GetTransceivers()) {
        if (transceiver->stopped() || transceiver->media_type() != cricket::MEDIA_TYPE_VIDEO) continue;
        webrtc::RtpParameters parameters = transceiver->sender()->GetParameters();
        // libwebrtc must not adapt what only the publisher could change.
        parameters.degradation_preference = webrtc::DegradationPreference::DISABLED;
        for (auto& encoding : parameters.encodings) encoding.max_bitrate_bps = shared()->max_bitrate;
        RTCError error = transceiver->sender()->SetParameters(parameters);
        if (!error.ok()) return error;
    }
    return RTCError::OK();
}

void SubscriberLeg::Negotiated(const RouterOffer& offer) {
    video_->SetConnected(offer.has_video);
    if (!std::exchange(joined_, true)) stream()->AddSubscriber(id(), {video_, audio_});
}

void SubscriberLeg::Close() {
    stream()->RemoveSubscriber(id());
    // Frames in the forwarder's queue hold the forwarder.
    video_->SetConnected(false);
    RouterLeg::Close();
}

}  // namespace sightline
