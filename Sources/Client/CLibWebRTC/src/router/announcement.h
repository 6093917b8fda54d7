// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
#ifndef SIGHTLINE_ROUTER_ANNOUNCEMENT_H_
#define SIGHTLINE_ROUTER_ANNOUNCEMENT_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "router/candidates.h"

namespace sightline {

/// What clients are given of the router's own addresses: behind a NAT that maps an address to another one, port by port,
/// they have to be given the other one.
///
/// Of a family (IPv4, IPv6) without an entry, clients are given what there is; of one with an entry, no other than the
/// entries'.
class Announcement {
public:
    /// `text` is a list with commas of "ADDRESS" or "ADDRESS/LOCAL". An ADDRESS alone stands for all of its family but
    /// loopback and link-local ones; if it is one of `own` it stands for itself. `nullopt` if one is no address, or the
    /// families of a pair differ.
    static std::optional<Announcement> Parse(std::string_view text, const std::set<std::string>& own);
    /// The machine's own addresses as they are now.
    static std::set<std::string> OwnAddresses();

    /// The candidates that clients are given of a local one.
    std::vector<std::string> OfCandidate(const std::string& candidate) const;
    /// An answer without addresses that clients are not to be given: their candidates are given one by one.
    std::string OfAnswer(std::string answer) const;

private:
    struct Entry {
        std::string address;
        /// Empty for all of the family.
        std::string local;
        bool is_v6 = false;
    };

    static std::optional<Entry> ParseEntry(std::string_view text, const std::set<std::string>& own);

    std::vector<Entry> entries_;
};

}  // namespace sightline

#endif  // SIGHTLINE_ROUTER_ANNOUNCEMENT_H_
