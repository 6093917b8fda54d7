// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// Telemetry queued for the server: one message at a time, acknowledged; the oldest is dropped when it
/// backs up.
///
/// Pure. An event that is not acknowledged is sent again with its id, so that the server counts it once. Of each leg only
/// what has changed is sent, except for the first event and the first after one whose arrival is in doubt.
struct TelemetryQueue {
    /// Most events that wait; more make the oldest go.
    ///
    /// Two minutes of one publisher and one subscriber.
    static let limit = 240

    private(set) var waiting: [TelemetryEvent] = []
    private(set) var inFlight: [TelemetryEvent] = []
    /// Events that were dropped.
    private(set) var dropped = 0
    private var writer = TelemetryWriter()

    /// Puts an event in.
    mutating func add(_ event: TelemetryEvent) {
        waiting.append(event)
        trim()
    }

    /// The next message; `nil` while one is under way or there is nothing to send.
    mutating func next() -> Telemetry? {
        guard inFlight.isEmpty, !waiting.isEmpty else { return nil }
        inFlight = Array(waiting.prefix(Telemetry.limit))
        waiting.removeFirst(inFlight.count)
        return Telemetry(events: inFlight.map { writer.write($0) })
    }

    /// The message has arrived.
    mutating func acknowledge() { inFlight = [] }

    /// The message was refused: what is in it would be refused again.
    mutating func discard() {
        dropped += inFlight.count
        inFlight = []
        writer.restart()
    }

    /// No one knows whether the message has arrived.
    mutating func retry() {
        waiting = inFlight + waiting
        inFlight = []
        writer.restart()
        trim()
    }

    /// Whether more than one event of a leg waits while the next is measured.
    func isUnsent(_ leg: LegName) -> Bool { waiting.lazy.filter { $0.leg == leg }.prefix(2).count > 1 }

    private mutating func trim() {
        let excess = waiting.count - Self.limit
        guard excess > 0 else { return }
        waiting.removeFirst(excess)
        dropped += excess
    }
}
