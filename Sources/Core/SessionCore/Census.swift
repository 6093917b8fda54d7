// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How many there are of what `GET /readyz` counts.
struct Census: Sendable, Equatable {
    /// Sessions with someone in them.
    var sessions = 0
    /// Clients in sessions, participants of observed calls among them.
    var connections = 0
    /// Streams that others know of.
    var streams = 0
    /// Participants of observed calls.
    var observedParticipants = 0
    /// Peer connections of observed calls.
    var observedPeers = 0

    /// Replaces what was counted of a part by what there is of it now.
    mutating func replace(_ old: Census, by new: Census) {
        sessions += new.sessions - old.sessions
        connections += new.connections - old.connections
        streams += new.streams - old.streams
        observedParticipants += new.observedParticipants - old.observedParticipants
        observedPeers += new.observedPeers - old.observedPeers
    }
}
