// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// Where a session's server is: the address that the app gave, and that of the cluster's node which has the session.
///
/// Pure. While the node cannot be reached, the two are tried in turn: another node may have taken the session over, and
/// only the first address finds it.
struct SessionAddresses: Sendable, Equatable {
    /// How often a client is sent elsewhere until it gives up: nodes that each say that it is another one.
    static let hops = 3

    /// The app's.
    let entry: String
    private var node: String?
    private var usesEntry = false

    init(entry: String) { self.entry = entry }

    /// The one to try next.
    var current: String { usesEntry ? entry : node ?? entry }

    /// Takes the address that a server has said.
    ///
    /// - Returns: Whether it can be used: one that can be read in transit is none where the first one cannot be.
    mutating func follow(_ error: ServerError) -> Bool {
        guard error.code == .elsewhere, let url = error.url, let there = try? SignalingAddress(url),
            let first = try? SignalingAddress(entry), there.isSecure || !first.isSecure
        else { return false }
        (node, usesEntry) = (url, false)
        return true
    }

    /// Nothing came of the last try.
    mutating func fail() { if node != nil { usesEntry.toggle() } }
}
