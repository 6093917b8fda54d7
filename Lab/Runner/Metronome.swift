// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LabScoring
import Synchronization

/// Rings each 50 ms and notes how late: whether the machine itself disturbs a call.
final class Metronome: Sendable {
    private static let period = Duration.milliseconds(50)
    private static let lateness = Duration.milliseconds(100)

    private let state = Mutex(Timeline.Punctuality())

    /// How late it was so far.
    var punctuality: Timeline.Punctuality { state.withLock(\.self) }

    /// Rings until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let due = ContinuousClock.now + Self.period
            do { try await ContinuousClock().sleep(until: due, tolerance: .zero) } catch { return }
            let late = ContinuousClock.now - due
            state.withLock { state in
                state.rings += 1
                if late > Self.lateness { state.lateRings += 1 }
                state.worst = max(state.worst, late / .seconds(1))
            }
        }
    }
}
