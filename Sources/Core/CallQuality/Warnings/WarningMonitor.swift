// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Raises the warnings of symptoms and takes them back: never the same phase twice in a row.
///
/// Only here it matters which warnings are wanted, how early and for how long.
struct WarningMonitor: Sendable {
    private var states: [WarningState]
    private var begin: Double?
    private let connectionId: String?

    init(_ definitions: [SymptomDefinition], _ rules: WarningRules, connectionId: String? = nil) {
        self.connectionId = connectionId
        states = definitions.compactMap { definition in
            let rule = rules[keyPath: definition.rule]
            guard rule.isEnabled else { return nil }
            return WarningState(symptom: definition.symptom, grace: rule.grace, hold: rule.hold)
        }
    }

    /// Takes a tick's symptoms; returns the warnings that begin or end with it.
    mutating func handle(_ symptoms: Symptoms, at time: Double) -> [CallQualityWarning] {
        let begin = begin ?? time
        self.begin = begin
        return states.indices.compactMap { index in
            let symptom = states[index].symptom
            let change: WarningState.Change? =
                if symptoms.notApplicable.contains(symptom) {
                    states[index].clear()
                } else {
                    states[index].handle(
                        symptoms.present.contains(symptom), age: (time - begin) / 1000, at: time)
                }
            return change.map { warning(of: symptom, $0) }
        }
    }

    /// Nothing is left that its warnings could be about; returns those that end with it.
    mutating func clear() -> [CallQualityWarning] {
        states.indices.compactMap { index in
            states[index].clear().map { warning(of: states[index].symptom, $0) }
        }
    }

    private func warning(of symptom: Symptom, _ change: WarningState.Change) -> CallQualityWarning {
        let isOfSource = symptom.isOfSource
        return CallQualityWarning(
            kind: symptom.kind, phase: change == .raised ? .trigger : .recover, media: symptom.media,
            direction: symptom.direction, connectionId: isOfSource ? nil : connectionId,
            recovery: change.recovery)
    }
}

/// Whether one warning is raised.
private struct WarningState: Sendable {
    enum Change {
        case raised, recovered, notApplicable

        var recovery: CallQualityWarning.Recovery? {
            switch self {
            case .raised: nil
            case .recovered: .measured
            case .notApplicable: .notApplicable
            }
        }
    }

    let symptom: Symptom
    let grace: Double
    let hold: Double
    private var raisedAt: Double?

    init(symptom: Symptom, grace: Double, hold: Double) {
        self.symptom = symptom
        self.grace = grace
        self.hold = hold
    }

    mutating func handle(_ isPresent: Bool, age: Double, at time: Double) -> Change? {
        if isPresent, raisedAt == nil, age >= grace {
            raisedAt = time
            return .raised
        }
        if !isPresent, let since = raisedAt, time - since >= hold * 1000 {
            raisedAt = nil
            return .recovered
        }
        return nil
    }

    /// There is nothing that it could be about: no hold keeps it.
    mutating func clear() -> Change? {
        guard raisedAt != nil else { return nil }
        raisedAt = nil
        return .notApplicable
    }
}
