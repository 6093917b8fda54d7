// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// From the router's view of an offer back to the client's: answers and candidates.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "router/sdp.h"
#include "router/sdp_text.h"

namespace sightline {

namespace {

bool IsLayer(const SdpView& view, std::string_view mid) {
    return std::ranges::find(view.rids, mid) != view.rids.end();
}

// One section of an answer, in the client's terms.
SdpSection FoldSection(const SdpSection& section, const SectionMapping& mapping, const SdpView& view) {
    SdpSection folded;
    const bool is_layer = IsLayer(view, mapping.view_mid);
    for (const std::string& line : section.lines) {
        const auto extension = ExtensionLine::Parse(line);
        if (line.starts_with("a=mid:")) {
            folded.lines.push_back("a=mid:" + mapping.original_mid);
        } else if (!extension || extension->uri != kMidExtension) {
            folded.lines.push_back(line);
        } else {
            if (view.mid_extension > 0) {
                folded.lines.push_back(ExtensionLine{view.mid_extension, extension->uri}.Render());
            }
            if (is_layer) {
                const ExtensionLine rid{view.rid_extension, std::string(kRidExtension)};
                folded.lines.push_back(rid.Render());
            }
        }
    }
    if (!is_layer) return folded;
    std::string list;
    for (const std::string& rid : view.rids) {
        folded.lines.push_back("a=rid:" + rid + " recv");
        list += (list.empty() ? "" : ";") + rid;
    }
    folded.lines.push_back("a=simulcast:recv " + list);
    return folded;
}

}  // namespace

std::string FoldAnswer(std::string_view answer, const SdpView& view) {
    if (!view.is_simulcast()) return std::string(answer);
    const SdpText text = SdpText::Parse(answer);
    SdpText folded;
    std::string bundle = "a=group:BUNDLE";
    bool layer_written = false;
    for (size_t i = 0; i < text.sections.size() && i < view.sections.size(); ++i) {
        const SectionMapping& mapping = view.sections[i];
        const bool is_layer = IsLayer(view, mapping.view_mid);
        if (is_layer && layer_written) continue;
        layer_written |= is_layer;
        folded.sections.push_back(FoldSection(text.sections[i], mapping, view));
        const std::vector<std::string> words = SplitWords(text.sections[i].lines[0]);
        if (words.size() > 1 && words[1] != "0") bundle += " " + mapping.original_mid;
    }
    for (const std::string& line : text.session) {
        folded.session.push_back(line.starts_with("a=group:BUNDLE") ? bundle : line);
    }
    return folded.Render();
}

std::optional<SectionMapping> MapRemoteCandidate(const SdpView& view, std::string_view mid, int index) {
    for (const SectionMapping& section : view.sections) {
        const bool mid_agrees = mid.empty() ? index >= 0 : section.original_mid == mid;
        if (mid_agrees && (!mid.empty() || section.original_index == index)) return section;
    }
    return std::nullopt;
}

std::optional<SectionMapping> MapLocalCandidate(const SdpView& view, std::string_view view_mid) {
    for (const SectionMapping& section : view.sections) {
        if (section.view_mid == view_mid) return section;
    }
    return std::nullopt;
}

}  // namespace sightline
