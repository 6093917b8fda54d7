// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import HistoryWriter
import NIOHTTP1
import SessionCore
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite("Metrics")
struct MetricsTests {
    private static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// What `promtool check metrics` has to say; `nil` if it is content.
    private static func complaint(_ tool: String, _ text: String) throws -> String? {
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = ["check", "metrics"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 && said.isEmpty ? nil : said
    }

    private static func figures() -> ServerMetrics.Figures {
        let metrics = ServerMetrics()
        let flow = FlowKey(connection: "c", number: 1)
        let mark = EventMark(time: 0, capturedAt: 0, event: 0)
        metrics.count([
            .flow(.init(key: flow, session: "s", stream: "cam", role: .subscriber, createdAt: 0))
        ])
        let description = FlowDescription(session: "s", connection: "c", stream: "cam", role: .subscriber)
        for (isNew, isOver) in [(true, false), (false, false)] {
            let alert = Alert(
                flow: description, side: .local, observer: .client, first: 0, last: 1, samples: 3,
                worst: .critical, reason: .packetLoss, source: nil, isOver: isOver)
            metrics.note([.init(alert: alert, isNew: isNew)])
        }
        for condition in [.good, .good, .critical, nil, nil] as [NetworkCondition?] {
            var sample = StreamSample()
            sample.networkCondition = condition
            sample.roundTripTime = 0.04
            sample.video = MediaFigures()
            sample.video?.mos = 4.3
            sample.diagnosis = Diagnosis(cause: .bandwidth, side: .remote, severity: .bad)
            metrics.count([.sample(.init(flow: flow, observer: .client, mark: mark, sample: sample))])
        }
        metrics.count([
            .event(
                .init(
                    session: "s", mark: mark, type: "callQuality", isAlarm: true,
                    detail: ["reason": "a \"name\"\nof a client's"]))
        ])
        metrics.count(.init(method: "GET", path: "/v1/sessions", status: 200), seconds: 0.002)
        metrics.count(.init(method: "GET", path: "/v1/sessions", status: 200), seconds: 7)
        return metrics.figures
    }

    private static var cluster: ClusterFigures {
        var figures = ClusterFigures()
        figures.hoursLeft = 36
        return figures
    }

    /// - Parameter process: The one whose load is in it; `nil` for figures that are always the same.
    private static func source(_ process: Int32?) -> MetricList.Source {
        .init(
            build: .init(version: "1.2.3", commit: "abc"),
            health: .init(
                problems: [], sessions: 1, unusedSessions: 3, connections: 2, streams: 1,
                routerRestarts: 0),
            figures: figures(), store: .init(), storeBytes: 4096, cluster: cluster, listeners: 1,
            droppedMessages: 0,
            failedPosts: 0, exports: .init(), connections: .init(connections: 7, sockets: 3, newSockets: 1),
            process: process.flatMap(ProcessLoad.init), openDescriptors: 12, descriptorLimit: 1024,
            routers: [
                .init(
                    state: .init(
                        router: 0, isReady: true, isDraining: false, isFull: false, load: 0.25, legs: 4,
                        sessions: 2, restarts: 0),
                    process: process.flatMap(ProcessLoad.init)),
                .init(
                    state: .init(
                        router: 1, isReady: false, isDraining: false, isFull: false, load: nil, legs: 0,
                        sessions: 0, restarts: 3)),
            ])
    }

    private static var text: String {
        let process = ProcessInfo.processInfo.processIdentifier
        return PrometheusText(MetricList(source(process)).metrics).text
    }

    @Test("metrics of released versions are still there, of the same kinds", arguments: KeptRelease.all)
    func kept(release: KeptRelease) throws {
        let kinds = Self.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        #expect(try release.lines("metrics.txt").filter { !kinds.contains("# TYPE \($0)") } == [])
    }

    @Test("what is written of the same figures is the same, for Prometheus and by OTLP")
    func written() throws {
        let metrics = MetricList(Self.source(nil)).metrics
        try GeneratedFile("Tests/Fixtures/otlp/metrics.txt").hold(PrometheusText(metrics).text)
        let resource = OTLP.Resource(build: .init(version: "1.2.3", commit: "abc"), instance: "instance")
        let start = 1_700_000_040_000.0
        let request = OTLPMetrics(metrics, from: resource, since: start, at: start + 60_000.4)
        let body = try OTLP.body(request)
        try GeneratedFile("Tests/Fixtures/otlp/metrics.json").hold(
            String(decoding: body, as: UTF8.self).replacing("},{", with: "},\n{") + "\n")
        var check = OTLPCheck()
        try check.check(
            .init(path: "/v1/metrics", headers: ["content-type": "application/json"], body: Array(body)))
        #expect(check.problems.isEmpty)
    }

    @Test(
        "a clock that was put back leaves no time before the beginning, and no number is no JSON of its own")
    func extremes() throws {
        let point = Metric.Point<Metric.Number>(labels: [], value: .real(.nan), since: 5000)
        let metric = Metric(name: "m", help: "", unit: .none, points: .counter([point]))
        let resource = OTLP.Resource(build: .init(), instance: "instance")
        let body = String(
            decoding: try OTLP.body(OTLPMetrics([metric], from: resource, since: 3000, at: 1000)),
            as: UTF8.self)
        #expect(body.contains(#""asDouble":"NaN""#))
        #expect(body.contains(#""startTimeUnixNano":"3000000000","timeUnixNano":"3000000000""#))
    }

    @Test("figures are counted by what they are of, and durations add up")
    func text() {
        let text = Self.text
        #expect(text.contains(#"sightline_samples_total{observer="client",condition="good"} 2"#))
        #expect(text.contains(#"sightline_samples_total{observer="client",condition="unknown"} 2"#))
        #expect(!text.contains("splendid"))
        let view = #"observer="client",role="subscriber""#
        #expect(text.contains("sightline_round_trip_time_seconds_bucket{\(view),le=\"0.025\"} 0\n"))
        #expect(text.contains("sightline_round_trip_time_seconds_bucket{\(view),le=\"0.05\"} 5\n"))
        #expect(text.contains("sightline_opinion_score_count{\(view),media=\"video\"} 5\n"))
        let kind = #"cause="bandwidth",side="remote",severity="bad""#
        #expect(text.contains("sightline_impaired_seconds_total{\(view),\(kind)} 1.0\n"))
        #expect(text.contains("sightline_judged_seconds_total{\(view)} 1.0\n"))
        #expect(text.contains(#"sightline_alerts_active{side="local",condition="critical"} 1"#))
        #expect(text.contains(#"sightline_alerts_total{side="local",reason="packetLoss"} 1"#))
        #expect(text.contains(#"sightline_build_info{version="1.2.3",commit="abc"} 1"#))
        #expect(text.contains("\nprocess_open_fds 12\n"))
        #expect(text.contains(#"sightline_warnings_total{warning="other"} 1"#))
        let labels = #"method="GET",path="/v1/sessions",status="200""#
        #expect(text.contains("_bucket{\(labels),le=\"0.001\"} 0\n"))
        #expect(text.contains("_bucket{\(labels),le=\"0.0025\"} 1\n"))
        #expect(text.contains("_bucket{\(labels),le=\"+Inf\"} 2\n"))
        #expect(text.contains("_count{\(labels)} 2\n"))
        #expect(text.contains("sightline_router_up{router=\"0\"} 1\n"))
        #expect(text.contains("sightline_router_up{router=\"1\"} 0\n"))
        #expect(text.contains("sightline_router_legs{router=\"0\"} 4\n"))
        #expect(text.contains("sightline_router_load{router=\"0\"} 0.25\n"))
        #expect(!text.contains("sightline_router_load{router=\"1\"}"), "what is not known is absent")
        #expect(text.contains("sightline_router_full{router=\"0\"} 0\n"))
        #expect(text.contains("sightline_router_restarts_total{router=\"1\"} 3\n"))
    }

    /// A sustained issue of a publisher that begins.
    private static func beginning(_ connection: String) -> AlertChange {
        let flow = FlowDescription(session: "s", connection: connection, stream: "st", role: .publisher)
        return .init(
            alert: Alert(
                flow: flow, side: .local, observer: .client, first: 1000, last: 3000, samples: 3,
                worst: .warning, reason: nil, source: nil, isOver: false), isNew: true)
    }

    @Test("an alert of which nothing is heard for a minute of commits is over: its flow may be deleted")
    func deletedAlert() {
        let (metrics, start) = (ServerMetrics(), ContinuousClock.now)
        metrics.note([Self.beginning("deleted"), Self.beginning("lasting")], at: start)
        metrics.note([], at: start + .seconds(30))
        metrics.note([Self.beginning("lasting")], at: start + .seconds(59))
        #expect(metrics.figures.alerts.count == 2)
        metrics.note([], at: start + .seconds(61))
        #expect(metrics.figures.alerts.keys.map(\.flow.connection) == ["lasting"])
    }

    @Test("no alert is over by an outage: the first commits after it do not have all of them")
    func alertAfterOutage() {
        let (metrics, start) = (ServerMetrics(), ContinuousClock.now)
        metrics.note([Self.beginning("a"), Self.beginning("b")], at: start)
        metrics.note([], at: start + .seconds(120))
        metrics.note([Self.beginning("a")], at: start + .seconds(121))
        #expect(metrics.figures.alerts.count == 2)
        // Of the other one nothing is heard any more, though commits continue.
        metrics.note([], at: start + .seconds(150))
        #expect(metrics.figures.alerts.count == 2)
        metrics.note([], at: start + .seconds(180))
        #expect(metrics.figures.alerts.keys.map(\.flow.connection) == ["a"])
    }

    @Test("a token that stands in the configuration opens the metrics, and nothing else")
    func fixedToken() async throws {
        var configuration = TestServer.configuration
        let token = "a token for Prometheus, long enough"
        configuration.metricsToken = token
        try await TestServer.run(configuration) { server in
            for (path, given, status) in [
                ("/metrics", token, 200), ("/metrics", token + "x", 401), ("/metrics", "", 401),
                ("/v1/sessions", token, 403), ("/v1/openapi.json", token, 403),
            ] {
                let answer = try await TestHTTP.request(
                    .GET, path, port: server.port, headers: ["Authorization": "Bearer \(given)"])
                #expect(answer.status == status, "\(path)")
            }
            for path in ["/v1/api-tokens", "/v1/api-tokens/revoke", "/v1/sessions", "/v1/login"] {
                let answer = try await TestHTTP.request(
                    .POST, path, port: server.port,
                    body: #"{"id":"x","scopes":["read"],"token":"\#(token)"}"#,
                    headers: ["Authorization": "Bearer \(token)"])
                #expect([400, 401, 403].contains(answer.status), "\(path) \(answer.status)")
            }
        }
        var short = TestServer.configuration
        short.metricsToken = "short"
        await #expect(throws: ConfigurationError.self) {
            try await SightlineServer(configuration: short).run()
        }
    }

    @Test(
        "Prometheus' own tool has nothing to say against them",
        .enabled(if: promtool != nil, "needs promtool"))
    func foreignCheck() async throws {
        let tool = try #require(Self.promtool)
        #expect(try Self.complaint(tool, Self.text) == nil)
        try await StoredCall.serve { server in
            _ = try await server.get("/v1/sessions")
            let answer = try await server.get("/metrics", [.metrics])
            #expect(answer.text.contains("sightline_http_request_duration_seconds_count"))
            let complaint = try Self.complaint(tool, answer.text)
            #expect(complaint == nil)
        }
    }
}
