// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import LabScoring
import Synchronization

/// Rings each 50 ms and notes how late: whether the machine itself disturbs a call.
///
/// Has a thread of its own, so that work of the call's tasks does not count as the machine's.
final class Metronome: Sendable {
    private static let period = 0.05
    private static let lateness = Duration.milliseconds(20)

    private struct State {
        var punctuality = Timeline.Punctuality()
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Begins to ring.
    init() {
        Thread.detachNewThread { [self] in while ring() {} }
    }

    /// How late it was so far.
    var punctuality: Timeline.Punctuality { state.withLock(\.punctuality) }

    /// Ends the ringing.
    func stop() { state.withLock { $0.isStopped = true } }

    private func ring() -> Bool {
        let due = ContinuousClock.now + .seconds(Self.period)
        Thread.sleep(forTimeInterval: Self.period)
        let late = ContinuousClock.now - due
        return state.withLock { state in
            state.punctuality.rings += 1
            if late > Self.lateness { state.punctuality.lateRings += 1 }
            state.punctuality.worst = max(state.punctuality.worst, late.seconds)
            return !state.isStopped
        }
    }
}
