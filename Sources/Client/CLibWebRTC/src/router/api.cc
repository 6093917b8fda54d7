// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../include/router.h"
#include "../include/sl_peer.h"
#include "abi/abi.h"
#include "router/announcement.h"
#include "router/core.h"
#include "router/key_frame_limiter.h"
#include "router/video_codec.h"
#include "router/sdp.h"
#include "router/audio_timeline.h"
#include "router/feedback_gate.h"
#include "router/path_timing.h"
#include "router/sdp_text.h"
#include "router/sender_report_rewriter.h"
#include "router/sequence_gate.h"
#include "router/transit_baseline.h"
#include "rtc_base/time_utils.h"
#include "peer/stats_walk.h"
#include "peer/datagram_gate.h"

using namespace sightline;

struct sl_router {
    std::unique_ptr<Router> router;
    sl_router_callbacks callbacks;
};

struct sl_sequence_gate {
    SequenceGate gate;
};

struct sl_path_timing {
    SendTimes send_times;
    PathTiming timing;
};

struct sl_datagram_gate {
    DatagramGate gate;
};

struct sl_feedback_gate {
    FeedbackGate gate;
};

struct sl_audio_timeline {
    AudioTimeline timeline;
};

struct sl_transit_baseline {
    TransitBaseline baseline;
};

struct sl_sender_report_rewriter final : webrtc::Transport {
    explicit sl_sender_report_rewriter(uint32_t ssrc) : rewriter(this, ssrc, &clock) {}

    bool SendRtp(const uint8_t* packet, size_t length, const webrtc::PacketOptions&) override {
        return SendRtcp(packet, length);
    }
    bool SendRtcp(const uint8_t* packet, size_t length) override {
        sent.assign(packet, packet + length);
        return true;
    }

    webrtc::SimulatedClock clock{0};
    std::vector<uint8_t> sent;
    SenderReportRewriter rewriter;
};

struct sl_key_frame_limiter {
    KeyFrameLimiter limiter;
};

namespace {

RouterEvents MakeEvents(const sl_router_callbacks& callbacks) {
    RouterEvents events;
    events.on_candidate = [callbacks](uint64_t leg, const std::string& mid, int line_index,
                                      const std::string& candidate) {
        if (!callbacks.on_candidate) return;
        callbacks.on_candidate(callbacks.context, leg, mid.c_str(), line_index, candidate.c_str());
    };
    events.on_connection_state = [callbacks](uint64_t leg, int state) {
        if (callbacks.on_connection_state) callbacks.on_connection_state(callbacks.context, leg, state);
    };
    return events;
}

Completion<std::string> MakeAnswerCompletion(void* context, sl_router_answer_fn done) {
    return Completion<std::string>([context, done](webrtc::RTCErrorOr<std::string> answer) {
        if (!done) return;
        if (answer.ok()) return done(context, nullptr, answer.value().c_str());
        const sl_error error = MakeError(answer.error());
        done(context, &error, nullptr);
    });
}

void AddLeg(sl_router* router, LegKind kind, uint64_t leg, uint64_t stream, const char* offer,
            const sl_conditioner* conditioner, Completion<std::string> completion) {
    if (!router) return completion.Fail({webrtc::RTCErrorType::INVALID_PARAMETER, "there is no router"});
    auto network = conditioner ? conditioner->conditioner : nullptr;
    LegRequest request{kind, leg, stream, TextOr(offer, ""), std::move(network)};
    router->router->AddLeg(std::move(request), std::move(completion));
}

sl_path_second ToC(const PathSecond& second) {
    return {second.capacity_bound_bps, second.sustained_delay_us, second.delay_spread_us};
}

sl_router_layer ToC(const PublisherLayer& layer) {
    const LayerCounters counters = layer.counters();
    sl_router_layer result{};
    result.layer = layer.id();
    result.leg = layer.leg();
    std::strncpy(result.rid, layer.rid().c_str(), sizeof result.rid - 1);
    result.width = counters.width;
    result.height = counters.height;
    result.frames = counters.frames;
    result.key_frames = counters.key_frames;
    result.bytes = counters.bytes;
    static_assert(SL_ROUTER_TEMPORAL_LAYERS == kTemporalLayers);
    std::ranges::copy(counters.temporal_frames, result.temporal_frames);
    std::ranges::copy(counters.temporal_bytes, result.temporal_bytes);
    result.key_frame_requests = counters.key_frame_requests;
    result.last_frame_age_us = -1;
    if (counters.last_frame_ms) {
        const int64_t age_ms = rtc::TimeMillis() - *counters.last_frame_ms;
        result.last_frame_age_us = age_ms * rtc::kNumMicrosecsPerMillisec;
    }
    return result;
}

std::optional<RouterVideoCodec> ToCodec(const char* text) {
    if (!text) return std::nullopt;
    const std::string codec = text;
    const size_t space = codec.find(' ');
    if (space == std::string::npos) return RouterVideoCodec{codec, ""};
    return RouterVideoCodec{codec.substr(0, space), codec.substr(space + 1)};
}

void FillError(sl_error* error, const SdpReading& reading) {
    const sl_status status = reading.ok()                                ? SL_OK
        : reading.problem == SdpProblem::kMalformed ? SL_SYNTAX
                                                    : SL_UNSUPPORTED;
    sightline::FillError(error, status, reading.message);
}

}  // namespace

