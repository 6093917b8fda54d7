// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_SDP_MEDIA_H_
#define SIGHTLINE_ROUTER_SDP_MEDIA_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "router/sdp.h"
#include "router/sdp_text.h"

namespace sightline {

/// What an offer is refused with. Thrown and caught within the reading of one offer.
struct SdpRefusal {
    SdpProblem problem;
    std::string message;
};

[[noreturn]] void Refuse(SdpProblem problem, std::string message);
void RequireWellFormed(bool condition, const char* message);

/// A payload type of an m-line, with its format parameters by lower-case name.
struct PayloadType {
    int number = 0;
    /// Lower case.
    std::string name;
    std::string clock;
    std::map<std::string, std::string> parameters;
};

/// An m-line's content as far as the router reads it.
struct OfferedMedia {
    std::string kind;
    std::string mid;
    bool rejected = false;
    std::vector<PayloadType> payload_types;
    std::vector<ExtensionLine> extensions;
    /// Simulcast layers in the order of the offer; empty without simulcast.
    std::vector<std::string> rids;
    /// Of the text that was read, which outlives this.
    const SdpSection* section = nullptr;

    bool IsMedia() const { return kind == "audio" || kind == "video"; }
    bool Has(std::string_view line) const;
    /// 0 if the section does not declare the extension.
    int Extension(std::string_view uri) const;
};

/// Reads all m-lines of `text` and checks that they agree with each other. Throws an `SdpRefusal`.
std::vector<OfferedMedia> ReadOfferedMedia(const SdpText& text, const SdpLimits& limits);

/// Checks size and characters, before anything else is read. Throws an `SdpRefusal`.
void CheckOfferText(std::string_view offer, const SdpLimits& limits);

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_SDP_MEDIA_H_
