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
        var found: [CallQualityWarning] = []
        for index in states.indices {
            let symptom = states[index].symptom
            let isPresent = symptoms.present.contains(symptom)
            guard let phase = states[index].handle(isPresent, age: (time - begin) / 1000, at: time) else {
                continue
            }
            found.append(
                CallQualityWarning(
                    kind: symptom.kind, phase: phase, media: symptom.media, direction: symptom.direction,
                    connectionId: connectionId))
        }
        return found
    }
}

/// Whether one warning is raised.
private struct WarningState: Sendable {
    let symptom: Symptom
    let grace: Double
    let hold: Double
    private var raisedAt: Double?

    init(symptom: Symptom, grace: Double, hold: Double) {
        self.symptom = symptom
        self.grace = grace
        self.hold = hold
    }

    mutating func handle(_ isPresent: Bool, age: Double, at time: Double) -> CallQualityWarning.Phase? {
        if isPresent, raisedAt == nil, age >= grace {
            raisedAt = time
            return .trigger
        }
        if !isPresent, let since = raisedAt, time - since >= hold * 1000 {
            raisedAt = nil
            return .recover
        }
        return nil
    }
}
