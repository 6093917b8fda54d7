// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation

/// Finds how much of what its threads can do a media router does, by its processor time.
///
/// All packets come and go through one thread of libwebrtc, and all media engines run on another one: either may
/// have all that it can do while the process has time to spare, so the busiest thread counts by itself.
struct RouterMeter: Sendable {
    /// What a router's process has taken since it began, seconds.
    struct Spent: Sendable, Equatable {
        var process: Double
        /// By its threads' ids; of those that are not in it nothing is known.
        var threads: [Int32: Double] = [:]

        /// What the thread took since then that took most; 0 if nothing is known of any.
        ///
        /// One that was not known then may have begun long before, and does not count until the next time.
        fileprivate func busiestThread(since earlier: Spent) -> Double {
            threads.reduce(0.0) { most, thread in
                guard let before = earlier.threads[thread.key] else { return most }
                return max(most, thread.value - before)
            }
        }
    }

    /// Between two measurements.
    static let interval: Duration = .seconds(1)

    private var last: (spent: Spent, at: Duration)?

    /// Processors that a router can keep busy: one for each thread that carries media, if there are enough.
    static func processors(threads: Int) -> Double {
        Double(max(1, min(threads, ProcessInfo.processInfo.activeProcessorCount)))
    }

    /// The share of those processors' time that it took since the last measurement, or of one's that its busiest
    /// thread took if that is more; `nil` if that measurement was just now, or there was none.
    mutating func share(of processors: Double, spent: Spent, at now: Duration) -> Double? {
        guard let last else {
            self.last = (spent, now)
            return nil
        }
        // The kernel counts in hundredths of a second: over a short time they say little.
        guard now - last.at >= Self.interval / 2 else { return nil }
        self.last = (spent, now)
        let process = max(0, spent.process - last.spent.process) / processors
        return max(process, spent.busiestThread(since: last.spent)) / (now - last.at).seconds
    }
}
