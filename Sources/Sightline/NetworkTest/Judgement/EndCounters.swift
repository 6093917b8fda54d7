// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What one end of the path had received at one moment: counters that only grow.
struct EndCounters: Sendable, Equatable {
    /// Of one medium.
    struct Medium: Sendable, Equatable {
        var packetsReceived: UInt64 = 0
        var packetsLost: Int64 = 0
        var bytesReceived: UInt64 = 0
        /// Seconds; `nil` if the end does not say.
        var jitter: Double?
    }

    /// ms by the clock of that end.
    var timestamp: Double
    /// When this client knew of it, by its own clock.
    var knownAt: Duration
    /// UDP payload of the whole connection.
    var bytesReceived: UInt64?
    /// Packets of the whole connection.
    var packetsReceived: UInt64?
    var audio: Medium?
    var video: Medium?

    subscript(medium: NetworkTestReason.Medium) -> Medium? { medium == .audio ? audio : video }
}
