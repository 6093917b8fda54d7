// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a session learns with each input about what is outside of it.
struct Surroundings: Sendable {
    let now: CoreTime
    /// Whether the router is there that the session is on, or would be.
    var isRouterReady = false
    /// Whether new legs would spoil those that that router has.
    var isRouterFull = false
    /// Whether that router is to blame for those of its legs that are bad.
    var isRouterToBlame = false
    /// Legs that that router takes beside those that it has.
    var spareLegs = 0
    /// Rate at which further clients' networks may be filled, bps.
    var spareSaturation = 0.0
    /// Participants of observed calls that the server takes beside its clients.
    var spareConnections = 0
    /// Peer connections of observed calls that the server takes beside those that it knows.
    var spareObservedPeers = 0
    /// Whether what an earlier run of the server had may still be had again.
    var mayRestore = false
}
