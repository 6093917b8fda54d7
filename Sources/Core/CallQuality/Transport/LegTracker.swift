// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What is remembered of a leg's sender, so that a figure it repeats is not taken for a new one.
struct LegTracker: Sendable {
    private var roundTripTime: Double?
    private var measurements: UInt64?

    /// The sender's round trip time if it was measured since the last report, in seconds.
    mutating func newRoundTripTime(_ leg: SenderMetrics?) -> Double? {
        guard let leg, let time = leg.roundTripTime?.ifSane else { return nil }
        defer {
            roundTripTime = time
            measurements = leg.roundTripTimeMeasurements
        }
        let isNew =
            if let count = leg.roundTripTimeMeasurements { count != measurements && count > 0 } else {
                time != roundTripTime
            }
        return isNew ? time : nil
    }
}
