// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#include "router/candidates.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "router/sdp_text.h"

namespace sightline {

namespace {

using Address6 = std::array<uint8_t, 16>;

struct Range4 {
    uint32_t base;
    int bits;
    AddressKind kind;
};

constexpr uint32_t Quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return a << 24 | b << 16 | c << 8 | d;
}

// The first that fits counts. Metadata services lie within link-local and shared ranges.
constexpr Range4 kRanges4[] = {
    {Quad(169, 254, 169, 254), 32, AddressKind::kUnusable}, {Quad(169, 254, 170, 0), 24, AddressKind::kUnusable},
    {Quad(100, 100, 100, 200), 32, AddressKind::kUnusable}, {Quad(0, 0, 0, 0), 8, AddressKind::kUnusable},
    {Quad(127, 0, 0, 0), 8, AddressKind::kLoopback},        {Quad(169, 254, 0, 0), 16, AddressKind::kLinkLocal},
    {Quad(10, 0, 0, 0), 8, AddressKind::kPrivate},          {Quad(172, 16, 0, 0), 12, AddressKind::kPrivate},
    {Quad(192, 168, 0, 0), 16, AddressKind::kPrivate},      {Quad(100, 64, 0, 0), 10, AddressKind::kPrivate},
    {Quad(198, 18, 0, 0), 15, AddressKind::kPrivate},       {Quad(192, 0, 0, 0), 24, AddressKind::kUnusable},
    {Quad(192, 0, 2, 0), 24, AddressKind::kUnusable},       {Quad(198, 51, 100, 0), 24, AddressKind::kUnusable},
    {Quad(203, 0, 113, 0), 24, AddressKind::kUnusable},     {Quad(224, 0, 0, 0), 3, AddressKind::kUnusable},
};

AddressKind Classify4(uint32_t address) {
    for (const Range4& range : kRanges4) {
        if ((address ^ range.base) >> (32 - range.bits) == 0) return range.kind;
    }
    return AddressKind::kPublic;
}

uint32_t Embedded4(const Address6& address, size_t offset) {
    return Quad(address[offset], address[offset + 1], address[offset + 2], address[offset + 3]);
}

bool BeginsWith(const Address6& address, std::initializer_list<uint8_t> prefix) {
    return std::equal(prefix.begin(), prefix.end(), address.begin());
}

AddressKind Classify6(const Address6& address) {
    constexpr Address6 kLoopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    constexpr Address6 kMetadata = {0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54};
    if (address == kLoopback) return AddressKind::kLoopback;
    if (address == kMetadata) return AddressKind::kUnusable;
    // Mapped (::ffff:a.b.c.d) and compatible (::a.b.c.d, of which the unspecified address is one).
    if (BeginsWith(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) {
        return Classify4(Embedded4(address, 12));
    }
    if (BeginsWith(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) return Classify4(Embedded4(address, 12));
    if (BeginsWith(address, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) {
        return Classify4(Embedded4(address, 12));
    }
    if (BeginsWith(address, {0x20, 0x02})) return Classify4(Embedded4(address, 2));
    if (BeginsWith(address, {0x20, 0x01, 0, 0})) return AddressKind::kUnusable;           // Teredo
    if (BeginsWith(address, {0x20, 0x01, 0x0d, 0xb8})) return AddressKind::kUnusable;     // documentation
    if (BeginsWith(address, {0x00, 0x64, 0xff, 0x9b, 0, 1})) return AddressKind::kPrivate;  // local NAT64
    if (address[0] == 0xff) return AddressKind::kUnusable;
    if (address[0] == 0xfe && (address[1] & 0xc0) == 0x80) return AddressKind::kLinkLocal;
    if (address[0] == 0xfe && (address[1] & 0xc0) == 0xc0) return AddressKind::kPrivate;
    if ((address[0] & 0xfe) == 0xfc) return AddressKind::kPrivate;
    // Only this eighth of the space has been given out.
    return (address[0] & 0xe0) == 0x20 ? AddressKind::kPublic : AddressKind::kUnusable;
}

bool IsIceText(std::string_view text, size_t longest) {
    return !text.empty() && text.size() <= longest && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
    });
}

// A number of at most 32 bits.
bool IsNumber(std::string_view text) {
    if (text.empty() || text.size() > 10) return false;
    uint64_t number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return false;
        number = number * 10 + static_cast<uint64_t>(c - '0');
    }
    return number <= UINT32_MAX;
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lowercase) {
    return std::ranges::equal(text, lowercase, [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
}

// The extensions that mean something to the router's end; the rest (related addresses among it) is omitted.
std::string ReadExtensions(const std::vector<std::string>& words, size_t first) {
    std::string result;
    for (size_t i = first; i + 1 < words.size(); i += 2) {
        const std::string& name = words[i];
        const std::string& value = words[i + 1];
        const bool is_number = name == "generation" || name == "network-id" || name == "network-cost";
        if (is_number ? !ParseNumber(value).has_value() : name != "ufrag" || !IsIceText(value, 256)) continue;
        result += " " + name + " " + value;
    }
    return result;
}

}  // namespace

std::optional<PlainAddress> ReadAddress(std::string_view text) {
    const std::string terminated(text);
    char written[INET6_ADDRSTRLEN];
    in_addr four;
    if (inet_pton(AF_INET, terminated.c_str(), &four) == 1) {
        if (!inet_ntop(AF_INET, &four, written, sizeof written)) return std::nullopt;
        return PlainAddress{Classify4(ntohl(four.s_addr)), written};
    }
    in6_addr six;
    if (inet_pton(AF_INET6, terminated.c_str(), &six) != 1) return std::nullopt;
    if (!inet_ntop(AF_INET6, &six, written, sizeof written)) return std::nullopt;
    Address6 bytes;
    std::memcpy(bytes.data(), &six, bytes.size());
    return PlainAddress{Classify6(bytes), written};
}

std::optional<AddressKind> ClassifyAddress(std::string_view address) {
    const auto read = ReadAddress(address);
    if (!read) return std::nullopt;
    return read->kind;
}

bool CandidateRule::Allows(AddressKind kind) const {
    switch (kind) {
        case AddressKind::kPublic: return allows_public;
        case AddressKind::kPrivate: return allows_private;
        case AddressKind::kLoopback: return allows_loopback;
        case AddressKind::kLinkLocal: return allows_link_local;
        case AddressKind::kUnusable: return false;
    }
    return false;
}

CandidateReading ReadCandidate(std::string_view text, const CandidateRule& rule) {
    constexpr std::string_view kAttribute = "a=";
    constexpr std::string_view kPrefix = "candidate:";
    // foundation component transport priority address port "typ" type
    constexpr size_t kFixedWords = 8;
    constexpr std::array<std::string_view, 4> kTypes = {"host", "srflx", "prflx", "relay"};
    CandidateReading reading;
    if (text.starts_with(kAttribute)) text.remove_prefix(kAttribute.size());
    if (!text.starts_with(kPrefix)) return reading;
    const std::vector<std::string> words = SplitWords(text.substr(kPrefix.size()));
    if (words.size() < kFixedWords || words[6] != "typ" || !IsIceText(words[0], 32) || !IsNumber(words[3])) {
        return reading;
    }
    const std::optional<int> component = ParseNumber(words[1]);
    const std::optional<int> port = ParseNumber(words[5]);
    if (!component || !port || *port > UINT16_MAX) return reading;
    reading.outcome = CandidateReading::Outcome::kIgnored;
    const auto address = ReadAddress(words[4]);
    const bool is_used = *component == 1 && *port > 0 && EqualsIgnoringCase(words[2], "udp")
        && std::ranges::find(kTypes, words[7]) != kTypes.end();
    if (!is_used || !address || !rule.Allows(address->kind)) return reading;
    reading.outcome = CandidateReading::Outcome::kUsable;
    reading.endpoint = address->text + " " + std::to_string(*port);
    reading.line = std::string(kPrefix) + words[0] + " 1 udp " + words[3] + " " + reading.endpoint + " typ "
        + words[7] + ReadExtensions(words, kFixedWords);
    return reading;
}

void CandidateBudget::OnOffer(const std::string& credentials) {
    if (!credentials_.empty() && credentials != credentials_) {
        allowance_ = std::min(allowance_ + kPerRestart, kMost);
    }
    credentials_ = credentials;
}

bool CandidateBudget::Admit(const std::string& endpoint) {
    if (endpoints_.contains(endpoint)) return true;
    if (endpoints_.size() >= allowance_) return false;
    endpoints_.insert(endpoint);
    return true;
}

bool RestartBudget::Admit(const std::string& credentials, int64_t now_ms) {
    if (credentials == credentials_) return true;
    if (credentials_.empty()) {
        began_ms_ = now_ms;
    } else if (++restarts_ > kFirst + (now_ms - began_ms_) / kOneMoreMs) {
        return false;
    }
    credentials_ = credentials;
    return true;
}

}  // namespace sightline
