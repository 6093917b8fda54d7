// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a tick says about a warning.
enum WarningSample: Sendable {
    /// Nothing: no new figure.
    case none
    /// The figure is bad.
    case bad
    /// The figure is neither bad nor good enough to take the warning back.
    case between
    /// The figure is good.
    case good
    /// There is nothing to warn of: muted, paused, off, silent on purpose.
    case notApplicable

    /// A figure that is bad above a limit.
    init(_ value: Double?, above rule: WarningRule) {
        guard let value, value.isFinite else {
            self = .none
            return
        }
        self = value > rule.trigger ? .bad : value < rule.recover ?? rule.trigger ? .good : .between
    }

    /// A figure that is bad below a limit.
    init(_ value: Double?, below rule: WarningRule) {
        guard let value, value.isFinite else {
            self = .none
            return
        }
        self = value < rule.trigger ? .bad : value > rule.recover ?? rule.trigger ? .good : .between
    }

    /// A fact that is bad or good.
    init(_ isBad: Bool?) {
        self = isBad.map { $0 ? .bad : .good } ?? .none
    }
}
