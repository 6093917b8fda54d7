// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Result of a network test.
public typealias NetworkTestReport = PreCallReport
/// Steps of a network test, in order.
public typealias NetworkTestStep = PreCallStep
/// Result of a step.
public typealias NetworkTestStepResult = PreCallStepResult
/// One measurement of the quality stage.
public typealias NetworkTestSample = PreCallSample
/// Why a test could not be carried through; its code is a ``SightlineError/Code``, or `outOfTime`.
public typealias NetworkTestFailure = PreCallFailure
/// What a client can publish here and now.
public typealias NetworkTestVerdict = PreCallVerdict
/// Why a medium cannot be published: the limit that was not met.
public typealias NetworkTestReason = PreCallReason

extension PreCallFailure {
    /// What an error in a step means.
    init(_ step: PreCallStep, _ error: any Error) {
        let error = SightlineError(cause: error)
        self.init(step: step, code: error.code.rawValue, found: error.message)
    }
}
