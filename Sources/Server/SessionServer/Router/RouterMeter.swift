// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation

/// Finds how much of what its threads can do a media router does, by its processor time.
struct RouterMeter: Sendable {
    /// Between two measurements.
    static let interval: Duration = .seconds(1)

    private var last: (processorSeconds: Double, at: Duration)?

    /// Processors that a router can keep busy: one for each thread that carries media, if there are enough.
    static func processors(threads: Int) -> Double {
        Double(max(1, min(threads, ProcessInfo.processInfo.activeProcessorCount)))
    }

    /// The share of those processors' time that it took since the last measurement; `nil` if that was just now, or
    /// there was none.
    ///
    /// - Parameter processorSeconds: What its process has taken since it began.
    mutating func share(
        of processors: Double, spent processorSeconds: Double, at now: Duration
    ) -> Double? {
        guard let last else {
            self.last = (processorSeconds, now)
            return nil
        }
        // The kernel counts in hundredths of a second: over a short time they say little.
        guard now - last.at >= Self.interval / 2 else { return nil }
        self.last = (processorSeconds, now)
        return max(0, processorSeconds - last.processorSeconds) / (now - last.at).seconds / processors
    }
}
