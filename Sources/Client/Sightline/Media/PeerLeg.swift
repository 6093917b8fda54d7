// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine

/// One peer connection of a link, and where it stands.
struct PeerLeg {
    let name: LegName
    let peer: any MediaPeerConnection
    var negotiation: LegNegotiation
    var state = PeerConnectionState.new
    /// Whether the server may know of it.
    var isOffered = false
    /// Reads the peer connection's events; ends when it is closed.
    var reader: Task<Void, Never>?
    /// Those who wait for the connection to be made.
    var waiters: [CheckedContinuation<Void, any Error>] = []

    init(name: LegName, peer: any MediaPeerConnection) {
        self.name = name
        self.peer = peer
        negotiation = LegNegotiation(leg: name)
    }

    /// Lets those who wait know that it has connected, or why it will not.
    mutating func resolve(_ result: Result<Void, any Error>) {
        for waiter in waiters { waiter.resume(with: result) }
        waiters = []
    }
}
