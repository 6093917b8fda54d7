// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallQuality
import SessionWire

/// All that support needs to know of one participant's problems: `GET /v1/sessions/{session}/support-case`.
struct SupportCase: Codable, Sendable, Equatable {
    /// Problems and their durations, in plain words.
    struct Finding: Codable, Sendable, Equatable {
        var flow: FlowDescription
        var observer: Observer
        var diagnosis: Diagnosis
        /// For support.
        var sentence: String?
        /// First and last time, Unix ms.
        var first: Double
        var last: Double
        var samples: Int
    }

    /// Most samples in one case.
    static let sampleLimit = 20_000
    /// Most events in one case.
    static let eventLimit = 2000

    var session: SessionOverview
    /// `nil` for everyone.
    var participant: String?
    /// Unix ms; `nil` for the session's beginning.
    var from: Double?
    /// Unix ms; `nil` for the session's end.
    var to: Double?
    var connections: [ConnectionSummary]
    var streams: [StreamSummary]
    /// What was wrong, the longest first.
    var findings: [Finding]
    var alerts: [Alert]
    var events: [TimelineEntry]
    var samples: [SampleEntry]
    /// Whether there were more events or samples than a case holds.
    var isTruncated: Bool

    /// Gathers a case; `nil` if there is no such session.
    static func make(
        _ query: WindowQuery, from store: any HistoryStore, showsNames: Bool
    ) async throws -> SupportCase? {
        var query = query
        query.limit = sampleLimit
        guard let summary = try await store.summary(session: query.session, showsNames: showsNames),
            let samples = try await store.samples(query)
        else { return nil }
        query.limit = eventLimit
        let events = try await store.timeline(query)?.items ?? []
        var alerts = AlertQuery()
        alerts.session = query.session
        alerts.participant = query.participant
        alerts.from = query.from
        alerts.to = query.to
        alerts.limit = 200
        let own = summary.connections.filter { connection in
            query.participant.map { $0 == connection.participant } ?? true
        }
        return SupportCase(
            session: summary.overview, participant: query.participant, from: query.from, to: query.to,
            connections: own, streams: summary.streams, findings: findings(samples.items),
            alerts: try await store.alerts(alerts).items, events: events, samples: samples.items,
            isTruncated: samples.items.count == sampleLimit || events.count == eventLimit)
    }

    private struct Subject: Hashable {
        var flow: FlowDescription
        var observer: Observer
        var cause: Diagnosis.Cause
        var direction: NetworkDirection?
        var side: NetworkDegradationSource?
    }

    private static func findings(_ samples: [SampleEntry]) -> [Finding] {
        var found: [Subject: Finding] = [:]
        for sample in samples {
            guard let measured = sample.sample.diagnosis, ![.none, .unknown].contains(measured.cause)
            else { continue }
            // However bad it was at the moment, it is one issue.
            let diagnosis = Diagnosis(
                cause: measured.cause, direction: measured.direction, side: measured.side)
            let subject = Subject(
                flow: sample.flow, observer: sample.observer, cause: measured.cause,
                direction: measured.direction, side: measured.side)
            var finding =
                found[subject]
                ?? Finding(
                    flow: sample.flow, observer: sample.observer, diagnosis: diagnosis,
                    sentence: DiagnosisSentences().sentence(for: diagnosis, to: .support), first: sample.time,
                    last: sample.time, samples: 0)
            finding.samples += 1
            finding.first = min(finding.first, sample.time)
            finding.last = max(finding.last, sample.time)
            if let severity = measured.severity {
                finding.diagnosis.severity = max(severity, finding.diagnosis.severity ?? severity)
            }
            found[subject] = finding
        }
        return found.values.sorted { ($0.samples, $1.first) > ($1.samples, $0.first) }
    }
}
