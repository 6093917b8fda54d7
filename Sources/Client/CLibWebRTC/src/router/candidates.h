// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_CANDIDATES_H_
#define SIGHTLINE_ROUTER_CANDIDATES_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

/// Which of a client's ICE candidates a router sends anything to. Pure: text in, text out.
///
/// A candidate is an order to send UDP packets to an address of the client's choice. What the rule does not
/// allow never reaches libwebrtc; a client behind such an address can still connect, because its own checks
/// show the router where they come from.
namespace sightline {

/// What an address is for. IPv6 addresses that stand for an IPv4 address (mapped, compatible, NAT64, 6to4)
/// are what that address is.
enum class AddressKind {
    kPublic,
    /// RFC 1918, shared (100.64/10), unique local and site-local.
    kPrivate,
    kLoopback,
    kLinkLocal,
    /// Never anyone's end of a call: unspecified, multicast, broadcast, reserved, documentation and cloud
    /// metadata addresses, and Teredo.
    kUnusable,
};

/// `nullopt` for everything that is no plain address: names (mDNS among them), zone ids, and spellings such
/// as "127.1" or "0x7f.0.0.1".
std::optional<AddressKind> ClassifyAddress(std::string_view address);

/// An address in the one spelling that libwebrtc is shown, and writes itself.
struct PlainAddress {
    AddressKind kind;
    std::string text;
};

/// `nullopt` as for `ClassifyAddress`.
std::optional<PlainAddress> ReadAddress(std::string_view text);

/// The kinds of addresses that candidates may have.
struct CandidateRule {
    bool allows_public = true;
    bool allows_private = true;
    bool allows_loopback = false;
    bool allows_link_local = false;

    bool Allows(AddressKind kind) const;
};

struct CandidateReading {
    enum class Outcome {
        kUsable,
        /// Readable, but not for this router: TCP, a name, a component that is not used, or against the rule.
        kIgnored,
        kMalformed,
    };
    Outcome outcome = Outcome::kMalformed;
    /// Written again from what was understood, "candidate:" in front; empty unless usable.
    std::string line;
    /// Address and port; empty unless usable.
    std::string endpoint;
};

/// Reads the value of an `a=candidate` line, with or without "a=" before it.
CandidateReading ReadCandidate(std::string_view text, const CandidateRule& rule);

/// The remote candidates of one leg: how many different ones it may have in its life.
class CandidateBudget {
public:
    static constexpr size_t kFirst = 32;
    /// What each ICE restart adds...
    static constexpr size_t kPerRestart = 8;
    /// ...up to this.
    static constexpr size_t kMost = 96;

    /// `credentials` of an accepted offer; other ones than before are an ICE restart.
    void OnOffer(const std::string& credentials);
    /// Whether there is room for `endpoint`. One that is known takes no more room.
    bool Admit(const std::string& endpoint);

private:
    std::string credentials_;
    size_t allowance_ = kFirst;
    std::set<std::string> endpoints_;
};

/// The ICE restarts of one leg. libwebrtc keeps the sockets of each until the connection ends, so a leg that restarts without end
/// has to be replaced by a new one.
class RestartBudget {
public:
    static constexpr int64_t kFirst = 20;
    /// After what time there is one more, in ms.
    static constexpr int64_t kOneMoreMs = 60'000;

    /// Whether an offer with these credentials may be taken; other ones than before are an ICE restart.
    bool Admit(const std::string& credentials, int64_t now_ms);

private:
    std::string credentials_;
    int64_t began_ms_ = 0;
    int64_t restarts_ = 0;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_CANDIDATES_H_
