// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A client's telemetry.
package struct Telemetry: Sendable, Equatable, Codable {
    /// At most ``limit`` in one message.
    package var events: [TelemetryEvent]

    /// Most events in one message.
    package static let limit = 32

    /// Creates a message.
    package init(events: [TelemetryEvent]) { self.events = events }
}
