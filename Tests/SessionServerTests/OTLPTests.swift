// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Logging
import SessionWire
import Synchronization
import TestSupport
import Testing

@testable import SessionServer

@Suite("Export by OTLP", .timeLimit(.minutes(3)))
struct OTLPTests {
    private static func configuration(_ sink: HTTPReceiver) throws -> SessionServerConfiguration {
        var configuration = TestServer.configuration
        let endpoint = try #require(URL(string: "http://127.0.0.1:\(sink.port)/collector/"))
        configuration.otlp = .init(endpoint: endpoint, headers: ["Authorization": "Bearer x"])
        configuration.timeouts.otlpExport = .milliseconds(20)
        configuration.build = .init(version: "1.2.3", commit: "abc")
        return configuration
    }

    /// What a sink was sent, with its path as the specification has it.
    private static func check(_ requests: [HTTPReceiver.Request], _ check: inout OTLPCheck) throws {
        for var request in requests {
            #expect(request.path.hasPrefix("/collector/"))
            request.path = String(request.path.dropFirst("/collector/".count))
            #expect(request.headers["authorization"] == "Bearer x")
            try check.check(request)
        }
        #expect(check.problems.isEmpty, "\(check.problems.prefix(5))")
    }

    @Test("a collector is sent totals that never fall, and everything once more when the server has ended")
    func wholeRun() async throws {
        let sink = try await HTTPReceiver.start()
        let early = Mutex<[HTTPReceiver.Request]>([])
        let name = Mutex("")
        try await TestServer.run(try Self.configuration(sink)) { server in
            try await FakeRouter.attached(to: server) {
                let (socket, session) = try await LiveTests.publisher(server)
                name.withLock { $0 = session }
                try await socket.send(LiveTests.telemetry(3, "good"))
                guard case .acknowledged(_) = try await socket.message().body else {
                    throw TestSocket.Unexpected(description: "not acknowledged")
                }
                for _ in 0..<3 {
                    _ = try await server.get("/v1/sessions/\(session)")
                    let next = try await sink.next { $0.path.hasSuffix("v1/metrics") }
                    early.withLock { $0 += next }
                }
            }
        }
        var check = OTLPCheck()
        var all = early.withLock { $0 }
        try Self.check(all, &check)
        func departures() -> Double {
            check.points.filter { $0.key.hasPrefix("sightline_departures_total") }.values.reduce(0, +)
        }
        // The client's span is sent once that has gone, the call's with the last ones.
        func traces() -> String {
            all.filter { $0.path.hasSuffix("v1/traces") }.map { String(decoding: $0.body, as: UTF8.self) }
                .joined()
        }
        while departures() < 1 || ["\"call\"", "\"connection\""].contains(where: { !traces().contains($0) }) {
            let next = try await sink.next { _ in true }
            try Self.check(next, &check)
            all += next
        }
        #expect(departures() == 1)
        #expect(check.points["sightline_build_info{version=1.2.3,commit=abc}"] == 1)
        #expect(check.points["sightline_samples_total{observer=client,condition=good}"] == 1)
        let asked =
            "sightline_http_request_duration_seconds{method=GET,path=/v1/sessions/{session},status=200}"
        #expect(check.points[asked] == 3)
        #expect(check.points["sightline_otlp_failures_total{}"] == 0)
        let text = traces()
        for part in ["\"call\"", "\"connection\"", "sightline.negotiated", name.withLock { $0 }] {
            #expect(text.contains(part))
        }
        #expect(!text.contains("alice"))
        await sink.stop()
    }

    @Test("spans that a collector cannot take just now are sent again")
    func again() async throws {
        let sink = try await HTTPReceiver.start([.status(503)], at: "/v1/traces")
        try await TestServer.run(try Self.configuration(sink)) { server in
            let session = try await server.server.createSession().session
            _ = try await server.join(session)
            #expect(await server.server.hub.endSession(session, wasHosted: false))
            let first = try await sink.next { $0.path.hasSuffix("v1/traces") }
            let second = try await sink.next { $0.path.hasSuffix("v1/traces") }
            let traces = (first + second).filter { $0.path.hasSuffix("v1/traces") }
            #expect(traces.count == 2)
            for request in traces {
                #expect(String(decoding: request.body, as: UTF8.self).contains(session))
            }
            var check = OTLPCheck()
            try Self.check(first + second, &check)
        }
        await sink.stop()
    }

    @Test("what a collector does not take is said once, until it works again")
    func failures() async throws {
        let rejected = #"{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"no"}}"#
        let sink = try await HTTPReceiver.start([.status(503), .status(307), .body(rejected)])
        let log = LogLines()
        let requests = try await Self.serve(sink, log) {
            try await sink.next { _ in log.lines.contains { $0.contains("works again") } }
        }
        #expect(log.lines.filter { $0.contains("does not take") }.count == 1)
        #expect(log.lines.filter { $0.contains("works again") }.count == 1)
        #expect(log.lines.contains { $0.contains("status 503") })
        // A redirect is not followed.
        #expect(requests.allSatisfy { $0.path.hasSuffix("/v1/metrics") })
        var check = OTLPCheck()
        try Self.check(requests, &check)
        #expect(check.points["sightline_otlp_failures_total{}"] == 3)
        await sink.stop()
    }

