// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// A client's candidates: what is used must be of an allowed kind, plain, and read again as itself.
//
// Input: a byte for the rule, and the candidate.

#include <arpa/inet.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "router/candidates.h"

namespace {

using namespace sightline;

void Require(bool condition) {
    if (!condition) abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const CandidateRule rule{(data[0] & 1) != 0, (data[0] & 2) != 0, (data[0] & 4) != 0, (data[0] & 8) != 0};
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    ClassifyAddress(text);
    const CandidateReading reading = ReadCandidate(text, rule);
    const bool is_usable = reading.outcome == CandidateReading::Outcome::kUsable;
    Require(is_usable == !reading.line.empty() && is_usable == !reading.endpoint.empty());
    if (!is_usable) return 0;
    const CandidateReading again = ReadCandidate(reading.line, rule);
    Require(again.outcome == reading.outcome && again.line == reading.line && again.endpoint == reading.endpoint);
    const std::string address = reading.endpoint.substr(0, reading.endpoint.find(' '));
    const auto kind = ClassifyAddress(address);
    Require(kind && *kind != AddressKind::kUnusable && rule.Allows(*kind));
    for (const char c : reading.line) Require(c >= ' ' && c < 127);
    return 0;
}
