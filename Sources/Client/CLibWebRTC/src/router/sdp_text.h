// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_SDP_TEXT_H_
#define SIGHTLINE_ROUTER_SDP_TEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sightline {

/// One m-line with the lines that follow it; `lines[0]` is the m-line itself.
struct SdpSection {
    std::vector<std::string> lines;
};

/// A session description taken apart by lines; nothing is interpreted.
struct SdpText {
    std::vector<std::string> session;
    std::vector<SdpSection> sections;

    /// Lines may end in CRLF or LF; empty lines are skipped.
    static SdpText Parse(std::string_view text);
    std::string Render() const;
};

/// The words of `line`, split at `separator`; no empty words.
std::vector<std::string> SplitWords(std::string_view line, char separator = ' ');

/// What follows `prefix` in the first line that begins with it.
std::optional<std::string> ValueOf(const std::vector<std::string>& lines, std::string_view prefix);

/// A number of at most nine digits; `nullopt` for anything else.
std::optional<int> ParseNumber(std::string_view text);

/// Whether `text` is 1...`max_bytes` letters, digits and, unless `alphanumeric_only`, any of "-_.+".
bool IsIdentifier(std::string_view text, size_t max_bytes, bool alphanumeric_only);

/// `a=extmap:<id>[/direction] <uri> [attributes]`, read.
struct ExtensionLine {
    int id = 0;
    std::string uri;

    static std::optional<ExtensionLine> Parse(std::string_view line);
    std::string Render() const;
};

inline constexpr std::string_view kMidExtension = "urn:ietf:params:rtp-hdrext:sdes:mid";
inline constexpr std::string_view kRidExtension = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id";

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_SDP_TEXT_H_