    @Test("spans that a collector rejects for good are counted")
    func rejectedSpans() async throws {
        let rejected = #"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}"#
        let sink = try await HTTPReceiver.start([.body(rejected)], at: "/v1/traces")
        try await TestServer.run(try Self.configuration(sink)) { server in
            let session = try await server.server.createSession().session
            _ = try await server.join(session)
            #expect(await server.server.hub.endSession(session, wasHosted: false))
            _ = try await sink.next { $0.path.hasSuffix("v1/traces") }
            let counted = "sightline_otlp_dropped_spans_total{}"
            var check = OTLPCheck()
            while check.points[counted] != 1 {
                try Self.check(try await sink.next { $0.path.hasSuffix("v1/metrics") }, &check)
            }
        }
        await sink.stop()
    }

    @Test("spans that are left when the last export's time is over are counted, and said")
    func leftSpans() async throws {
        let sink = try await HTTPReceiver.start([HTTPReceiver.Answer](repeating: .nothing, count: 10))
        let log = LogLines()
        let logger = Logger(label: "test") { _ in LineHandler(log: log) }
        let server = SightlineServer(try Self.configuration(sink), logger, store: nil)
        let exporter = try #require(server.exporter)
        exporter.traces?.take(StoredCall.records)
        let collector = MetricCollector(
            build: .init(), hub: server.hub, service: nil, feed: LiveFeed(), alerts: nil, exporter: exporter,
            figures: ServerMetrics(), connections: server.connections)
        await exporter.finish(collector, within: .milliseconds(200))
        #expect(exporter.figures.droppedSpans == 3)
        #expect(log.lines.contains { $0.contains("in time") && $0.contains("\"spans\": 3") }, "\(log.lines)")
        await sink.stop()
    }

    @Test("what is too much for a collector at once is sent in halves")
    func halves() async throws {
        let sink = try await HTTPReceiver.start([.status(413)], at: "/v1/traces")
        let logger = Logger(label: "test") { _ in LineHandler(log: LogLines()) }
        let server = SightlineServer(try Self.configuration(sink), logger, store: nil)
        let exporter = try #require(server.exporter)
        exporter.traces?.take(StoredCall.records)
        let collector = MetricCollector(
            build: .init(), hub: server.hub, service: nil, feed: LiveFeed(), alerts: nil, exporter: exporter,
            figures: ServerMetrics(), connections: server.connections)
        await exporter.finish(collector, within: .seconds(60))
        let traces = await sink.stop().filter { $0.path.hasSuffix("v1/traces") }
        // Three spans, which are refused, and each by itself.
        #expect(traces.count == 4 && exporter.figures.droppedSpans == 0)
        var check = OTLPCheck()
        try Self.check(traces, &check)
    }

    @Test("a server that cannot start does not wait for the collector")
    func noStart() async throws {
        let taken = try await HTTPReceiver.start()
        let sink = try await HTTPReceiver.start([HTTPReceiver.Answer](repeating: .nothing, count: 10))
        var configuration = try Self.configuration(sink)
        configuration.timeouts.otlpExport = .seconds(3600)
        configuration.port = taken.port
        let server = SightlineServer(
            configuration, Logger(label: "test") { _ in LineHandler(log: .init()) }, store: nil)
        await #expect(throws: ConfigurationError.self) { try await server.run() }
        #expect(await sink.stop().isEmpty)
        await taken.stop()
    }

    @Test("a collector that does not answer keeps the server from nothing, nor from its end")
    func silence() async throws {
        let sink = try await HTTPReceiver.start([HTTPReceiver.Answer](repeating: .nothing, count: 10))
        try await TestServer.run(try Self.configuration(sink)) { server in
            _ = try await sink.next { _ in true }
            #expect(try await server.get("/metrics", [.metrics]).status == 200)
        }
        await sink.stop()
    }

    /// Runs a server that logs to `log` for as long as `body` takes.
    private static func serve<Value: Sendable>(
        _ sink: HTTPReceiver, _ log: LogLines, _ body: () async throws -> Value
    ) async throws -> Value {
        let logger = Logger(label: "test") { _ in LineHandler(log: log) }
        let server = SightlineServer(try configuration(sink), logger, store: nil)
        let serving = Task { try await server.run() }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await server.shutdown()
        try await within(.seconds(60), "the server ends") { try await serving.value }
        return try result.get()
    }

    @Test("headers are read as the standard variable has them, and from lines of a file")
    func headers() throws {
        typealias Export = SessionServerConfiguration.OTLPExport
        #expect(try Export.headers("a=b, X-Key = c%20d==") == ["a": "b", "X-Key": "c d=="])
        #expect(
            try Export.headers("authorization=Basic%20eDp5\n\nb=\n") == [
                "authorization": "Basic eDp5", "b": "",
            ])
        #expect(try Export.headers("").isEmpty)
        for text in ["a", "=b", "a b=c", "a=%0d%0ab:c", "a=%zz", "a=é"] {
            #expect(throws: ConfigurationError.self) { try Export.headers(text) }
        }
    }
}

/// What was logged, with its metadata, in this suite and others.
final class LogLines: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }

    func add(_ line: String) { all.withLock { $0.append(line) } }
}

struct LineHandler: LogHandler {
    let log: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { log.add("\(event.message) \(event.metadata ?? [:])") }
}
