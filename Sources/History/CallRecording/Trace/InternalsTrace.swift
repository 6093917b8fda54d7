// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import WebRTCStats

/// What a document of webrtc-internals has beside its statistics: what the page asked for, and each peer connection's
/// log.
struct InternalsTrace {
    private let document: StatsValue

    init(_ document: StatsValue) { self.document = document }

    /// Notes the page and what it asked of devices.
    func notePage(_ context: inout LineContext) {
        let time = InternalsSeries.time(document["timestamp"]) ?? 0
        context.note(TraceEvent(time: time, content: .page(TraceReader.page(document))))
        guard case .array(let captures)? = document["getUserMedia"] else { return }
        for capture in captures { note(capture, &context) }
    }

    private func note(_ capture: StatsValue, _ context: inout LineContext) {
        guard let time = InternalsSeries.time(capture["timestamp"]) else { return }
        let method = capture["request_type"]?.text ?? "getUserMedia"
        let event: TraceReader
        if let error = capture["error"] {
            let message = capture["error_message"]?.text ?? ""
            event = TraceReader(
                method: method + "OnFailure",
                value: .object([
                    StatsMember(name: "name", value: error),
                    StatsMember(name: "message", value: .string(message)),
                ]))
        } else if capture["audio_track_info"] != nil || capture["video_track_info"] != nil {
            event = TraceReader(method: method + "OnSuccess", value: .array(Self.tracks(capture)))
        } else {
            event = TraceReader(method: method, value: capture)
        }
        context.note(TraceEvent(time: time, content: event.content))
    }

    private static func tracks(_ capture: StatsValue) -> [StatsValue] {
        ["audio", "video"].compactMap { kind in
            guard let text = capture["\(kind)_track_info"], case .object(var track) = TraceReader.object(text)
            else {
                return nil
            }
            track.append(StatsMember(name: "kind", value: .string(kind)))
            return .object(track)
        }
    }

    /// Notes a peer connection's log.
    func note(_ connection: StatsMember, _ context: inout LineContext) {
        var log: [StatsValue] = []
        if case .array(let entries)? = connection.value["updateLog"] { log = entries }
        let first = log.first.flatMap { Self.time($0) }
        if let time = first ?? InternalsSeries.time(document["timestamp"]) {
            let configuration = connection.value["rtcConfiguration"].flatMap { TraceConfiguration($0) }
            context.note(
                TraceEvent(
                    time: time, peerConnection: connection.name,
                    content: .created(configuration)))
        }
        for entry in log {
            guard let method = entry["type"]?.text, let time = Self.time(entry) else { continue }
            let event = TraceReader(method: method, value: Self.value(entry["value"]))
            context.note(TraceEvent(time: time, peerConnection: connection.name, content: event.content))
        }
    }

    /// Entries have had ISO times and Unix times.
    private static func time(_ entry: StatsValue) -> Double? {
        InternalsSeries.time(entry["timestamp"]) ?? InternalsSeries.time(entry["time"])
    }

    /// Values are texts, some of them JSON.
    private static func value(_ value: StatsValue?) -> StatsValue {
        value.map(TraceReader.object) ?? .null
    }
}
