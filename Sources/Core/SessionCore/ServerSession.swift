// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// A session: who is in it, and what they publish.
struct ServerSession: Sendable {
    let id: String
    let mediaMode: MediaMode
    /// Unix ms.
    let creationTime: Double
    /// Whether it stays while nobody is in it.
    let isKept: Bool
    /// Which way media takes now.
    var routing: MediaRouting
    /// When it is to be relayed again; `nil` if nothing is planned.
    var relayAt: Duration?
    /// Whether two of its clients could not reach each other, so that it is not relayed again.
    var staysRouted = false
    /// In the order in which they joined.
    var members: [SocketID] = []
    /// By id.
    var streams: [String: ServerStream] = [:]
    /// Since when nobody has been in it.
    var emptySince: Duration?
    /// Tokens whose holders were put out, and when they expire, Unix ms.
    var deniedTokens: [String: Double] = [:]
    /// When those who ask for it are told of the others' network quality next.
    var qualityDue = Duration.zero
}

/// A stream of a session.
struct ServerStream: Sendable {
    let id: String
    let owner: SocketID
    let slot: SlotID
    /// Unix ms.
    let creationTime: Double
    let senderStatsTrack: Bool
    let audioFallbackEnabled: Bool
    var content: StreamContent
    /// The subscriptions to it.
    var subscriptions: Set<SlotID> = []
    /// Whether others know of it; not before the router has taken it.
    var isAnnounced = false
    /// What the publisher last said of its uplink.
    var sample: DatedSample?

    /// A sample and when it came.
    struct DatedSample: Sendable {
        /// When it was measured, Unix ms.
        var capturedAt: Double
        /// The same by the clock that never goes backwards.
        var captured: Duration
        /// By the server's clock.
        var receivedAt: Duration
        var sample: StreamSample
    }
}
