// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallQuality
import CallRecording
import Foundation
import HTTPTypes
import Hummingbird
import SessionWire
import WebRTCStats

// Raw reports that are kept.

extension HistoryRoutes {
    func addReports(to router: Router<BasicRequestContext>) {
        router.add(.reports, reports)
        router.add(.keepReports, keepReports)
    }

    private func reports(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        return try await read(call) { _, reader in
            let query = try reader.window(session)
            let wantsRecording = try reader.wantsRecording()
            guard let page = try await store().reports(query) else { throw Self.noSession }
            guard wantsRecording else { return try Self.json(page) }
            var encoder = RecordingEncoder(redactsAddresses: false)
            let lines = page.items.compactMap { entry in
                entry.recorded.map { encoder.line(for: $0) }
            }
            return .page(
                of: String(decoding: lines.joined(), as: UTF8.self), Response.recordingType,
                next: page.next?.rawValue)
        }
    }

    private static func json(_ page: StorePage<ReportEntry>) throws -> Response {
        // The reports are JSON already.
        var body = JSONWriter()
        body.beginObject()
        body.member("next", json: try JSONEncoder.sorted.encode(page.next))
        body.name("reports")
        body.beginArray()
        for entry in page.items {
            body.beginObject()
            body.member("flow", json: try JSONEncoder.sorted.encode(entry.flow))
            body.member("report", json: entry.json)
            body.member("time", json: "\(Int64(entry.time))".utf8)
            body.endObject()
        }
        body.endArray()
        body.endObject()
        return .text(String(decoding: body.bytes, as: UTF8.self), "application/json")
    }

    private func keepReports(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        _ = try await gate.enter(call)
        let body: KeepReports = try await call.request.read(upTo: bodyBytes)
        guard (0...86_400).contains(body.seconds) else {
            throw APIError(.badRequest, ServerError(.malformed, "\"seconds\" must be 0 to 86400"))
        }
        let until = Date().addingTimeInterval(body.seconds).unixTime
        guard await hub.keepReports(ofSession: session, until: body.seconds > 0 ? until : nil) else {
            throw Self.noSession
        }
        return try .json(ReportsKept(until: until.rounded()))
    }
}

extension ReportEntry {
    /// It as a report of a recording; `nil` if it cannot be read.
    ///
    /// Of an observed call nothing is known beside it: what was wanted is inferred from it again.
    var recorded: RecordedReport? {
        guard var report = try? StatsReport.parse(json).report else { return nil }
        // The server's is the last: a client may send one of its own.
        let entry = report.unknown.last { $0.type == ContextEntry.type }
        report.unknown.removeAll { $0.type == ContextEntry.type }
        let known = entry.flatMap { Self.context($0) }
        return RecordedReport(
            time: time, peerConnection: "\(flow.connection)/\(known?.leg.rawValue ?? flow.stream)",
            report: report,
            intent: known?.intent, remote: known?.remote, stream: known?.intent.map { _ in flow.stream })
    }

    private static func context(_ entry: UnknownStats) -> ReportContext? {
        guard let json = try? JSONEncoder().encode(StatsValue.object(entry.members)) else { return nil }
        return try? JSONDecoder().decode(ReportContext.self, from: json)
    }
}