sl_router* sl_router_create(const sl_router_config* config, const sl_router_callbacks* callbacks,
                            sl_error* error) {
    sightline::FillError(error, SL_OK, "");
    const sl_router_callbacks kept = callbacks ? *callbacks : sl_router_callbacks{};
    auto router = Router::Create(config ? *config : sl_router_config{}, MakeEvents(kept));
    if (router) return new sl_router{std::move(router), kept};
    sightline::FillError(error, SL_INTERNAL, "the media engine could not be started");
    if (kept.release) kept.release(kept.context);
    return nullptr;
}

void sl_router_destroy(sl_router* router) {
    if (!router) return;
    RunOffEngine([router] {
        const sl_router_callbacks callbacks = router->callbacks;
        delete router;
        if (callbacks.release) callbacks.release(callbacks.context);
    });
}

void sl_router_add_publisher(sl_router* router, uint64_t leg, uint64_t stream, const char* offer,
                             const sl_conditioner* conditioner, void* context, sl_router_answer_fn done) {
    AddLeg(router, LegKind::kPublisher, leg, stream, offer, conditioner, MakeAnswerCompletion(context, done));
}

void sl_router_add_subscriber(sl_router* router, uint64_t leg, uint64_t stream, const char* offer,
                              const sl_conditioner* conditioner, void* context, sl_router_answer_fn done) {
    AddLeg(
        router, LegKind::kSubscriber, leg, stream, offer, conditioner, MakeAnswerCompletion(context, done));
}

void sl_router_offer(
    sl_router* router, uint64_t leg, const char* offer, void* context, sl_router_answer_fn done) {
    Completion<std::string> completion = MakeAnswerCompletion(context, done);
    if (router) router->router->Offer(leg, TextOr(offer, ""), std::move(completion));
}

void sl_router_add_candidate(sl_router* router, uint64_t leg, const char* mid, int32_t line_index,
                             const char* candidate, void* context, sl_done_fn done) {
    Completion<Done> completion = MakeCompletion(context, done);
    if (!router) return;
    router->router->AddCandidate(
        leg, TextOr(mid, ""), line_index, TextOr(candidate, ""), std::move(completion));
}

void sl_router_remove_leg(sl_router* router, uint64_t leg) {
    if (router) router->router->RemoveLeg(leg);
}

void sl_router_get_stats(sl_router* router, uint64_t leg, void* context, sl_stats_object_fn visit,
                         sl_done_fn done) {
    auto end = std::make_shared<Completion<Done>>(MakeCompletion(context, done));
    if (!router) return;
    router->router->GetStats(leg, Completion<StatsReport>([end, context, visit](auto report) {
        if (!report.ok()) return end->Fail(report.MoveError());
        if (visit) WalkStats(*report.value(), context, visit);
        end->Succeed({});
    }));
}

size_t sl_router_read_layers(sl_router* router, uint64_t stream, sl_router_layer* layers, size_t capacity) {
    const auto found = router ? router->router->FindStream(stream) : nullptr;
    if (!found) return 0;
    const auto all = found->layers();
    for (size_t i = 0; layers && i < all.size() && i < capacity; ++i) layers[i] = ToC(*all[i]);
    return all.size();
}

bool sl_router_read_forwarding(sl_router* router, uint64_t leg, sl_router_forwarding* forwarding) {
    const auto found = router ? router->router->FindForwarder(leg) : nullptr;
    if (!found || !forwarding) return false;
    const ForwarderState state = found->state();
    const auto congestion = router->router->FindCongestion(leg);
    forwarding->estimated_bps = congestion ? congestion->estimate().value_or(-1) : -1;
    forwarding->wanted_layer = state.wanted;
    forwarding->sent_layer = state.sent;
    forwarding->allocated_bps = state.allocated_bps ? static_cast<int64_t>(*state.allocated_bps) : -1;
    forwarding->frames_sent = state.frames_sent;
    forwarding->frames_withheld = state.frames_withheld;
    forwarding->gaps = state.gaps;
    forwarding->stalls = state.stalls;
    forwarding->layer_switches = state.layer_switches;
    forwarding->key_frame_requests = state.key_frame_requests;
    forwarding->has_video = state.is_connected;
    return true;
}

