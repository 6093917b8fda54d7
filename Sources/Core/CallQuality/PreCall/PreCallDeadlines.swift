// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// When the parts of a pre-call test end at the latest.
///
/// Each step and each stage has a timeout of its own. On a bad network they may all be used up, and together they are longer than
/// anyone waits before a call: so the test as a whole has a time as well. Pure.
package struct PreCallDeadlines: Sendable, Equatable {
    /// The measurement ends then, and the verdict is what is known.
    package let measurement: Duration
    /// Whatever is still under way is given up then; what remains is for leaving the session.
    package let test: Duration

    /// How long the session may take to leave, so that the test is over within ``PreCallRules/duration`` and five seconds.
    package static let leaving: Duration = .milliseconds(600)
    /// What connecting may take beside the measurement before it takes from it.
    private static let connecting: Duration = .milliseconds(3_500)
    /// What a step that the measurement waits for may take beyond it.
    private static let lastStep: Duration = .milliseconds(500)
    /// Seconds; a short measurement makes no network connect faster.
    private static let leastDuration = 10.0
    /// Seconds; no one waits longer, and neither does the server for a page's test.
    private static let longestDuration = 100.0

    /// Those of a test that began at `begin`.
    package init(_ rules: PreCallRules, begin: Duration) {
        measurement = begin + .seconds(max(Self.duration(rules), Self.leastDuration)) + Self.connecting
        test = measurement + Self.lastStep
    }

    /// ``PreCallRules/duration``, seconds, as far as it makes sense: an app may set it to anything.
    static func duration(_ rules: PreCallRules) -> Double {
        rules.duration > 0 ? min(rules.duration, longestDuration) : leastDuration
    }
}
