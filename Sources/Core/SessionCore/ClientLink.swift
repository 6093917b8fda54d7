// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// How a client is reached.
struct ClientLink: Sendable {
    /// What lets a client come back on another socket.
    struct Resumable: Sendable {
        let token: String
        var ledger: MessageLedger<ServerMessage>
        /// Whether it has shown that it knows its token; nobody waits for one that does not.
        var hasBegun = false
        /// Since when something has arrived that was not confirmed.
        var unreportedSince: Duration?
    }

    /// The socket; `nil` while it has none.
    var socket: SocketID?
    /// Since when it has none.
    var awaySince: Duration?
    /// Whether the server has ended it: nobody waits for it then.
    var isOver = false
    /// `nil` for a client that is gone with its socket.
    var resumable: Resumable?

    /// Whether the client is waited for when its socket is lost.
    var canComeBack: Bool { !isOver && resumable?.hasBegun == true }
}