bool sl_router_take_path(sl_router* router, uint64_t leg, sl_path_second* second) {
    const auto congestion = router ? router->router->FindCongestion(leg) : nullptr;
    const auto found = congestion ? congestion->TakePath() : std::nullopt;
    if (found && second) *second = ToC(*found);
    return found.has_value();
}

void sl_router_select_layer(sl_router* router, uint64_t leg, uint64_t layer, bool stop_first) {
    const auto found = router ? router->router->FindForwarder(leg) : nullptr;
    if (found) found->Select(layer, stop_first);
}

void sl_router_limit_temporal_layers(sl_router* router, uint64_t leg, int32_t highest) {
    const auto found = router ? router->router->FindForwarder(leg) : nullptr;
    if (found) found->LimitTemporalLayers(highest);
}

void sl_router_probe(sl_router* router, uint64_t leg, int32_t bitrate) {
    if (router) router->router->Probe(leg, bitrate);
}

void sl_router_saturate(sl_router* router, uint64_t leg, int32_t bitrate) {
    if (router) router->router->Saturate(leg, bitrate);
}

char* sl_router_view_offer(bool publisher, const char* offer, const char* codec, sl_error* error) {
    const SdpReading reading = publisher ? ReadPublisherOffer(TextOr(offer, ""), ToCodec(codec))
                                         : ReadSubscriberOffer(TextOr(offer, ""), ToCodec(codec));
    FillError(error, reading);
    return reading.ok() ? strdup(reading.offer.sdp.c_str()) : nullptr;
}

char* sl_router_read_candidate(const char* candidate, uint32_t kinds, sl_error* error) {
    const CandidateReading reading = ReadCandidate(TextOr(candidate, ""), ReadCandidateRule(kinds));
    const bool malformed = reading.outcome == CandidateReading::Outcome::kMalformed;
    sightline::FillError(error, malformed ? SL_SYNTAX : SL_OK, malformed ? "the candidate could not be read" : "");
    return reading.line.empty() ? nullptr : strdup(reading.line.c_str());
}

char* sl_router_read_offer_candidates(const char* offer, uint32_t kinds) {
    SdpLimits limits;
    limits.candidates = ReadCandidateRule(kinds);
    const SdpReading reading = ReadPublisherOffer(TextOr(offer, ""), std::nullopt, limits);
    if (!reading.ok()) return nullptr;
    std::string lines;
    for (const CandidateReading& candidate : reading.offer.candidates) lines += candidate.line + "\n";
    return strdup(lines.c_str());
}

char* sl_router_fold_answer(const char* offer, const char* answer) {
    const SdpReading reading = ReadPublisherOffer(TextOr(offer, ""), std::nullopt);
    return reading.ok() ? strdup(FoldAnswer(TextOr(answer, ""), reading.offer.view).c_str()) : nullptr;
}

char* sl_router_announce(const char* addresses, const char* own, const char* candidate) {
    const std::vector<std::string> there = SplitWords(TextOr(own, ""), ',');
    const auto announcement = Announcement::Parse(TextOr(addresses, ""), {there.begin(), there.end()});
    if (!announcement) return nullptr;
    std::string lines;
    for (const std::string& told : announcement->OfCandidate(TextOr(candidate, ""))) lines += told + "\n";
    return strdup(lines.c_str());
}

void sl_router_free_text(char* text) {
    free(text);
}

bool sl_router_can_packetize_h264(const uint8_t* data, size_t size) {
    return sightline::CanBePacketized(webrtc::kVideoCodecH264, data, size);
}

sl_sequence_gate* sl_sequence_gate_create(void) {
    return new sl_sequence_gate;
}

void sl_sequence_gate_destroy(sl_sequence_gate* gate) {
    delete gate;
}

bool sl_sequence_gate_admit(
    sl_sequence_gate* gate, uint16_t number, uint32_t timestamp, bool padding, bool ends_frame,
    uint64_t digest, int64_t now_ms) {
    return gate && gate->gate.Admit({number, timestamp, padding, ends_frame, digest}, now_ms);
}

sl_path_timing* sl_path_timing_create(void) {
    return new sl_path_timing;
}

void sl_path_timing_destroy(sl_path_timing* timing) {
    delete timing;
}

bool sl_path_timing_packet(
    sl_path_timing* timing, uint32_t send_time, int64_t arrival_us, size_t bytes, sl_path_second* second) {
    if (!timing) return false;
    const auto found = timing->timing.OnPacket(timing->send_times.OnPacket(send_time), arrival_us, bytes);
    if (found && second) *second = ToC(*found);
    return found.has_value();
}

