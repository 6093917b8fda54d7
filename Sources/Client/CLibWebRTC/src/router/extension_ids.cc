// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/extension_ids.h"

#include <algorithm>

namespace sightline {

namespace {

bool Contradicts(const ExtensionLine& extension, const std::map<int, std::string>& known) {
    return std::ranges::any_of(known, [&](const auto& entry) {
        return (entry.first == extension.id) != (entry.second == extension.uri);
    });
}

}  // namespace

bool ExtensionIds::Admit(const SdpView& view) {
    auto known = known_;
    for (const SectionMapping& section : view.sections) {
        auto& ids = known[section.view_mid];
        for (const ExtensionLine& extension : section.extensions) {
            if (Contradicts(extension, ids)) return false;
            ids.emplace(extension.id, extension.uri);
        }
    }
    known_ = std::move(known);
    return true;
}

}  // namespace sightline
