// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import CallModel
import Foundation
import Logging
import SessionServer
import TestSupport
import Testing

@testable import SightlineCLI

@Suite("Settings of the server: arguments, environment, file")
struct SettingsTests {
    private static let options = CommandOption.all(of: Serve.self)

    /// The settings of a server with these layers.
    private func layers(
        _ arguments: [String] = [], environment: [String: String] = [:], file: String? = nil
    ) throws -> (layers: LayeredArguments, serve: Serve) {
        var arguments = arguments
        var path: URL?
        if let file {
            let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
            try file.write(to: url, atomically: true, encoding: .utf8)
            arguments += ["--config", url.path]
            path = url
        }
        defer { if let path { try? FileManager.default.removeItem(at: path) } }
        let layers = try LayeredArguments(arguments, environment: environment, options: Self.options)
        let parsed = try SightlineCommand.parseAsRoot(["serve"] + layers.arguments)
        return (layers, try #require(parsed as? Serve))
    }

    @Test("the command line counts most, then the environment, then the file, then the default")
    func order() throws {
        let file =
            #"{"port": 1, "host": "::1", "keep-days": 2.5, "application-id": "file", "keep-names": true}"#
        let environment = [
            "SIGHTLINE_PORT": "2", "SIGHTLINE_HOST": "127.0.0.2", "SIGHTLINE_KEEP_NAMES": "no",
        ]
        let (layers, serve) = try layers(["--port=3"], environment: environment, file: file)
        #expect(serve.port == 3)
        #expect(serve.host == "127.0.0.2")
        #expect(serve.history.keepDays == 2.5)
        #expect(serve.application.applicationID == "file")
        #expect(!serve.history.keepNames)
        #expect(serve.history.store == nil)
        #expect(layers.table.contains(/(?m)^port +3 +command line$/))
        #expect(layers.table.contains(/(?m)^host +127\.0\.0\.2 +SIGHTLINE_HOST$/))
        #expect(layers.table.contains(/(?m)^keep-days +2\.5 +\/.*\.json$/))
        #expect(layers.table.contains(/(?m)^log-level +info +default$/))
    }

    @Test(
        "settings of released versions are still there, the judgement's with their names",
        arguments: KeptRelease.all)
    func kept(release: KeptRelease) throws {
        let (layers, _) = try layers([])
        let names = Set(layers.table.split(separator: "\n").compactMap { $0.split(separator: " ").first })
        #expect(try release.lines("settings.txt").filter { !names.contains($0[...]) } == [])
        // Names that are not known are refused.
        let file = release.file("quality-config.json").path
        _ = try QualityOptions.parse(["--quality-config", file]).configuration()
    }

    @Test("each limit and time is set by its name in every layer, and the defaults are those of the server")
    func limits() throws {
        let file = #"{"limits": {"sessions": 7, "connections": 8}, "timeouts": {"join": 2.5}}"#
        let (layers, serve) = try layers(
            ["--limit", "sessions=5", "--limit=streams-per-connection=3", "--timeout", "idle=9"],
            environment: ["SIGHTLINE_LIMIT_CONNECTIONS": "6", "SIGHTLINE_TIMEOUT_SESSION_IDLE": "60"],
            file: file)
        var limits = SessionServerLimits()
        (limits.sessions, limits.connections, limits.streamsPerConnection) = (5, 6, 3)
        #expect(try serve.limits.limits() == limits)
        var timeouts = SessionServerTimeouts()
        (timeouts.join, timeouts.idle, timeouts.sessionIdle) = (.seconds(2.5), .seconds(9), .seconds(60))
        #expect(try serve.limits.timeouts() == timeouts)
        #expect(layers.table.contains(/(?m)^connections +6 +SIGHTLINE_LIMIT_CONNECTIONS +Clients/))
        #expect(layers.table.contains(/(?m)^session-idle +60 +SIGHTLINE_TIMEOUT_SESSION_IDLE/))
        #expect(layers.table.contains(/(?m)^router-legs +1000 +default/))
    }

    @Test("the limit of a router's load is a share, and 0 none; a router's threads are what it is a share of")
    func routerLoad() throws {
        let (layers, serve) = try layers(
            ["--media-threads", "3"], file: #"{"limits": {"router-load": 0.8}}"#)
        #expect(try serve.limits.limits().routerLoad == 0.8)
        #expect(layers.table.contains(/(?m)^router-load +0\.8 +/))
        #expect(try LocalServer.router(loopbackOnly: true, options: serve.mediaRouter).threads == 3)
        let (_, other) = try self.layers(["--limit", "router-load=0"])
        #expect(try other.limits.limits().routerLoad == nil)
    }

    @Test("every limit and time has a setting, and every setting takes its default")
    func complete() throws {
        var limits = SessionServerLimits()
        for setting in SessionServerLimits.settings {
            let text = setting.written(in: limits)
            try setting.set(&limits, to: text)
        }
        #expect(limits == SessionServerLimits())
        #expect(SessionServerLimits.settings.count == Mirror(reflecting: limits).children.count)
        var timeouts = SessionServerTimeouts()
        for setting in SessionServerTimeouts.settings {
            let text = setting.written(in: timeouts)
            try setting.set(&timeouts, to: text)
        }
        #expect(timeouts == SessionServerTimeouts())
        #expect(SessionServerTimeouts.settings.count == Mirror(reflecting: timeouts).children.count)
        let names = SessionServerLimits.settings.map(\.name) + SessionServerTimeouts.settings.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test("a list replaces that of a lower layer; a secret and its file are one setting")
    func listsAndSecrets() throws {
        let file =
            #"{"allow-origin": ["https://a.example", "https://b.example"], "stun": "stun:s.example:3478"}"#
        let secret = String(repeating: "s", count: 40)
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try "\(secret)\n".write(to: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: path) }
        let environment = [
            "SIGHTLINE_ALLOW_ORIGIN": "https://c.example,https://d.example",
            "SIGHTLINE_SECRET": "other" + secret,
        ]
        let (layers, serve) = try layers(["--secret-file", path.path], environment: environment, file: file)
        #expect(serve.site.allowOrigin == ["https://c.example", "https://d.example"])
        #expect(serve.iceServers.stun == ["stun:s.example:3478"])
        #expect(try serve.application.givenSecret() == secret)
        #expect(!layers.table.contains(secret))
        let (shown, _) = try self.layers(environment: ["SIGHTLINE_SECRET": secret])
        #expect(shown.table.contains(/(?m)^secret +\(hidden\) +SIGHTLINE_SECRET$/))
    }

    @Test("blanks and line breaks around a secret are no part of it, for the server and for other commands")
    func trimmedSecrets() throws {
        let secret = String(repeating: "s", count: 40)
        let environment = ["SIGHTLINE_SECRET": " \(secret)\r\n"]
        // A server's variables are options to it.
        let (_, serve) = try layers(environment: environment)
        #expect(try serve.application.givenSecret() == secret)
        let source = SecretSource(name: "--secret", option: " ", file: nil, variable: "SIGHTLINE_SECRET")
        #expect(try source.secret(environment) == secret)
        #expect(try source.secret(["SIGHTLINE_SECRET": "\n"]) == nil)
    }

    @Test("the collector is known from OpenTelemetry's own variable, after ours")
    func standardVariable() throws {
        var environment = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"]
        let (shown, serve) = try layers(environment: environment)
        #expect(serve.otlp.otlpEndpoint == "http://127.0.0.1:4318")
        #expect(
            shown.table.contains(/(?m)^otlp-endpoint +http:\/\/127.0.0.1:4318 +OTEL_EXPORTER_OTLP_ENDPOINT$/))
        environment["SIGHTLINE_OTLP_ENDPOINT"] = "https://collector.example"
        let (layers, other) = try layers(environment: environment)
        #expect(other.otlp.otlpEndpoint == "https://collector.example")
        #expect(layers.unknownVariables.isEmpty)
    }

    @Test(
        "what is no setting, or no value of one, is refused with its name",
        arguments: [
            (#"{"prot": 1}"#, [:], "prot is no setting"),
            (#"{"limits": {"session": 1}}"#, [:], "session is no setting"),
            (#"{"port": [1, 2]}"#, [:], "port takes one value"),
            (#"{"port": {}}"#, [:], "should be a JSON object"),
            ("[]", [:], "should be a JSON object"),
            (#"{"keep-names": "perhaps"}"#, [:], "keep-names should be true or false"),
            ("{}", ["SIGHTLINE_LIMIT_SESSIONS": "0"], "sessions should be 1 to 1000000"),
            ("{}", ["SIGHTLINE_LIMIT_SESSIONS": "1.5"], "sessions should be 1 to 1000000"),
            (#"{"limits": {"router-load": 95}}"#, [:], "router-load should be 0 to 1."),
            ("{}", ["SIGHTLINE_LIMIT_ROUTER_LOAD": "-0.1"], "router-load should be 0 to 1."),
            ("{}", ["SIGHTLINE_TIMEOUT_JOIN": "nan"], "join should be 0.1 to 86400 seconds"),
            ("{}", ["SIGHTLINE_PORT": "70000"], "--port should be 0 to 65535"),
        ] as [(String, [String: String], String)])
    func refused(file: String, environment: [String: String], reason: String) throws {
        let error = #expect(throws: (any Error).self) { _ = try layers(environment: environment, file: file) }
        let message = SightlineCommand.fullMessage(for: try #require(error))
        #expect(message.contains(reason), "\(message)")
    }

    @Test("a refusal names where a value came from; a variable that is no setting is named")
    func sources() throws {
        let layers = try LayeredArguments(
            [], environment: ["SIGHTLINE_PORT": "x", "SIGHTLINE_PROT": "1", "OTHER": "1"],
            options: Self.options)
        #expect(
            layers.sources(in: "The value for '--port <port>' is invalid") == ["port is from SIGHTLINE_PORT"])
        #expect(layers.unknownVariables == ["SIGHTLINE_PROT"])
    }

    @Test("the ports and addresses of media reach the router, which takes no more legs than it has ports")
    func media() throws {
        let (_, serve) = try layers(
            environment: ["SIGHTLINE_MEDIA_ADDRESS": "198.51.100.7,2001:db8::7"],
            file: #"{"media-ports": "40000-40099"}"#)
        #expect(
            serve.mediaRouter.arguments.suffix(6) == [
                "--media-ports", "40000-40099", "--media-address", "198.51.100.7", "--media-address",
                "2001:db8::7",
            ])
        let router = try SightlineCommand.parseAsRoot(["router"] + serve.mediaRouter.arguments) as? Router
        #expect(router?.options.ports == 40_000...40_099)
        for wrong in ["40000", "40099-40000", "80-90", "1-70000", "a-b", "-"] {
            #expect(throws: (any Error).self) { try layers(["--media-ports=\(wrong)"]) }
        }
    }

    @Test("a line of the log is an object with the ids of what it is about")
    func jsonLog() throws {
        let event = LogEvent(
            level: .info, message: "client joined", metadata: ["session": "s\"1", "connection": "c"],
            source: "test", file: "", function: "", line: 0)
        let line = JSONLogHandler.line(
            event, label: "sightline.server", metadata: ["session": "old"],
            at: Date(timeIntervalSince1970: 1.5))
        let wanted =
            #"{"connection":"c","level":"info","logger":"sightline.server","message":"client joined","#
            + #""session":"s\"1","time":"1970-01-01T00:00:01.500Z"}"#
        #expect(String(decoding: line, as: UTF8.self) == wanted)
    }
}
