// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import WebRTCStats

/// Lines of our own form.
struct SightlineFormat: LineFormat {
    /// What was decoded last for a peer connection: intents repeat from line to line.
    private var intents: [String: (value: StatsValue, intent: MediaIntent)] = [:]

    mutating func reports(
        ofLine bytes: [UInt8], _ context: inout LineContext
    ) throws(StatsParseError) -> [RecordedReport] {
        let line = try WrappedReports.parse(
            bytes, at: .member(RecordKey.stats), time: RecordKey.time, limits: context.limits.parseLimits)
        let value = line.value
        guard let id = value[RecordKey.pc]?.text, let stats = value[RecordKey.stats] else {
            context.note(.unexpectedForm, "The line has no \"pc\" or no \"stats\".")
            return []
        }
        let view = value[RecordKey.view]?.text
        // What has a view is judged, and kept, by its name.
        guard context.admit(id), context.admit(view ?? id),
            let (report, time) = context.report(at: stats, of: line, time: value[RecordKey.time])
        else { return [] }
        var record = RecordedReport(time: time, peerConnection: id, report: report)
        record.stream = value[RecordKey.stream]?.text
        record.view = view
        record.connection = value[RecordKey.connection].flatMap { connection in
            connection == .null
                ? nil : Self.decode(SubscriberConnection.self, connection, "connection", &context)
        }
        record.remainingInTick = value[RecordKey.remainingInTick]?.number.flatMap { Int(exactly: $0) } ?? 0
        record.intent = value[RecordKey.intent].flatMap { intent(from: $0, of: id, &context) }
        record.remote = value[RecordKey.remote].flatMap { remote in
            remote == .null ? nil : Self.decode(RemoteMetrics.self, remote, "remote metrics", &context)
        }
        return [record]
    }

    private mutating func intent(
        from value: StatsValue, of id: String, _ context: inout LineContext
    ) -> MediaIntent? {
        if value == .null { return nil }
        if let known = intents[id], known.value == value { return known.intent }
        let intent = Self.decode(MediaIntent.self, value, "intent", &context)
        intents[id] = intent.map { (value, $0) }
        return intent
    }

    /// Decodes by way of JSON: the values are small, and most of them were decoded before.
    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ value: StatsValue, _ name: String, _ context: inout LineContext
    ) -> Value? {
        do {
            return try JSONDecoder().decode(type, from: JSONEncoder().encode(value))
        } catch {
            context.note(.unreadableContext, "The \(name) could not be read: \(Self.reason(error)).")
            return nil
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is no JSON object" }
        let context =
            switch error {
            case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
                .valueNotFound(_, let context):
                context
            @unknown default: DecodingError.Context(codingPath: [], debugDescription: "")
            }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? "it has another form" : "\(path) has another form"
    }
}

/// The members of a line of our own form.
enum RecordKey {
    static let time = "time"
    static let pc = "pc"
    static let stats = "stats"
    static let intent = "intent"
    static let remote = "remote"
    static let stream = "stream"
    static let view = "view"
    static let connection = "connection"
    static let remainingInTick = "remainingInTick"
}
