// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How many there are of what `GET /health` counts.
struct Census: Sendable, Equatable {
    /// Sessions with someone in them.
    var sessions = 0
    /// Clients in sessions.
    var connections = 0
    /// Streams that others know of.
    var streams = 0

    /// Replaces what was counted of a part by what there is of it now.
    mutating func replace(_ old: Census, by new: Census) {
        sessions += new.sessions - old.sessions
        connections += new.connections - old.connections
        streams += new.streams - old.streams
    }
}
