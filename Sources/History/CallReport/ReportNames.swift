// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// How files, peer connections and streams are called in a report.
struct ReportNames: Sendable {
    private let showsNames: Bool
    private let ends: [CallView.ID: StoredCallFacts.Ends]
    private var connections: [String: Int] = [:]
    private var streams: [String: Int] = [:]

    /// - Parameter ends: Of a stored call, whose views go by them.
    init(_ timeline: CallTimeline, showsNames: Bool, ends: [CallView.ID: StoredCallFacts.Ends] = [:]) {
        self.showsNames = showsNames
        self.ends = ends
        for view in timeline.views {
            let key = Self.key(view.id.recording, view.id.peerConnection)
            if connections[key] == nil { connections[key] = connections.count + 1 }
            if let stream = view.stream, streams[stream] == nil { streams[stream] = streams.count + 1 }
        }
        for client in timeline.facts.clients {
            for connection in client.connections {
                let key = Self.key(client.recording, connection.pc)
                if connections[key] == nil { connections[key] = connections.count + 1 }
            }
        }
    }

    /// A view, for a heading.
    func title(_ view: CallView) -> String {
        if let ends = ends[view.id] { return ends.title }
        let role = view.id.role == .publisher ? "Sending" : "Receiving"
        let stream = view.stream.map { name in
            ", " + (showsNames ? "stream \(name)" : "stream \(streams[name] ?? 0)")
        }
        let track = view.id.track.map { ", \($0.label)" } ?? ""
        return
            "\(role): \(connection(recording: view.id.recording, view.id.peerConnection))\(track)\(stream ?? "")"
    }

    /// A view, in few words.
    func short(_ id: CallView.ID) -> String {
        if let ends = ends[id] { return ends.title }
        let connection = connection(recording: id.recording, id.peerConnection)
        return "\(id.role == .publisher ? "sends" : "receives"), \(connection)"
    }

    /// The side of a problem that a view shows.
    func place(_ interval: DiagnosisInterval, _ view: CallView.ID) -> IssueLocation {
        IssueLocation(interval, of: view.role, ends: ends[view])
    }

    /// A peer connection.
    func connection(recording: Int, _ name: String) -> String {
        if showsNames { return name }
        return connections[Self.key(recording, name)].map { "connection \($0)" } ?? "another connection"
    }

    func recording(_ summary: RecordingSummary, at index: Int) -> String {
        showsNames ? summary.name : "recording \(index + 1)"
    }

    private static func key(_ recording: Int, _ name: String) -> String { "\(recording) \(name)" }
}
