// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Foundation

/// Addresses that clients are given in place of the machine's own.
///
/// Behind a NAT that maps an address to another one, port by port, as clouds have it, clients have to be given the other one.
/// An entry is an address, for every local address of its family but loopback and link-local ones, or a pair
/// `ADDRESS/LOCAL` for one local address. An address of the machine itself stands for itself. Of a family (IPv4, IPv6) with
/// an entry, clients are given nothing else.
package struct AnnouncedAddresses: Sendable, Equatable {
    /// The entries, separated by commas.
    package let list: String

    /// Reads entries; `nil` if there is none, or one cannot be read.
    package init?(_ entries: [String]) {
        list = entries.joined(separator: ",")
        guard !entries.contains(where: { $0.contains(",") }), announced(for: "") != nil else { return nil }
    }

    /// What clients are given of a local candidate; `nil` if the entries cannot be read.
    ///
    /// - Parameter own: The machine's addresses.
    func announced(for candidate: String, own: [String] = []) -> [String]? {
        let text = sl_router_announce(list, own.joined(separator: ","), candidate)
        defer { sl_router_free_text(text) }
        return text.map { String(cString: $0).split(separator: "\n").map(String.init) }
    }
}
