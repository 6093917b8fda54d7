// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/sdp_media.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace sightline {

void Refuse(SdpProblem problem, std::string message) {
    throw SdpRefusal{problem, std::move(message)};
}

void RequireWellFormed(bool condition, const char* message) {
    if (!condition) Refuse(SdpProblem::kMalformed, message);
}

bool OfferedMedia::Has(std::string_view line) const {
    return std::ranges::find(section->lines, line) != section->lines.end();
}

int OfferedMedia::Extension(std::string_view uri) const {
    for (const ExtensionLine& extension : extensions) {
        if (extension.uri == uri) return extension.id;
    }
    return 0;
}

void CheckOfferText(std::string_view offer, const SdpLimits& limits) {
    RequireWellFormed(offer.size() <= limits.max_bytes, "the session description is too large");
    size_t lines = 0;
    size_t line_bytes = 0;
    for (size_t i = 0; i < offer.size(); ++i) {
        const char c = offer[i];
        const auto byte = static_cast<unsigned char>(c);
        // Only at a line's end: inside of one, a reader that takes it for an end would find a line of the client's there.
        const bool ends_line = c == '\n' || (c == '\r' && i + 1 < offer.size() && offer[i + 1] == '\n');
        RequireWellFormed(byte >= 32 || c == '\t' || ends_line, "the session description has control characters");
        line_bytes = c == '\n' ? 0 : line_bytes + 1;
        lines += c == '\n' ? 1 : 0;
        RequireWellFormed(line_bytes <= limits.max_line_bytes, "a line is too long");
    }
    RequireWellFormed(lines <= limits.max_lines, "the session description has too many lines");
}

