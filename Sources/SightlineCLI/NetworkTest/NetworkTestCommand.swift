// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import CallModel
import CallQuality
import Foundation
import LibWebRTC
import Logging
import MediaEngine
import NIOSignaling
import Sightline

struct NetworkTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network-test",
        abstract:
            "Tests before a call what can be published here and now: audio and video, audio only, or nothing.",
        discussion: """
            Publishes a test stream in a session of its own and receives it back through the media router. --local tries \
            it out with a server of its own, on the loopback interface.

            Exit codes: 0 audio and video, 10 audio only, 11 neither, 1 could not test (the step is named), 64 wrong usage.
            """)

    @OptionGroup var server: ServerOptions

    @Flag(help: "Tests against a server that this command starts and ends.")
    var local = false

    @Option(
        help: ArgumentHelp(
            "Impairs the network, for example 'up:loss=5,delay=50;down:rate=500'.", valueName: "conditions")
    )
    var condition: String?

    private static let durations = OptionRange("--duration", .numbers(5...60), .seconds)

    @Option(help: Self.durations.help("Maximum duration of the measurement", valueName: "seconds"))
    var duration: Double?

    @Option(
        help: ArgumentHelp(
            "Thresholds from this JSON file; what it omits keeps its default.",
            discussion: "Those that 'sightline quality-config' shows under preCall.", valueName: "file"))
    var thresholds: String?

    @Flag(help: "Tests connectivity only: a connection that carries media counts as audio and video.")
    var connectOnly = false

    @Flag(help: "Restricts media to the loopback interface.")
    var loopbackOnly = false

    @Option(help: "text: a progress bar, the verdict, a table; json: one object per line.")
    var format: OutputFormat = .text

    func validate() throws {
        try Self.durations.check(duration)
        _ = try conditions()
        _ = try rules()
        if !local {
            _ = try server.requireURL()
            try requireToken()
        }
    }

    private func requireToken() throws {
        do { _ = try server.requireToken() } catch let error as ValidationError {
            throw ValidationError("\(error.message) --local needs none: it brings a server of its own.")
        }
    }

    func run() async throws {
        let output = NetworkTestOutput(format: format, terminal: .standardOutput())
        let report = try await local ? testLocally(output) : test(server.url, server.requireToken(), output)
        output.show(report)
        if let code = Self.exitCode(report) { throw code }
    }

    /// `nil` if there is none.
    static func exitCode(_ report: NetworkTestReport) -> ExitCode? {
        if let failure = report.failure, !failure.isOfTheNetwork { return ExitCode(1) }
        return switch report.verdict {
        case .audioAndVideo: nil
        case .audioOnly: ExitCode(10)
        case .neither: ExitCode(11)
        }
    }

    private func testLocally(_ output: NetworkTestOutput) async throws -> NetworkTestReport {
        LocalServer.startLogging(.warning)
        return try await LocalSession.with { url, token in try await test(url, token, output) }
    }

    private func test(
        _ url: String, _ token: String, _ output: NetworkTestOutput
    ) async throws -> NetworkTestReport {
        let engine: LibWebRTCEngine
        do { engine = try LibWebRTCEngine() } catch {
            throw CommandFailure("The media engine failed to start: \(error)")
        }
        let test = NetworkTest(
            url: url, token: token, engine: engine, signaling: NIOSignalingTransport(),
            configuration: try testConfiguration())
        let interruption = Interruption()
        let stopping = Task {
            await interruption.wait(seconds: nil)
            test.stop()
        }
        defer { stopping.cancel() }
        for await event in test.run() {
            switch event {
            case .progress(let progress): output.show(progress)
            case .finished(let report): return report
            }
        }
        throw CommandFailure("The test ended without a report.")
    }

    private func testConfiguration() throws -> NetworkTestConfiguration {
        var configuration = NetworkTestConfiguration()
        configuration.rules = try rules()
        configuration.measuresQuality = !connectOnly
        configuration.networkConditions = try conditions()
        configuration.session.loopbackOnly = local || loopbackOnly
        configuration.session.clientName = "sightline-cli \(SightlineCommand.version)"
        return configuration
    }

    private func conditions() throws -> NetworkConditions? {
        do { return try condition.map { try NetworkConditions(parsing: $0) } } catch {
            throw ValidationError("--condition: \(error)")
        }
    }

    private func rules() throws -> PreCallRules {
        var rules = PreCallRules()
        if let thresholds {
            rules = try QualityOptions.read(PreCallRules.self, thresholds, option: "--thresholds") {
                try $0.validate()
            }
        }
        if let duration { rules.duration = duration }
        return rules
    }
}
