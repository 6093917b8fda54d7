// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

enum ConditionFuzzing {
    /// What stands after `--condition`, or in a schedule's file.
    static func run(_ input: UnsafeRawBufferPointer) throws {
        let text = String(decoding: input, as: UTF8.self)
        _ = try? NetworkConditions(parsing: text)
        guard let schedule = try? ConditionSchedule(parsing: text) else { return }
        try require(!schedule.steps.isEmpty, "a schedule without a step")
        let times = schedule.steps.map(\.time)
        try require(zip(times, times.dropFirst()).allSatisfy(<), "steps are not in order: \(times)")
        _ = schedule.filtered(to: .up)
    }
}
