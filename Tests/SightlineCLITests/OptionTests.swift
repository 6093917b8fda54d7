// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallQuality
import Foundation
import SessionServer
import Sightline
import Testing

@testable import AnalysisCommands
@testable import SightlineCLI

@Suite struct OptionTests {
    private func withFile<Value>(_ content: String, _ body: (String) throws -> Value) throws -> Value {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        try content.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }

    /// What the command line answers to wrong usage; `nil` if it takes the arguments.
    private func answer(to arguments: [String]) -> (code: Int32, message: String)? {
        do {
            _ = try SightlineCommand.parseAsRoot(arguments)
            return nil
        } catch {
            return (
                SightlineCommand.exitCode(for: error).rawValue, SightlineCommand.fullMessage(for: error)
            )
        }
    }

    @Test("Every program and command says version and commit, which the clone that it is built from has")
    func version() {
        let line = ProgramVersion.line
        let form = /\d+\.\d+\.\d+ \(commit ([0-9a-f]{12,40}(\+changes)?|unknown)\)/
        #expect(line.wholeMatch(of: form) != nil)
        for arguments in [["--version"], ["router", "--version"], ["serve", "--version"]] {
            #expect(answer(to: arguments)?.message == line)
        }
    }

    @Test("The printed settings are taken back as the defaults")
    func roundTrip() throws {
        let json = try JSONText.page(QualityConfiguration())
        try withFile(json) { path in
            let command = try #require(
                try SightlineCommand.parseAsRoot(["demo", "--quality-config", path]) as? Demo)
            #expect(try command.quality.configuration() == QualityConfiguration())
        }
    }

    @Test("Every command that judges takes settings, and what they omit keeps its default")
    func settings() throws {
        try withFile(#"{"remoteMetricsMaxAge":5}"#) { path in
            let options = ["--quality-config", path]
            var expected = QualityConfiguration.extended
            expected.remoteMetricsMaxAge = 5
            let publish = try #require(try SightlineCommand.parseAsRoot(["publish"] + options) as? Publish)
            let subscribe = try #require(
                try SightlineCommand.parseAsRoot(["subscribe"] + options) as? Subscribe)
            let analyze = try #require(
                try SightlineCommand.parseAsRoot(["analyze", "call.jsonl"] + options) as? Analyze)
            for quality in [publish.quality, subscribe.quality, analyze.quality] {
                #expect(try quality.configuration() == expected)
            }
        }
    }

    @Test("Sinch's warnings alone are a named set, with or without other settings")
    func sinch() throws {
        let alone = try #require(
            try SightlineCommand.parseAsRoot(["subscribe", "--warnings", "sinch"]) as? Subscribe)
        #expect(try alone.quality.configuration() == QualityConfiguration())
        try withFile(#"{"warnings":{"lowMOS":{"isEnabled":true}}}"#) { path in
            let options = ["subscribe", "--warnings", "sinch", "--quality-config", path]
            let command = try #require(try SightlineCommand.parseAsRoot(options) as? Subscribe)
            var expected = QualityConfiguration()
            expected.warnings.lowMOS.isEnabled = true
            #expect(try command.quality.configuration() == expected)
        }
        #expect(answer(to: ["subscribe", "--warnings", "all"])?.code == 64)
    }

    @Test(
        "Settings that make no sense are wrong usage, and the message names them",
        arguments: [
            (#"{"remoteMetricsMaxAge":-1}"#, "remoteMetricsMaxAge must be above 0"),
            (#"{"remoteMetricsMaxAge":"long"}"#, "remoteMetricsMaxAge is of the wrong type"),
            (#"{"remoteFactAgeLimit":1}"#, "remoteFactAgeLimit is no setting"),
            (#"{"video":{"nonsense":1}}"#, "video: nonsense is no setting"),
            ("{", "not valid JSON"),
        ])
    func nonsense(_ content: String, _ reason: String) throws {
        try withFile(content) { path in
            let refusal = try #require(answer(to: ["analyze", "call.jsonl", "--quality-config", path]))
            #expect(refusal.code == 64)
            #expect(refusal.message.contains(reason))
            #expect(refusal.message.contains(path))
        }
    }

    @Test("A settings file that is not there is wrong usage")
    func missingSettings() throws {
        let refusal = try #require(answer(to: ["demo", "--quality-config", "/nonexistent/q.json"]))
        #expect(refusal.code == 64)
        #expect(refusal.message.contains("/nonexistent/q.json"))
    }

    @Test("Calls are recorded where they are made, and only there")
    func record() throws {
        for command in ["demo", "publish", "subscribe"] {
            #expect(answer(to: [command, "--record", "call.jsonl"]) == nil)
        }
        #expect(answer(to: ["analyze", "--record", "call.jsonl"])?.code == 64)
        #expect(answer(to: ["demo", "--record", ""])?.code == 64)
        #expect(answer(to: ["analyze"])?.code == 64)
    }

    @Test("A client measures as often as --interval says, and keeps its figures with --no-telemetry")
    func statistics() throws {
        let options = ["--interval", "5", "--no-telemetry"]
        let publish = try #require(
            try SightlineCommand.parseAsRoot(["publish", "--muted", "--dtx"] + options) as? Publish)
        let subscribe = try #require(try SightlineCommand.parseAsRoot(["subscribe"] + options) as? Subscribe)
        for statistics in [publish.statistics, subscribe.statistics] {
            var configuration = SessionConfiguration()
            statistics.apply(to: &configuration)
            #expect(configuration.statisticsInterval == .seconds(5) && !configuration.sendsTelemetry)
        }
        let settings = publish.media.settings(name: "alice")
        #expect(!settings.publishAudio && settings.usesDiscontinuousTransmission)
        for interval in ["0", "0.1", "11", "nan"] {
            #expect(answer(to: ["publish", "--interval", interval])?.code == 64)
        }
    }

    @Test(
        "An option's help says which numbers it takes, and so does the refusal of another one",
        arguments: [
            (["serve"], "--port=65536", "0 to 65535"), (["demo"], "--port=-1", "0 to 65535"),
            (["serve"], "--drain-within=86401", "0 to 86400"),
            (["serve"], "--keep-days=0", "more than 0 and at most 36500"),
            (["serve"], "--keep-megabytes=0", "1 to 1048576"), (["serve"], "--routers=257", "1 to 256"),
            (["serve"], "--router-memory=1", "128 to 1048576"), (["serve"], "--media-threads=65", "1 to 64"),
            (["serve"], "--turn-lifetime=59", "60 to 2592000"),
            (["cluster", "drain", "n1", "--cluster=postgresql://h/d"], "--within=-1", "0 to 86400"),
            (["publish"], "--fps=61", "1 to 60"), (["publish"], "--interval=0.1", "0.2 to 10"),
            (["publish"], "--duration=nan", "more than 0 and at most 1000000000"),
            (["network-test", "--local"], "--duration=4", "5 to 60"),
            (["api-token"], "--expires-in=0", "1 to 2592000"),
        ])
    func ranges(command: [String], wrong: String, range: String) throws {
        let option = String(wrong.prefix { $0 != "=" })
        let parsed = type(of: try SightlineCommand.parseAsRoot(command))
        let help = SightlineCommand.helpMessage(for: parsed)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let said = try #require(help.range(of: "\(option) <", options: .backwards))
        #expect(help[said.upperBound...].prefix(300).contains(": \(range)."), "\(help)")
        let refusal = try #require(answer(to: command + [wrong]))
        #expect(refusal.code == 64 && refusal.message.contains(option))
        #expect(refusal.message.contains("should be \(range)") || option == "--routers")
    }

    @Test("A recording that cannot be written is a failure that names the file")
    func unwritable() throws {
        let failure = #expect(throws: CommandFailure.self) {
            _ = try CallRecorder(path: "/nonexistent/call.jsonl")
        }
        #expect(failure?.description.contains("call.jsonl") == true)
    }

    @Test(
        "Secrets come from files, without the newline at their end; a file that is missing or empty is wrong usage"
    )
    func secretFiles() throws {
        let secret = String(repeating: "s", count: 40)
        try withFile("\(secret)\n") { path in
            let arguments = [
                "serve", "--secret-file", path, "--turn", "turn:example.org:3478", "--turn-secret-file", path,
                "--alert-webhook", "https://example.org/alerts", "--alert-webhook-secret-file", path,
            ]
            let serve = try #require(try SightlineCommand.parseAsRoot(arguments) as? Serve)
            var configuration = SessionServerConfiguration(
                applicationID: "app", applicationSecret: try serve.application.requireSecret())
            try serve.iceServers.apply(to: &configuration)
            try serve.history.apply(to: &configuration)
            #expect(configuration.applicationSecret == secret)
            #expect(configuration.turn?.secret == secret)
            #expect(configuration.turn?.lifetime == .seconds(7200))
            #expect(configuration.alertReceivers.map(\.secret) == [secret])
        }
        // Checked with the secret, which is no option: PagerDuty takes nothing without its key.
        let arguments = [
            "serve", "--alert-webhook", "https://example.org", "--alert-webhook-shape", "pagerduty",
        ]
        let serve = try #require(try SightlineCommand.parseAsRoot(arguments) as? Serve)
        var configuration = SessionServerConfiguration(applicationID: "app", applicationSecret: secret)
        let refusal = #expect(throws: ValidationError.self) {
            try serve.history.apply(to: &configuration)
        }
        #expect(refusal?.message.contains("routing key") == true)
        try withFile(secret) { path in
            for (url, shape, problem) in [
                ("http://example.org", "pagerduty", "plain HTTP"),
                ("https://example.org", "slack", "leave it out"),
            ] {
                let arguments = [
                    "serve", "--alert-webhook", url, "--alert-webhook-shape", shape,
                    "--alert-webhook-secret-file", path,
                ]
                let serve = try #require(try SightlineCommand.parseAsRoot(arguments) as? Serve)
                let refusal = #expect(throws: ValidationError.self) {
                    try serve.history.apply(to: &configuration)
                }
                #expect(refusal?.message.contains(problem) == true)
            }
        }
        try withFile("\n") { path in
            for file in [path, "/nonexistent/secret"] {
                let refusal = try #require(answer(to: ["serve", "--secret-file", file]))
                #expect(refusal.code == 64 && refusal.message.contains(file))
            }
        }
        try withFile("short") { path in
            #expect(answer(to: ["serve", "--secret-file", path])?.message.contains("32 bytes") == true)
        }
    }

    @Test(
        "several receivers of alerts, each with its own severity, times and secret, and the rule for all calls"
    )
    func alertReceivers() throws {
        func apply(_ file: String, _ more: [String] = []) throws -> SessionServerConfiguration {
            let arguments = ["serve", "--alert-receivers", file] + more
            let serve = try #require(try SightlineCommand.parseAsRoot(arguments) as? Serve)
            var configuration = SessionServerConfiguration(applicationID: "app", applicationSecret: "secret")
            try serve.history.apply(to: &configuration)
            return configuration
        }
        try withFile("key\n") { key in
            let file = """
                {"receivers": [
                   {"url": "https://events.pagerduty.com/v2/enqueue", "shape": "pagerduty", "severity": "critical",
                    "after": 30, "hold": 120, "fleet": false, "secret-file": "\(key)"},
                   {"url": "https://example.org/alerts"}
                 ], "fleet": {"bad-share": 0.2, "minutes": 5, "at-least": 100}}
                """
            let configuration = try withFile(file) {
                try apply(
                    $0, ["--alert-webhook", "https://example.org/slack", "--alert-webhook-shape", "slack"])
            }
            let receivers = configuration.alertReceivers
            #expect(receivers.map(\.shape) == [.pagerduty, .json, .slack])
            #expect(receivers.map(\.secret) == ["key", nil, nil])
            #expect(
                receivers.first?.rules.severity == .critical && receivers.first?.rules.takesFleet == false)
            #expect(
                receivers.first?.rules.after == .seconds(30) && receivers.first?.rules.hold == .seconds(120))
            #expect(receivers.dropFirst().allSatisfy { $0.rules == AlertRules() })
            let rule = configuration.fleetRule
            #expect(rule.badShare == 0.2 && rule.window == .seconds(300) && rule.minimumMinutes == 100)
        }
        for (file, problem) in [
            ("[]", "wrong type"), (#"{"receivers":[]}"#, "at least one"), ("{}", "receivers is missing"),
            (#"{"receivers":[{"shape":"json"}]}"#, "url is missing"),
            (#"{"receivers":[{"url":"example.org"}]}"#, "should be a URL"),
            (#"{"receivers":[{"url":"http://127.0.0.1:70000/"}]}"#, "should be a URL"),
            (#"{"receivers":[{"url":"https://a.example","shape":"mail"}]}"#, "slack"),
            (#"{"receivers":[{"url":"https://a.example","severity":"fair"}]}"#, "warning or critical"),
            (#"{"receivers":[{"url":"https://a.example","after":-1}]}"#, "0 to 3600"),
            (#"{"receivers":[{"url":"https://a.example","hold":1e9}]}"#, "0 to 3600"),
            (#"{"receivers":[{"url":"https://a.example","after":true}]}"#, "a number"),
            (#"{"receivers":[{"url":"https://a.example","afer":1}]}"#, "afer: there is no such setting"),
            (#"{"receivers":[{"url":"https://a.example","shape":"pagerduty"}]}"#, "routing key"),
            (#"{"receivers":[{"url":"https://a.example","secret-file":"/nonexistent"}]}"#, "/nonexistent"),
            (#"{"receivers":[{"url":"https://a.example"}],"fleet":{"share":1}}"#, "share: there is no such"),
            (#"{"receivers":[{"url":"https://a.example"}],"fleet":{"bad-share":0}}"#, "0.001 to 1"),
        ] {
            let refusal = #expect(throws: ValidationError.self) { try withFile(file) { try apply($0) } }
            #expect(refusal?.message.contains(problem) == true, "\(file): \(refusal?.message ?? "")")
        }
    }

    @Test("A collector gets the headers of a file; what is no address or no header is wrong usage")
    func collector() throws {
        var configuration = SessionServerConfiguration(
            applicationID: "app", applicationSecret: String(repeating: "s", count: 40))
        try withFile("Authorization=Basic%20eDp5\nX-Scope=calls\n") { path in
            let arguments = [
                "serve", "--otlp-endpoint", "https://collector.example:4318", "--otlp-headers-file", path,
                "--otlp-metrics-only",
            ]
            let serve = try #require(try SightlineCommand.parseAsRoot(arguments) as? Serve)
            try serve.otlp.apply(to: &configuration)
            #expect(configuration.otlp?.endpoint.absoluteString == "https://collector.example:4318")
            #expect(configuration.otlp?.headers == ["Authorization": "Basic eDp5", "X-Scope": "calls"])
            #expect(configuration.otlp?.hasTraces == false)
        }
        try withFile("a header: of another form") { path in
            let arguments = ["serve", "--otlp-endpoint", "https://c.example", "--otlp-headers-file", path]
            let serve = try #require(try SightlineCommand.parseAsRoot(arguments) as? Serve)
            let refusal = #expect(throws: ValidationError.self) { try serve.otlp.apply(to: &configuration) }
            #expect(refusal?.message.hasPrefix("--otlp-headers-file: headers") == true)
        }
        let arguments = ["serve", "--otlp-endpoint", "https://c.example"]
        let serve = try #require(try SightlineCommand.parseAsRoot(arguments) as? Serve)
        let refusal = #expect(throws: ValidationError.self) {
            try serve.otlp.apply(to: &configuration, environment: ["OTEL_EXPORTER_OTLP_HEADERS": "a header"])
        }
        #expect(refusal?.message.hasPrefix("OTEL_EXPORTER_OTLP_HEADERS: headers") == true)
        for wrong in ["collector:4317", "grpc://collector", "http://", "http://10.0.0.1:0"] {
            #expect(answer(to: ["serve", "--otlp-endpoint", wrong])?.code == 64, "\(wrong)")
        }
    }

    @Test("A node's address has a port that there is")
    func nodeAddress() {
        func answer(_ url: String, _ internalURL: String) -> Int32? {
            self.answer(to: [
                "serve", "--cluster", "postgresql://localhost/x", "--node", "n1", "--node-url", url,
                "--node-internal-url", internalURL,
            ])?.code
        }
        #expect(answer("https://n1.example.org", "http://10.0.0.7:8080") == nil)
        #expect(answer("https://n1.example.org", "http://10.0.0.7:65536") == 64)
        #expect(answer("http://10.0.0.7:99999", "http://10.0.0.7:8080") == 64)
    }

    @Test(
        "A server's address can be opened as it is printed",
        arguments: [
            ("::1", "http://[::1]:8080"), ("[::1]", "http://[::1]:8080"), ("::", "http://[::]:8080"),
            ("127.0.0.1", "http://127.0.0.1:8080"), ("calls.example.org", "http://calls.example.org:8080"),
        ])
    func address(host: String, wanted: String) throws {
        let serve = try #require(try SightlineCommand.parseAsRoot(["serve", "--host", host]) as? Serve)
        #expect(serve.address(at: 8080) == wanted)
        #expect(URL(string: wanted)?.port == 8080)
    }

    @Test("A server is configured with its public address")
    func site() throws {
        let arguments = [
            "serve", "--public-url", "https://calls.example.org", "--allow-origin", "https://app.example.org",
            "--allow-origin", "*", "--trust-proxy",
        ]
        let serve = try #require(try SightlineCommand.parseAsRoot(arguments) as? Serve)
        var configuration = SessionServerConfiguration(
            applicationID: "app", applicationSecret: String(repeating: "s", count: 40))
        serve.site.apply(to: &configuration)
        #expect(configuration.site.publicURL?.host() == "calls.example.org")
        #expect(configuration.site.allowedOrigins == ["https://app.example.org", "*"])
        #expect(configuration.site.trustsProxy)
        for wrong in [
            ["--public-url", "calls.example.org"], ["--allow-origin", "https://app.example.org/page"],
            ["--allow-origin", "example"],
        ] {
            #expect(answer(to: ["serve"] + wrong)?.code == 64, "\(wrong)")
        }
    }
}