bool sl_path_timing_end_second(sl_path_timing* timing, sl_path_second* second) {
    const auto found = timing ? timing->timing.EndSecond() : std::nullopt;
    if (found && second) *second = ToC(*found);
    return found.has_value();
}

sl_transit_baseline* sl_transit_baseline_create(int ticks_per_ms) {
    return ticks_per_ms > 0 ? new sl_transit_baseline{TransitBaseline(ticks_per_ms)} : nullptr;
}

void sl_transit_baseline_destroy(sl_transit_baseline* baseline) {
    delete baseline;
}

int64_t sl_transit_baseline_lateness(
    sl_transit_baseline* baseline, uint32_t timestamp, int64_t now_ms, int64_t start) {
    if (!baseline) return 0;
    return baseline->baseline.Lateness(timestamp, now_ms, start < 0 ? std::nullopt : std::optional(start));
}

void sl_transit_baseline_restart(sl_transit_baseline* baseline) {
    if (baseline) baseline->baseline.Restart();
}

sl_datagram_gate* sl_datagram_gate_create(bool has_data_channels, int64_t now_ms) {
    return new sl_datagram_gate{
        DatagramGate(has_data_channels ? DatagramUse::kMediaAndData : DatagramUse::kMedia, now_ms)};
}

void sl_datagram_gate_destroy(sl_datagram_gate* gate) {
    delete gate;
}

bool sl_datagram_gate_admit(
    sl_datagram_gate* gate, const char* data, size_t size, uint16_t from, int64_t now_ms) {
    return gate && gate->gate.Admit(data, size, rtc::SocketAddress("192.0.2.1", from), now_ms);
}

void sl_datagram_gate_sent(
    sl_datagram_gate* gate, const char* data, size_t size, uint16_t to, int64_t now_ms) {
    if (gate) gate->gate.OnSent(data, size, rtc::SocketAddress("192.0.2.1", to), now_ms);
}

sl_feedback_gate* sl_feedback_gate_create() {
    return new sl_feedback_gate;
}

void sl_feedback_gate_destroy(sl_feedback_gate* gate) {
    delete gate;
}

void sl_feedback_gate_correct(sl_feedback_gate* gate, uint8_t* packet, size_t size, int64_t now_ms) {
    if (gate) gate->gate.Correct({packet, size}, now_ms);
}

sl_audio_timeline* sl_audio_timeline_create() {
    return new sl_audio_timeline;
}

void sl_audio_timeline_destroy(sl_audio_timeline* timeline) {
    delete timeline;
}

uint32_t sl_audio_timeline_take(
    sl_audio_timeline* timeline, uint64_t leg, uint32_t ssrc, uint32_t timestamp, int64_t now_ms) {
    return timeline ? timeline->timeline.Take({leg, ssrc}, timestamp, now_ms) : timestamp;
}

sl_sender_report_rewriter* sl_sender_report_rewriter_create(uint32_t ssrc) {
    return new sl_sender_report_rewriter(ssrc);
}

void sl_sender_report_rewriter_destroy(sl_sender_report_rewriter* rewriter) {
    delete rewriter;
}

void sl_sender_report_rewriter_send_rtp(
    sl_sender_report_rewriter* rewriter, const uint8_t* packet, size_t length, bool retransmission, int64_t now_ms) {
    if (!rewriter || !packet) return;
    rewriter->clock.AdvanceTimeMilliseconds(now_ms - rewriter->clock.TimeInMilliseconds());
    webrtc::PacketOptions options;
    options.is_retransmit = retransmission;
    rewriter->rewriter.SendRtp(packet, length, options);
}

void sl_sender_report_rewriter_send_rtcp(sl_sender_report_rewriter* rewriter, uint8_t* packet, size_t length) {
    if (!rewriter || !packet) return;
    rewriter->rewriter.SendRtcp(packet, length);
    std::copy(rewriter->sent.begin(), rewriter->sent.end(), packet);
}

sl_key_frame_limiter* sl_key_frame_limiter_create(void) {
    return new sl_key_frame_limiter;
}

void sl_key_frame_limiter_destroy(sl_key_frame_limiter* limiter) {
    delete limiter;
}

void sl_key_frame_limiter_request(sl_key_frame_limiter* limiter, bool repair) {
    if (limiter) limiter->limiter.Request(repair ? KeyFrameReason::kRepair : KeyFrameReason::kViewer);
}

void sl_key_frame_limiter_key_frame(sl_key_frame_limiter* limiter) {
    if (limiter) limiter->limiter.OnKeyFrame();
}

bool sl_key_frame_limiter_try_send(sl_key_frame_limiter* limiter, int64_t now_ms) {
    return limiter && limiter->limiter.TrySend(now_ms);
}
