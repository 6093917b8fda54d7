// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/core.h"

#include <algorithm>
#include <utility>

#include "router/guarded_call.h"
#include "router/task_queues.h"
#include "router/video_codec.h"

namespace sightline {

namespace {

using webrtc::RTCError;
using webrtc::RTCErrorType;

// No jitter buffer in the router: it belongs to the receiver behind it. Without ALR probing the estimate of a
// leg that sends a small layer stays near that layer's bitrate, and the leg never gets back up.
// Probes start with any packet: while video is off there are only the small ones of audio.
constexpr char kFieldTrials[] =
    "WebRTC-ForcePlayoutDelay/min_ms:0,max_ms:0/WebRTC-VideoRateControl/alr_probing:true/"
    "WebRTC-Bwe-InjectedCongestionController/Enabled/WebRTC-Bwe-ProbingBehavior/min_packet_size:1/";

constexpr int kDefaultQueueThreads = 2;
constexpr int kDefaultMinBitrate = 30'000;
constexpr int kDefaultStartBitrate = 600'000;
constexpr int kDefaultMaxBitrate = 6'000'000;

int OrDefault(int32_t value, int fallback) {
    return value > 0 ? value : fallback;
}

std::shared_ptr<Engine> CreateRouterEngine(
    int queue_threads, std::shared_ptr<AudioPacketCloakroom> cloakroom,
    std::shared_ptr<LegRegistry> legs) {
    InitializeProcess(kFieldTrials);
    EngineOptions options;
    options.thread_prefix = "router-";
    options.audio_encoders = CreatePassThroughAudioEncoders(std::move(cloakroom));
    options.video_encoders = CreatePassThroughEncoderFactory();
    options.video_decoders = CreatePassThroughDecoderFactory();
    options.task_queues = std::make_unique<PooledTaskQueueFactory>(MakeTaskQueuePool(queue_threads));
    options.audio_device = CreateSilentAudioDevice();
    options.congestion_control = CreateWatchedCongestionControl();
    options.event_logs = CreateLegEventLogs(std::move(legs));
    options.calls = CreateGuardedCallFactory();
    return Engine::Create(std::move(options));
}

CandidateRule MakeRule(const sl_router_config& config) {
    CandidateRule rule = ReadCandidateRule(config.candidates);
    // Else no one could connect.
    rule.allows_loopback |= config.loopback_only;
    return rule;
}

RTCError NoSuchLeg() {
    return RTCError(RTCErrorType::INVALID_PARAMETER, "there is no such leg");
}

}  // namespace

CandidateRule ReadCandidateRule(uint32_t kinds) {
    CandidateRule rule;
    if (kinds == 0) return rule;
    rule.allows_public = kinds & SL_CANDIDATES_PUBLIC;
    rule.allows_private = kinds & SL_CANDIDATES_PRIVATE;
    rule.allows_loopback = kinds & SL_CANDIDATES_LOOPBACK;
    rule.allows_link_local = kinds & SL_CANDIDATES_LINK_LOCAL;
    return rule;
}

std::unique_ptr<Router> Router::Create(const sl_router_config& config, RouterEvents events) {
    auto shared = std::make_shared<RouterShared>();
    shared->cloakroom = std::make_shared<AudioPacketCloakroom>();
    shared->legs = std::make_shared<LegRegistry>();
    shared->engine = CreateRouterEngine(
        OrDefault(config.queue_threads, kDefaultQueueThreads), shared->cloakroom, shared->legs);
    if (!shared->engine) return nullptr;
    shared->loopback_only = config.loopback_only;
    shared->lowest_port = config.lowest_port;
    shared->highest_port = config.highest_port;
    if (config.announced) {
        auto announcement = Announcement::Parse(config.announced, Announcement::OwnAddresses());
        if (!announcement) return nullptr;
        shared->announcement = *std::move(announcement);
    }
    shared->candidates = MakeRule(config);
    shared->min_bitrate = OrDefault(config.min_bitrate, kDefaultMinBitrate);
    shared->start_bitrate =
        std::max(OrDefault(config.start_bitrate, kDefaultStartBitrate), shared->min_bitrate);
    shared->max_bitrate = std::max(OrDefault(config.max_bitrate, kDefaultMaxBitrate), shared->start_bitrate);
    shared->on_candidate = std::move(events.on_candidate);
    shared->on_connection_state = std::move(events.on_connection_state);
    std::unique_ptr<rtc::Thread> control = rtc::Thread::Create();
    control->SetName("router-control", nullptr);
    if (!control->Start()) return nullptr;
    shared->control = control.get();
    return std::unique_ptr<Router>(new Router(std::move(shared), std::move(control)));
}

Router::Router(std::shared_ptr<RouterShared> shared, std::unique_ptr<rtc::Thread> control)
    : shared_(std::move(shared)), control_(std::move(control)) {}

Router::~Router() {
    control_->BlockingCall([this] {
        while (!legs_.empty()) Remove(legs_.begin()->first);
    });
    // Drops what is still queued, which fails the completions inside.
    control_->Stop();
}

RTCError Router::Admit(const LegRequest& request) const {
    if (request.leg == 0 || request.stream == 0) {
        return RTCError(RTCErrorType::INVALID_PARAMETER, "legs and streams are numbered from 1");
    }
    if (request.leg <= largest_leg_) {
        return RTCError(RTCErrorType::INVALID_PARAMETER, "a leg's number must be larger than all before");
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (request.kind == LegKind::kSubscriber && !streams_.contains(request.stream)) {
        return RTCError(RTCErrorType::INVALID_STATE, "there is no such stream");
    }
    return RTCError::OK();
}

RTCError Router::MakeLeg(LegRequest& request) {
    RTCError error = Admit(request);
    if (!error.ok()) return error;
    largest_leg_ = request.leg;
    std::shared_ptr<RouterStream> stream = FindStream(request.stream);
    if (!stream) stream = std::make_shared<RouterStream>();
    std::shared_ptr<RouterLeg> leg;
    LegEntry entry{request.stream};
    if (request.kind == LegKind::kPublisher) {
        leg = std::make_shared<PublisherLeg>(request.leg, shared_, stream);
    } else {
        auto subscriber = std::make_shared<SubscriberLeg>(request.leg, shared_, stream);
        entry.video = subscriber->video();
        leg = std::move(subscriber);
    }
    entry.congestion = leg->congestion();
    error = leg->Connect(std::move(request.conditioner));
    if (!error.ok()) return error;
    legs_.emplace(request.leg, std::move(leg));
    std::lock_guard<std::mutex> lock(mutex_);
    StreamEntry& place = streams_[request.stream];
    place.stream = std::move(stream);
    ++place.legs;
    entries_[request.leg] = std::move(entry);
    return RTCError::OK();
}

void Router::AddLeg(LegRequest request, Completion<std::string> completion) {
    control_->PostTask([this, request = std::move(request), completion = std::move(completion)]() mutable {
        const uint64_t id = request.leg;
        RTCError error = MakeLeg(request);
        if (!error.ok()) return completion.Fail(std::move(error));
        auto end = std::make_shared<Completion<std::string>>(std::move(completion));
        legs_[id]->Negotiate(
            std::move(request.offer), Completion<std::string>([this, id, end](auto answer) {
                // Not from within the leg's own function.
                if (!answer.ok()) control_->PostTask([this, id] { Remove(id); });
                end->Fulfill(std::move(answer));
            }));
    });
}

template <typename Value, typename Task>
void Router::WithLeg(uint64_t id, Completion<Value> completion, Task task) {
    control_->PostTask([this, id, completion = std::move(completion), task = std::move(task)]() mutable {
        const auto entry = legs_.find(id);
        if (entry == legs_.end()) return completion.Fail(NoSuchLeg());
        task(*entry->second, std::move(completion));
    });
}

void Router::Offer(uint64_t leg, std::string offer, Completion<std::string> completion) {
    WithLeg(leg, std::move(completion),
            [offer = std::move(offer)](RouterLeg& leg, Completion<std::string> completion) mutable {
                leg.Negotiate(std::move(offer), std::move(completion));
            });
}

void Router::AddCandidate(uint64_t leg, std::string mid, int line_index, std::string candidate,
                          Completion<Done> completion) {
    WithLeg(leg, std::move(completion),
            [mid = std::move(mid), line_index, candidate = std::move(candidate)](
                RouterLeg& leg, Completion<Done> completion) {
                leg.AddCandidate(mid, line_index, candidate, std::move(completion));
            });
}

void Router::GetStats(uint64_t leg, Completion<StatsReport> completion) {
    WithLeg(leg, std::move(completion), [](RouterLeg& leg, Completion<StatsReport> completion) {
        leg.GetStats(std::move(completion));
    });
}

void Router::Probe(uint64_t leg, int64_t bitrate) {
    const int64_t lowest = shared_->min_bitrate;
    const int64_t highest = shared_->max_bitrate;
    const auto congestion = FindForwarder(leg) ? FindCongestion(leg) : nullptr;
    if (congestion) {
        congestion->Probe(std::clamp(bitrate, lowest, highest));
    }
}

void Router::Saturate(uint64_t leg, int64_t bitrate) {
    const int64_t highest = shared_->max_bitrate;
    const auto congestion = FindForwarder(leg) ? FindCongestion(leg) : nullptr;
    if (congestion) congestion->Saturate(std::clamp<int64_t>(bitrate, 0, highest));
}

void Router::RemoveLeg(uint64_t leg) {
    control_->PostTask([this, leg] { Remove(leg); });
}

void Router::Remove(uint64_t id) {
    auto node = legs_.extract(id);
    if (node.empty()) return;
    node.mapped()->Close();
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t stream = entries_[id].stream;
    entries_.erase(id);
    if (--streams_[stream].legs == 0) streams_.erase(stream);
}

std::shared_ptr<RouterStream> Router::FindStream(uint64_t stream) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto entry = streams_.find(stream);
    return entry == streams_.end() ? nullptr : entry->second.stream;
}

std::shared_ptr<VideoForwarder> Router::FindForwarder(uint64_t leg) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto entry = entries_.find(leg);
    return entry == entries_.end() ? nullptr : entry->second.video;
}

std::shared_ptr<LegCongestion> Router::FindCongestion(uint64_t leg) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto entry = entries_.find(leg);
    return entry == entries_.end() ? nullptr : entry->second.congestion;
}

}  // namespace sightline
