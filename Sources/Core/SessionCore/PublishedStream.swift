// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// A stream of a session.
struct PublishedStream: Sendable {
    let id: StreamID
    let owner: ClientID
    let publication: EndpointID
    /// Unix ms.
    let creationTime: Double
    let senderStatsTrack: Bool
    let audioFallbackEnabled: Bool
    /// The most that each of its publisher's connections may send, bps; `nil` for no bound.
    let maximumBitrate: Double?
    var content: StreamContent
    /// The subscriptions to it.
    var subscriptions: Set<EndpointID> = []
    /// Whether others know of it; not before the router has taken it.
    var isAnnounced = false
    /// What the publisher last said of its uplink.
    private(set) var sample: DatedSample?

    /// Takes what the publisher says of its uplink; events may arrive out of order after a reconnect, and the newest
    /// counts.
    mutating func take(_ new: DatedSample) {
        if let sample, sample.captured > new.captured { return }
        sample = new
    }
}

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
