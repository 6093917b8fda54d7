// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import NIOSignaling

/// Applies a schedule to a client as time goes by.
struct ConditionRunner: Sendable {
    let schedule: ConditionSchedule

    /// What holds at the beginning.
    var first: NetworkConditions { schedule.steps.first { $0.time == 0 }?.conditions ?? NetworkConditions() }

    /// Applies the later steps, and of the first what concerns signalling; ends with the last one or by cancellation.
    func run(_ gate: SignalingGate, _ apply: (NetworkConditions) throws -> Void) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        for step in schedule.steps {
            if step.time > 0 {
                try await clock.sleep(until: start + .seconds(step.time))
                try apply(step.conditions)
            }
            gate.isOpen = step.letsSignalingThrough
        }
    }
}
