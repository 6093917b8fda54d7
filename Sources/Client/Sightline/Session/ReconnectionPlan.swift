// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// When a session that has lost its socket tries to open another one.
///
/// Pure. The first attempt is made at once. The waits between the others grow, and each is drawn from the
/// upper half of its length, so that the clients of a server that was away do not come back all at once.
struct ReconnectionPlan: Sendable, Equatable {
    /// Longest waits before the first, second, … attempt; the last one goes for all that follow.
    var waits: [Duration] = [.zero, .milliseconds(300), .milliseconds(600), .seconds(1), .milliseconds(1500)]
    /// How long an attempt may take before another socket is tried: less than TCP would wait, because after an
    /// outage a new socket is sooner there than the next repetition on an old one.
    var attemptLimit: Duration = .seconds(4)
    private(set) var attempts = 0

    /// The wait before the next attempt; `nil` when it would come after `remaining` time.
    mutating func next(
        remaining: Duration, using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard remaining > .zero, let last = waits.last else { return nil }
        let longest = attempts < waits.count ? waits[attempts] : last
        attempts += 1
        let wait = longest * Double.random(in: 0.5...1, using: &generator)
        return wait < remaining ? wait : nil
    }

    /// Whether another attempt may succeed after this failure.
    static func isWorthRetrying(_ error: any Error) -> Bool {
        switch error {
        case let error as ServerError:
            ![
                .resumptionOver, .unsupportedVersion, .invalidToken, .expiredToken, .unknownSession,
                .forbidden,
            ].contains(error.code)
        case let error as SightlineError: error.code != .connectionOver
        default: true
        }
    }
}
