// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import CallRecording
import CallReport
import SessionWire
import WebRTCStats

/// The page about a stored call, the same as of a recorded one: `GET /v1/sessions/{session}/report`.
///
/// Pure: made of what was read from the store.
struct SessionReport: Sendable {
    let summary: SessionSummary
    /// What was measured, in any order.
    let samples: [SampleEntry]
    /// What happened, in any order; warnings and the like belong to the samples of the same moment.
    let events: [TimelineEntry]
    /// The last raw report of flows of which some were kept.
    let reports: [ReportEntry]
    /// Further notes for the reader.
    var notes: [String] = []
    /// Whether there were more events or samples than are looked at.
    var isTruncated = false

    /// The page.
    var html: String {
        let names = CallNames(summary)
        let flows = summary.flows.map(\.flow)
        let ends = Dictionary(flows.map { (Self.view($0), names.ends($0)) }) { first, _ in first }
        let facts = StoredCallFacts(
            name: summary.overview.session, ends: ends, participants: names.participants,
            reports: lastReports, notes: notes)
        return ReportPage(facts, timeline: timeline).html
    }

    /// The call as its ends reported it; flows without telemetry as the router saw them.
    var timeline: CallTimeline {
        var builder = TimelineBuilder()
        for (observation, flow) in observations {
            builder.take(observation, of: Self.view(flow), stream: flow.stream)
        }
        return builder.timeline
    }

    /// What the ends observed, in the order of time.
    var observations: [(CallObservation, FlowDescription)] {
        let reported = Set(samples.lazy.filter { $0.observer == .client }.map(\.flow))
        let occurrences = occurrences
        return samples.sorted { $0.time < $1.time }.compactMap { entry in
            guard entry.observer == .client || !reported.contains(entry.flow) else { return nil }
            var sample = entry.sample
            sample.events = occurrences[Moment(flow: entry.flow, time: entry.time)]
            return (CallObservation(time: entry.time, sample: sample, of: role(entry)), entry.flow)
        }
    }

    /// The router receives what a publisher sends, and sends what a subscriber receives.
    private func role(_ entry: SampleEntry) -> StreamRole {
        let isSender = (entry.flow.role == .publisher) == (entry.observer == .client)
        return isSender ? .publisher : .subscriber
    }

    private struct Moment: Hashable {
        var flow: FlowDescription
        var time: Double
    }

    /// Events of the clients' ticks, by their samples.
    private var occurrences: [Moment: [StreamEvent]] {
        var found: [Moment: [StreamEvent]] = [:]
        for event in events {
            guard let connection = event.connection, let stream = event.stream, let role = event.role,
                let occurrence = StreamEvent(event)
            else { continue }
            let flow = FlowDescription(
                session: summary.overview.session, connection: connection, stream: stream, role: role)
            found[Moment(flow: flow, time: event.time), default: []].append(occurrence)
        }
        return found
    }

    private var lastReports: [CallView.ID: RecordedReport] {
        var found: [CallView.ID: RecordedReport] = [:]
        for entry in reports {
            guard let report = try? StatsReport.parse(entry.json).report else { continue }
            let view = Self.view(entry.flow)
            found[view] = RecordedReport(
                time: entry.time, peerConnection: view.peerConnection, report: report)
        }
        return found
    }
}

extension SessionReport {
    /// - Parameter participant: The place of the flow's connection, where participants are distinguished.
    static func view(_ flow: FlowDescription, of participant: Int = 0) -> CallView.ID {
        CallView.ID(
            recording: participant, peerConnection: "\(flow.connection) \(flow.stream)",
            role: flow.role)
    }
}

/// What people and streams of a call are called on its page.
private struct CallNames {
    private let connections: [ConnectionSummary]
    private let labels: [String: String]
    private let streams: [String: StreamSummary]

    init(_ summary: SessionSummary) {
        connections = summary.connections
        // As the dashboard labels them: by name, by its pseudonym, or by the connection.
        let labels = connections.map { one in
            (one.connection, one.name ?? Self.short(one.participant ?? one.connection))
        }
        self.labels = Dictionary(labels) { first, _ in first }
        streams = Dictionary(summary.streams.map { ($0.stream, $0) }) { first, _ in first }
    }

    func ends(_ flow: FlowDescription) -> StoredCallFacts.Ends {
        let own = name(flow.connection)
        let stream = streams[flow.stream]
        let sender = stream?.connection.map(name) ?? "somebody"
        guard flow.role == .publisher else {
            return .init(own: own, sender: sender, title: "\(own) receives \(sender)")
        }
        let what = stream?.hasVideo == false ? "audio" : stream?.videoType.name ?? "a stream"
        return .init(own: own, sender: own, title: "\(own) sends \(what)")
    }

    var participants: [StoredCallFacts.Participant] {
        connections.map { one in
            .init(
                name: name(one.connection), role: one.role.name, client: one.client, joined: one.joinTime,
                left: one.leaveTime, reason: one.reason?.label)
        }
    }

    private func name(_ connection: String) -> String { labels[connection] ?? Self.short(connection) }

    private static func short(_ id: String) -> String { String(id.prefix(7)) }
}

extension StreamEvent {
    /// An event of a tick, from what was stored of it; `nil` for anything else.
    fileprivate init?(_ entry: TimelineEntry) {
        guard entry.detail["observer"] == Observer.client.name else { return nil }
        self.init(type: entry.type, detail: entry.detail)
    }
}
