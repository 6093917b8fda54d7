// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallStore
import Foundation
import SessionWire
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
        for condition in [.good, .good, .critical, nil, nil] as [NetworkCondition?] {
            var sample = StreamSample()
            sample.networkCondition = condition
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

    private static var text: String {
        MetricsText(
            health: .init(
                status: "ok", sessions: 1, connections: 2, streams: 1, routerIsRunning: true,
                routerRestarts: 0),
            figures: figures(), store: .init(), bytes: 4096, listeners: (1, 0), failedPosts: 0
        ).text
    }

    @Test("figures are counted by what they are of, and durations add up")
    func text() {
        let text = Self.text
        #expect(text.contains(#"sightline_samples_total{observer="client",condition="good"} 2"#))
        #expect(text.contains(#"sightline_samples_total{observer="client",condition="unknown"} 2"#))
        #expect(!text.contains("splendid"))
        #expect(text.contains(#"sightline_warnings_total{warning="other"} 1"#))
        let labels = #"method="GET",path="/v1/sessions",status="200""#
        #expect(text.contains("_bucket{\(labels),le=\"0.001\"} 0\n"))
        #expect(text.contains("_bucket{\(labels),le=\"0.0025\"} 1\n"))
        #expect(text.contains("_bucket{\(labels),le=\"+Inf\"} 2\n"))
        #expect(text.contains("_count{\(labels)} 2\n"))
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
