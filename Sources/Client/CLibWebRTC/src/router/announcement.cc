// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/announcement.h"

#include <arpa/inet.h>
#include <ifaddrs.h>

#include <algorithm>

#include "router/sdp_text.h"

namespace sightline {

namespace {

// Where a candidate has its address: foundation component transport priority address port ...
constexpr size_t kAddressWord = 4;

bool IsV6(std::string_view address) {
    return address.find(':') != std::string_view::npos;
}

bool IsForAll(const PlainAddress& local) {
    return local.kind != AddressKind::kLoopback && local.kind != AddressKind::kLinkLocal;
}

std::string Join(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    return line;
}

}  // namespace

std::optional<Announcement> Announcement::Parse(std::string_view text, const std::set<std::string>& own) {
    Announcement result;
    for (const std::string& word : SplitWords(text, ',')) {
        auto entry = ParseEntry(word, own);
        if (!entry) return std::nullopt;
        result.entries_.push_back(*std::move(entry));
    }
    if (result.entries_.empty()) return std::nullopt;
    return result;
}

std::optional<Announcement::Entry> Announcement::ParseEntry(
    std::string_view text, const std::set<std::string>& own) {
    const size_t slash = text.find('/');
    const auto address = ReadAddress(text.substr(0, slash));
    if (!address) return std::nullopt;
    Entry entry{address->text, "", IsV6(address->text)};
    if (slash == std::string_view::npos) {
        if (own.contains(entry.address)) entry.local = entry.address;
        return entry;
    }
    const auto local = ReadAddress(text.substr(slash + 1));
    if (!local || IsV6(local->text) != entry.is_v6) return std::nullopt;
    entry.local = local->text;
    return entry;
}

std::set<std::string> Announcement::OwnAddresses() {
    std::set<std::string> own;
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return own;
    for (const ifaddrs* one = list; one; one = one->ifa_next) {
        char text[INET6_ADDRSTRLEN];
        if (!one->ifa_addr) continue;
        const int family = one->ifa_addr->sa_family;
        const void* address = nullptr;
        if (family == AF_INET) address = &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
        if (family == AF_INET6) address = &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
        if (address && inet_ntop(family, address, text, sizeof text)) own.insert(text);
    }
    freeifaddrs(list);
    return own;
}

std::vector<std::string> Announcement::OfCandidate(const std::string& candidate) const {
    std::vector<std::string> words = SplitWords(candidate);
    const auto local = words.size() > kAddressWord ? ReadAddress(words[kAddressWord]) : std::nullopt;
    if (!local) return entries_.empty() ? std::vector{candidate} : std::vector<std::string>{};
    const bool is_v6 = IsV6(local->text);
    if (std::ranges::none_of(entries_, [&](const Entry& entry) { return entry.is_v6 == is_v6; })) {
        return {candidate};
    }
    std::vector<std::string> told;
    for (const Entry& entry : entries_) {
        const bool fits = entry.local.empty() ? IsForAll(*local) : entry.local == local->text;
        if (entry.is_v6 != is_v6 || !fits) continue;
        words[kAddressWord] = entry.address;
        told.push_back(Join(words));
    }
    return told;
}

std::string Announcement::OfAnswer(std::string answer) const {
    if (entries_.empty()) return answer;
    SdpText text = SdpText::Parse(answer);
    for (SdpSection& section : text.sections) {
        std::erase_if(section.lines, [](const std::string& line) { return line.starts_with("a=candidate:"); });
        for (std::string& line : section.lines) {
            if (line.starts_with("c=")) line = "c=IN IP4 0.0.0.0";
            if (line.starts_with("a=rtcp:")) line = "a=rtcp:9 IN IP4 0.0.0.0";
        }
    }
    return text.Render();
}

}  // namespace sightline
