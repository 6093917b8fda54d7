// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

/// Applies a schedule to a client as time goes by.
struct ConditionRunner: Sendable {
    let schedule: ConditionSchedule

    /// What holds at the beginning.
    var first: NetworkConditions { schedule.steps.first { $0.time == 0 }?.conditions ?? NetworkConditions() }

    /// Applies the later steps; ends with the last one or by cancellation.
    func run(_ apply: (NetworkConditions) throws -> Void) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        for step in schedule.steps where step.time > 0 {
            try await clock.sleep(until: start + .seconds(step.time))
            try apply(step.conditions)
        }
    }
}

extension ConditionSchedule {
    /// Whether a step cuts the signalling socket, which headless clients cannot yet do.
    var cutsSignaling: Bool { steps.contains { !$0.signaling } }
}
