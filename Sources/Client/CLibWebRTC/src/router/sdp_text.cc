// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/sdp_text.h"

#include <algorithm>

namespace sightline {

SdpText SdpText::Parse(std::string_view text) {
    SdpText result;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        if (line.starts_with("m=")) {
            result.sections.push_back({{std::string(line)}});
        } else if (result.sections.empty()) {
            result.session.emplace_back(line);
        } else {
            result.sections.back().lines.emplace_back(line);
        }
    }
    return result;
}

std::string SdpText::Render() const {
    std::string text;
    for (const std::string& line : session) text += line + "\r\n";
    for (const SdpSection& section : sections) {
        for (const std::string& line : section.lines) text += line + "\r\n";
    }
    return text;
}

std::vector<std::string> SplitWords(std::string_view line, char separator) {
    std::vector<std::string> words;
    while (!line.empty()) {
        const size_t end = std::min(line.find(separator), line.size());
        if (end > 0) words.emplace_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
}

std::optional<std::string> ValueOf(const std::vector<std::string>& lines, std::string_view prefix) {
    for (const std::string& line : lines) {
        if (line.starts_with(prefix)) return line.substr(prefix.size());
    }
    return std::nullopt;
}

std::optional<int> ParseNumber(std::string_view text) {
    if (text.empty() || text.size() > 9) return std::nullopt;
    int number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + (c - '0');
    }
    return number;
}

bool IsIdentifier(std::string_view text, size_t max_bytes, bool alphanumeric_only) {
    constexpr std::string_view kPunctuation = "-_.+";
    return !text.empty() && text.size() <= max_bytes && std::ranges::all_of(text, [&](char c) {
        const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return alphanumeric || (!alphanumeric_only && kPunctuation.find(c) != std::string_view::npos);
    });
}

std::optional<ExtensionLine> ExtensionLine::Parse(std::string_view line) {
    constexpr std::string_view kPrefix = "a=extmap:";
    if (!line.starts_with(kPrefix)) return std::nullopt;
    const std::vector<std::string> words = SplitWords(line.substr(kPrefix.size()));
    if (words.size() < 2) return std::nullopt;
    const std::optional<int> id = ParseNumber(words[0].substr(0, words[0].find('/')));
    if (!id) return std::nullopt;
    return ExtensionLine{*id, words[1]};
}

std::string ExtensionLine::Render() const {
    return "a=extmap:" + std::to_string(id) + " " + uri;
}

}  // namespace sightline
