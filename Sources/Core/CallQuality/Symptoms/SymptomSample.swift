// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a tick says about a symptom.
enum SymptomSample: Sendable {
    /// Nothing: no new figure.
    case none
    /// The figure is bad.
    case bad
    /// The figure is neither bad nor good enough for the symptom to be over.
    case between
    /// The figure is good.
    case good
    /// There is nothing that could be wrong: muted, paused, off, silent intentionally.
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

    /// A figure that is bad at a limit and below.
    init(_ value: Double?, upTo rule: WarningRule) {
        guard let value, value.isFinite else {
            self = .none
            return
        }
        self = value <= rule.trigger ? .bad : value > rule.recover ?? rule.trigger ? .good : .between
    }

    /// A fact that is bad or good.
    init(isBad: Bool?) {
        self = isBad.map { $0 ? .bad : .good } ?? .none
    }
}
