// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Decides when a video gives way to the audio beside it: for the router on each subscriber's downlink, for a
/// publisher on its own uplink.
///
/// Pure: time comes in, the state goes out.
package struct AudioFallback: Sendable {
    /// Its thresholds and times.
    package let rules: AudioFallbackRules
    /// Its current state.
    package private(set) var state = FallbackState.on

    /// Start of the time in which the estimate has not covered the demand.
    private var shortSince: Duration?
    /// Start of the time in which it has covered it with a margin.
    private var fitsSince: Duration?
    /// Start of the time, after that, in which it has not.
    private var missesSince: Duration?
    private var wait: Duration
    /// When video was last restored.
    private var lastReturn: Duration?

    /// Starts with video on.
    package init(rules: AudioFallbackRules) {
        self.rules = rules
        wait = Self.duration(rules.backAfter)
    }

    /// Moves on at `now`, which must not go backwards.
    ///
    /// - Parameters:
    ///   - estimate: Estimated capacity of the path, bps; `nil` before that is known.
    ///   - needed: What the least video and the audio take, bps; `nil` while there is no video to judge by.
    package mutating func handle(estimate: Double?, needed: Double?, at now: Duration) {
        guard let estimate, let needed else {
            shortSince = nil
            fitsSince = nil
            missesSince = nil
            if state == .warned { state = .on }
            return
        }
        if state == .off {
            awaitReturn(fits: estimate >= needed * (1 + rules.spare), at: now)
        } else {
            watch(fits: estimate >= needed, at: now)
        }
    }

    /// Video is not wanted: nothing can give way, and what was learnt of the waits stays.
    package mutating func rest() {
        state = .on
        shortSince = nil
        fitsSince = nil
        missesSince = nil
    }

    private mutating func watch(fits: Bool, at now: Duration) {
        guard !fits else {
            shortSince = nil
            state = .on
            return
        }
        let since = shortSince ?? now
        shortSince = since
        if now - since >= Self.duration(rules.offAfter) {
            switchOff(at: now)
        } else if now - since >= Self.duration(rules.warningAfter) {
            state = .warned
        }
    }

    private mutating func switchOff(at now: Duration) {
        let isRepeated = lastReturn.map { now - $0 < Self.duration(rules.repeatWithin) } ?? false
        let first = Self.duration(rules.backAfter)
        wait = isRepeated ? min(wait * 2, max(first, Self.duration(rules.longestBackAfter))) : first
        state = .off
        shortSince = nil
        fitsSince = nil
        missesSince = nil
    }

    private mutating func awaitReturn(fits: Bool, at now: Duration) {
        guard fits else {
            let since = missesSince ?? now
            missesSince = since
            if now - since >= Self.duration(rules.longestMiss) { fitsSince = nil }
            return
        }
        missesSince = nil
        let since = fitsSince ?? now
        fitsSince = since
        guard now - since >= wait else { return }
        state = .on
        fitsSince = nil
        missesSince = nil
        lastReturn = now
    }

    /// Rules come from outside: what is no time counts as none.
    private static func duration(_ seconds: Double) -> Duration {
        seconds.isFinite ? .seconds(min(max(0, seconds), 3600)) : .zero
    }
}