namespace {

constexpr int kFirstRtcpType = 64;
constexpr int kLastRtcpType = 95;
constexpr size_t kMaxValueBytes = 16;

std::string Lowercase(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

// The `a=fmtp` parameters of a payload type, by lower-case name.
std::map<std::string, std::string> ReadParameters(const SdpSection& section, int payload_type) {
    std::map<std::string, std::string> parameters;
    const auto text = ValueOf(section.lines, "a=fmtp:" + std::to_string(payload_type) + " ");
    if (!text) return parameters;
    for (const std::string& pair : SplitWords(*text, ';')) {
        const size_t start = std::min(pair.find_first_not_of(' '), pair.size());
        const size_t equals = pair.find('=', start);
        if (equals == std::string::npos) continue;
        // What the router knows is short; libwebrtc's statistics have no room for more.
        if (pair.size() - equals > kMaxValueBytes) continue;
        parameters[Lowercase(pair.substr(start, equals - start))] = pair.substr(equals + 1);
    }
    return parameters;
}

std::vector<PayloadType> ReadPayloadTypes(const SdpSection& section, const SdpLimits& limits) {
    const std::vector<std::string> words = SplitWords(section.lines[0].substr(2));
    RequireWellFormed(words.size() - 3 <= limits.max_payload_types, "too many payload types");
    std::vector<PayloadType> types;
    std::set<int> seen;
    for (size_t i = 3; i < words.size(); ++i) {
        const std::optional<int> number = ParseNumber(words[i]);
        RequireWellFormed(number && *number <= 127 && seen.insert(*number).second,
                          "an m-line has an invalid or repeated payload type");
        // Beside RTCP these are RTCP's (RFC 5761): libwebrtc takes packets of theirs for it, and aborts.
        if (*number >= kFirstRtcpType && *number <= kLastRtcpType) continue;
        const auto map = ValueOf(section.lines, "a=rtpmap:" + std::to_string(*number) + " ");
        if (!map) continue;
        const size_t slash = map->find('/');
        if (slash == std::string::npos) continue;
        types.push_back({*number, Lowercase(map->substr(0, slash)), map->substr(slash + 1),
                         ReadParameters(section, *number)});
    }
    return types;
}

std::vector<ExtensionLine> ReadExtensions(const SdpSection& section, const SdpLimits& limits) {
    std::vector<ExtensionLine> extensions;
    for (const std::string& line : section.lines) {
        if (const auto extension = ExtensionLine::Parse(line)) extensions.push_back(*extension);
    }
    RequireWellFormed(extensions.size() <= limits.max_extensions, "too many header extensions");
    return extensions;
}

// The rids of `a=simulcast:send`, first alternatives only, in the order of the offer.
std::vector<std::string> ReadLayers(const SdpSection& section, const SdpLimits& limits) {
    std::vector<std::string> rids;
    const auto simulcast = ValueOf(section.lines, "a=simulcast:");
    if (!simulcast) return rids;
    const std::vector<std::string> words = SplitWords(*simulcast);
    for (size_t i = 0; i + 1 < words.size(); i += 2) {
        if (words[i] != "send") continue;
        for (const std::string& choice : SplitWords(words[i + 1], ';')) {
            std::string rid = choice.substr(0, choice.find(','));
            if (rid.starts_with('~')) rid.erase(0, 1);
            RequireWellFormed(IsIdentifier(rid, limits.max_identifier_bytes, true),
                              "a rid must be 1 to 16 letters and digits");
            RequireWellFormed(std::ranges::find(rids, rid) == rids.end(), "a rid is listed twice");
            rids.push_back(rid);
        }
    }
    if (rids.size() > limits.max_layers) Refuse(SdpProblem::kUnsupported, "too many simulcast layers");
    return rids;
}

OfferedMedia ReadMedia(const SdpSection& section, const SdpLimits& limits) {
    OfferedMedia media;
    media.section = &section;
    const std::vector<std::string> words = SplitWords(section.lines[0].substr(2));
    RequireWellFormed(words.size() >= 4, "an m-line is incomplete");
    media.kind = words[0];
    const std::optional<int> port = ParseNumber(words[1]);
    RequireWellFormed(port && *port <= 65535, "an m-line has no valid port");
    media.rejected = *port == 0 && !media.Has("a=bundle-only");
    media.mid = ValueOf(section.lines, "a=mid:").value_or("");
    RequireWellFormed(IsIdentifier(media.mid, limits.max_identifier_bytes, false),
                      "every m-line needs a mid of 1 to 16 letters and digits");
    if (!media.IsMedia()) {
        if (media.kind != "application") Refuse(SdpProblem::kUnsupported, "an m-line is of an unknown kind");
        return media;
    }
    if (words[2] != "UDP/TLS/RTP/SAVPF") {
        Refuse(SdpProblem::kUnsupported, "media must use UDP/TLS/RTP/SAVPF");
    }
    if (!media.rejected && !media.Has("a=rtcp-mux")) {
        Refuse(SdpProblem::kUnsupported, "RTP and RTCP must share a transport (a=rtcp-mux)");
    }
    media.payload_types = ReadPayloadTypes(section, limits);
    media.extensions = ReadExtensions(section, limits);
    if (media.kind == "video") media.rids = ReadLayers(section, limits);
    return media;
}

// Bundled sections share one RTP session: what a number means must not differ between them.
void CheckAgreement(const std::vector<OfferedMedia>& medias) {
    std::map<int, std::string> extensions;
    std::set<int> payload_types;
    std::set<std::string> mids;
    std::set<std::string> kinds;
    for (const OfferedMedia& media : medias) {
        RequireWellFormed(mids.insert(media.mid).second, "two m-lines have the same mid");
        if (!kinds.insert(media.kind).second) {
            Refuse(SdpProblem::kUnsupported, "a leg carries at most one audio and one video m-line");
        }
        for (const ExtensionLine& extension : media.extensions) {
            const auto [entry, is_new] = extensions.emplace(extension.id, extension.uri);
            RequireWellFormed(is_new || entry->second == extension.uri,
                              "a header extension id means different things on different m-lines");
        }
        for (const PayloadType& type : media.payload_types) {
            RequireWellFormed(payload_types.insert(type.number).second,
                              "a payload type means different things on different m-lines");
        }
    }
}

}  // namespace

std::vector<OfferedMedia> ReadOfferedMedia(const SdpText& text, const SdpLimits& limits) {
    std::vector<OfferedMedia> medias;
    for (const SdpSection& section : text.sections) medias.push_back(ReadMedia(section, limits));
    CheckAgreement(medias);
    return medias;
}

}  // namespace sightline
