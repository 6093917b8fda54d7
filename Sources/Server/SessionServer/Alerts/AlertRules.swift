// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// When a receiver is notified of what is bad about a participant's network.
package struct AlertRules: Sendable, Equatable {
    /// Longest times that may be set, seconds.
    package static let longest: Duration = .seconds(3600)

    /// The condition that is needed: `warning`, or only `critical`.
    package var severity = NetworkCondition.warning
    /// For how long it has to be bad first.
    package var after: Duration = .seconds(10)
    /// For how long it has to be well again before it is over: what is bad again by then is the same.
    package var hold: Duration = .seconds(30)
    /// Whether it is notified of many bad calls at once, too.
    package var takesFleet = true

    /// The defaults.
    package init() {}
}

/// When many calls at once are an alert of their own.
package struct FleetRule: Sendable, Equatable {
    /// Share of bad minutes from which on it is one, more than 0 and at most 1; below three quarters of it, it is over.
    package var badShare = 0.08
    /// How far is looked back.
    package var window: Duration = .seconds(600)
    /// Minutes of streams at participants that there have to be.
    package var minimumMinutes = 50

    /// The defaults.
    package init() {}
}
