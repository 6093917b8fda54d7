// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Raises and takes back warnings: never the same phase twice in a row.
struct WarningMonitor: Sendable {
    /// When a warning is believed.
    enum Belief: Sendable {
        /// When it lasted for the rule's duration.
        case lasting
        /// When it is so in 3 of the last 4 samples.
        case threeOfFour
    }

    fileprivate struct State: Sendable {
        var kind: CallQualityWarning.Kind
        var media: CallQualityWarning.Media?
        var direction: CallQualityWarning.Direction?
        var raisedAt: Double?
        var badSince: Double?
        var recent: [Bool] = []
    }

    private var states: [State] = []
    private var begin: Double?
    /// When the tick began that is judged: figures are about the time since then.
    var tickBegin: Double?
    private let connectionId: String?

    init(connectionId: String? = nil) { self.connectionId = connectionId }

    /// Takes a sample of a warning's figure; returns the warning if it begins or ends with it.
    mutating func handle(
        _ kind: CallQualityWarning.Kind, _ media: CallQualityWarning.Media?,
        _ direction: CallQualityWarning.Direction?, _ sample: WarningSample, _ rule: WarningRule,
        _ belief: Belief = .lasting, at time: Double
    ) -> CallQualityWarning? {
        begin = begin ?? time
        guard rule.isEnabled else { return nil }
        let index = place(kind, media, direction)
        let phase = states[index].handle(
            sample, rule, belief, tickBegin ?? time, at: time, age: (time - (begin ?? time)) / 1000)
        return phase.map {
            CallQualityWarning(
                kind: kind, phase: $0, media: media, direction: direction, connectionId: connectionId)
        }
    }

    /// Whether a warning is raised.
    func isRaised(_ kind: CallQualityWarning.Kind) -> Bool {
        states.contains { $0.kind == kind && $0.raisedAt != nil }
    }

    private mutating func place(
        _ kind: CallQualityWarning.Kind, _ media: CallQualityWarning.Media?,
        _ direction: CallQualityWarning.Direction?
    ) -> Int {
        for index in states.indices
        where states[index].kind == kind && states[index].media == media
            && states[index].direction == direction
        {
            return index
        }
        states.append(State(kind: kind, media: media, direction: direction))
        return states.endIndex - 1
    }
}

extension WarningMonitor.State {
    fileprivate mutating func handle(
        _ sample: WarningSample, _ rule: WarningRule, _ belief: WarningMonitor.Belief, _ begin: Double,
        at time: Double, age: Double
    ) -> CallQualityWarning.Phase? {
        let verdict: Bool?
        switch (sample, belief) {
        case (.none, _): return nil
        case (.notApplicable, _):
            recent = []
            badSince = nil
            verdict = false
        case (_, .threeOfFour): verdict = threeOfFour(sample)
        case (_, .lasting): verdict = lasting(sample, rule, begin, time)
        }
        return settle(verdict, rule, time, age)
    }

    /// True for bad, false for good, nil to keep what it is.
    private mutating func threeOfFour(_ sample: WarningSample) -> Bool? {
        if case .bad = sample { recent.append(true) } else { recent.append(false) }
        if recent.count > 4 { recent.removeFirst() }
        return recent.count { $0 } >= 3
    }

    private mutating func lasting(
        _ sample: WarningSample, _ rule: WarningRule, _ begin: Double, _ time: Double
    ) -> Bool? {
        switch sample {
        case .bad:
            let since = badSince ?? begin
            badSince = since
            return time - since >= rule.duration * 1000 ? true : nil
        case .between:
            // Enough to keep a warning, not enough to raise one.
            if raisedAt == nil { badSince = nil }
            return nil
        default:
            badSince = nil
            return false
        }
    }

    private mutating func settle(
        _ isBad: Bool?, _ rule: WarningRule, _ time: Double, _ age: Double
    ) -> CallQualityWarning.Phase? {
        guard let isBad else { return nil }
        if isBad, raisedAt == nil, age >= rule.grace {
            raisedAt = time
            return .trigger
        }
        if !isBad, let since = raisedAt, time - since >= rule.hold * 1000 {
            raisedAt = nil
            return .recover
        }
        return nil
    }
}
