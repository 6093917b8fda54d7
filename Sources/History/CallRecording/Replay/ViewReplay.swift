// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What is kept of one view while a recording is replayed.
struct ViewReplay: Sendable {
    private var view: CallView
    private var builder = IntervalBuilder()
    private var lastTimestamp: Double?
    private var lastDiagnosis: Diagnosis?
    private let keepsObservations: Bool

    init(_ id: CallView.ID, keepsObservations: Bool) {
        view = CallView(id: id)
        self.keepsObservations = keepsObservations
    }

    /// The view so far.
    var result: CallView {
        var view = view
        view.intervals = builder.intervals
        return view
    }

    /// Takes what the next report said.
    ///
    /// - Returns: What that means; nothing for a report that was repeated or late, since it says nothing new.
    mutating func take(_ observation: CallObservation, stream: String?) -> [TimelineEvent] {
        view.stream = stream ?? view.stream
        let timestamp = observation.timestamp
        guard timestamp != lastTimestamp else { return [] }
        lastTimestamp = timestamp
        view.reports += 1
        if keepsObservations { view.observations.append(observation) }
        builder.add(observation.diagnosis, at: observation.time)
        return diagnosisChange(observation) + observation.events(of: view)
    }

    private mutating func diagnosisChange(_ observation: CallObservation) -> [TimelineEvent] {
        let diagnosis = observation.diagnosis
        defer { lastDiagnosis = diagnosis }
        guard lastDiagnosis?.says(diagnosis) != true else { return [] }
        let isWorse = diagnosis.cause.isProblem && diagnosis.isWorse(than: lastDiagnosis)
        return [observation.event(.diagnosisChanged(diagnosis), isAlarm: isWorse, of: view)]
    }
}

extension CallObservation {
    /// What the observation says that it caused.
    fileprivate func events(of view: CallView) -> [TimelineEvent] {
        events.map { event(.stream($0), isAlarm: $0.isAlarm, of: view) }
    }

    fileprivate func event(_ kind: TimelineEvent.Kind, isAlarm: Bool, of view: CallView) -> TimelineEvent {
        TimelineEvent(
            time: time, view: view.id, stream: view.stream, kind: kind, isAlarm: isAlarm, content: content)
    }
}

extension Diagnosis {
    /// Whether another diagnosis is the same, apart from its figures.
    fileprivate func says(_ other: Diagnosis) -> Bool {
        cause == other.cause && direction == other.direction && side == other.side
            && severity == other.severity
    }

    fileprivate func isWorse(than other: Diagnosis?) -> Bool {
        guard let other, other.cause.isProblem else { return true }
        return cause != other.cause || direction != other.direction
            || severity?.rawValue ?? 0 > other.severity?.rawValue ?? 0
    }
}
