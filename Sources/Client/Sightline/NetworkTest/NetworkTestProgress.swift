// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Progress of a network test.
public struct NetworkTestProgress: Sendable, Equatable {
    /// The current step.
    public var step: NetworkTestStep
    /// Completed fraction, 0 to 1; never decreases.
    public var fraction: Double
    /// The step that has just ended; `nil` if none has since the progress before.
    public var completed: NetworkTestStepResult?
    /// The latest measurement; `nil` if there is none.
    public var sample: NetworkTestSample?

    /// Describes a progress.
    public init(
        step: NetworkTestStep, fraction: Double, completed: NetworkTestStepResult? = nil,
        sample: NetworkTestSample? = nil
    ) {
        self.step = step
        self.fraction = fraction
        self.completed = completed
        self.sample = sample
    }
}

/// Events of a network test.
public enum NetworkTestEvent: Sendable, Equatable {
    /// The test made progress.
    case progress(NetworkTestProgress)
    /// It is over; the last event.
    case finished(NetworkTestReport)
}
