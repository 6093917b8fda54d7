// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Result of a step.
public struct PreCallStepResult: Sendable, Equatable, Codable {
    /// Outcome of a step.
    public enum Outcome: String, Sendable, Codable {
        /// As it should.
        case passed
        /// Not as it should; the test ended with it.
        case failed
        /// It was not needed.
        case skipped
    }

    /// The step.
    public var step: PreCallStep
    /// When it began, ms since the test began.
    public var start: Double
    /// Duration, ms.
    public var duration: Double
    /// Outcome.
    public var outcome: Outcome

    /// Describes a step.
    public init(step: PreCallStep, start: Double, duration: Double, outcome: Outcome) {
        self.step = step
        self.start = start
        self.duration = duration
        self.outcome = outcome
    }
}
