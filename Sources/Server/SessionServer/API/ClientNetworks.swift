// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NetworkEmulation
import SessionCore

/// The emulated networks of clients that run beside the server and have theirs in themselves, as in the demo.
package struct ClientNetworks: Sendable {
    /// Those that can be changed now, by connection.
    package var all: @Sendable () async -> [String: ParticipantNetwork]
    /// Sets the network of a connection, all of it; whether it has one.
    package var set: @Sendable (_ connection: String, NetworkConditions) async -> Bool

    /// Makes a control of what it can do.
    package init(
        all: @escaping @Sendable () async -> [String: ParticipantNetwork],
        set: @escaping @Sendable (_ connection: String, NetworkConditions) async -> Bool
    ) {
        self.all = all
        self.set = set
    }
}
