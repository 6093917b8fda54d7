// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How far a network test has come.
public struct NetworkTestProgress: Sendable, Equatable {
    /// What it is doing.
    public var step: NetworkTestStep
    /// How much of it is done, 0 to 1; never goes back.
    public var fraction: Double
    /// The step that has just ended; `nil` if none has since the progress before.
    public var completed: NetworkTestStepResult?
    /// What has just been measured; `nil` if nothing was.
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

/// What a network test tells.
public enum NetworkTestEvent: Sendable, Equatable {
    /// It has come further.
    case progress(NetworkTestProgress)
    /// It is over; the last event.
    case finished(NetworkTestReport)
}
