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
        guard observation.timestamp != lastTimestamp else { return [] }
        lastTimestamp = observation.timestamp
        view.reports += 1
        if keepsObservations { view.observations.append(observation) }
        builder.add(observation.diagnosis, at: observation.time)
        defer { lastDiagnosis = observation.diagnosis }
        guard lastDiagnosis?.says(observation.diagnosis) != true else { return [] }
        let kind = TimelineEvent.Kind.diagnosisChanged(observation.diagnosis)
        return [TimelineEvent(time: observation.time, view: view.id, stream: view.stream, kind: kind)]
    }
}

extension Diagnosis {
    /// Whether another diagnosis tells the same, apart from its figures.
    fileprivate func says(_ other: Diagnosis) -> Bool {
        cause == other.cause && direction == other.direction && side == other.side
            && severity == other.severity
    }
}
