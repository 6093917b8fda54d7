// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Offers of clients, and answers of the engine: what is read must be made of known parts, and be read again as itself.
//
// Input: a byte of choices, the offer, and, after a zero byte, an answer to fold; without one the router's own view.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "router/sdp.h"
#include "router/sdp_text.h"

namespace {

using namespace sightline;

void Require(bool condition) {
    if (!condition) abort();
}

bool IsKnown(const std::string& line) {
    for (const char* prefix :
         {"m=", "c=IN IP4 0.0.0.0", "a=mid:", "a=sendonly", "a=recvonly", "a=inactive", "a=ice-", "a=fingerprint:",
          "a=setup:", "a=rtcp-mux", "a=rtcp-rsize", "a=bundle-only", "a=extmap:", "a=msid:stream ", "a=rtpmap:",
          "a=fmtp:", "a=rtcp-fb:", "a=ssrc-group:FID ", "a=ssrc:", "a=sctp-port:5000"}) {
        if (line.starts_with(prefix)) return true;
    }
    return false;
}

void CheckOffer(const RouterOffer& offer, const CandidateRule& rule) {
    const SdpText view = SdpText::Parse(offer.sdp);
    Require(view.sections.size() == offer.view.sections.size() && view.sections.size() <= 6);
    for (const SdpSection& section : view.sections) {
        for (const std::string& line : section.lines) Require(IsKnown(line));
    }
    for (const SectionMapping& section : offer.view.sections) {
        Require(MapLocalCandidate(offer.view, section.view_mid).has_value());
        Require(MapRemoteCandidate(offer.view, section.original_mid, -1).has_value());
        MapRemoteCandidate(offer.view, "", section.original_index);
    }
    CandidateBudget budget;
    budget.OnOffer(offer.credentials);
    for (const CandidateReading& candidate : offer.candidates) {
        const CandidateReading again = ReadCandidate(candidate.line, rule);
        Require(again.line == candidate.line && again.endpoint == candidate.endpoint);
        budget.Admit(candidate.endpoint);
    }
}

CandidateRule RuleOf(uint8_t choices) {
    return {(choices & 1) != 0, (choices & 2) != 0, (choices & 4) != 0, (choices & 8) != 0};
}

std::optional<RouterVideoCodec> CodecOf(uint8_t choices) {
    switch (choices >> 4 & 3) {
        case 0: return std::nullopt;
        case 1: return RouterVideoCodec{"VP8", ""};
        default: return RouterVideoCodec{"H264", "constrained-baseline"};
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const uint8_t choices = data[0];
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::string_view offer = text.substr(0, text.find('\0'));
    const std::string_view answer = offer.size() < text.size() ? text.substr(offer.size() + 1) : std::string_view();
    SdpLimits limits;
    limits.candidates = RuleOf(choices);
    const SdpReading reading = choices & 128 ? ReadSubscriberOffer(offer, CodecOf(choices), limits)
                                             : ReadPublisherOffer(offer, CodecOf(choices), limits);
    Require(reading.ok() == reading.message.empty());
    if (!reading.ok()) return 0;
    CheckOffer(reading.offer, limits.candidates);
    FoldAnswer(answer.empty() ? std::string_view(reading.offer.sdp) : answer, reading.offer.view);
    return 0;
}
