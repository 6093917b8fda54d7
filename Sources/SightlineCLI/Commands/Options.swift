// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import CallModel
import Foundation
import MediaEngine
import Sightline

struct OutputOptions: ParsableArguments {
    @Option(help: "text: a table that redraws, or plain lines when piped; json: one object per line.")
    var format: OutputFormat = .text

    private static let durations = OptionRange("--duration", .upTo(1e9), .seconds)

    @Option(help: Self.durations.help("When it ends; without it, on Ctrl-C", valueName: "seconds"))
    var duration: Double?

    func validate() throws { try Self.durations.check(duration) }
}

struct ServerOptions: ParsableArguments {
    @Option(help: "The session server.")
    var url: String = "http://127.0.0.1:8080"

    @Option(help: "A token of the session (see 'sightline token'); also from SIGHTLINE_TOKEN.")
    var token: String?

    /// The token from wherever it was given.
    func requireToken() throws -> String {
        if let token = token ?? ProcessInfo.processInfo.environment["SIGHTLINE_TOKEN"], !token.isEmpty {
            return token
        }
        throw ValidationError(
            "There is no token. Make one with 'sightline token --url \(url) --secret …' and give it as --token "
                + "or in SIGHTLINE_TOKEN.")
    }

    func requireURL() throws -> URL {
        guard let url = URL(string: url), let scheme = url.scheme?.lowercased(), url.host() != nil,
            ["http", "https", "ws", "wss"].contains(scheme)
        else {
            throw ValidationError("'\(url)' is no server URL; say for example http://127.0.0.1:8080")
        }
        return url
    }
}

struct ConditionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Impairs this client's network, for example 'up:loss=5,delay=50;down:rate=500'.",
            discussion:
                """
                Keys: delay ms, jitter ms, jitter_correlation_ms, loss %, burst_loss %, burst_len packets, rate kbps, \
                rate_swing %, rate_swing_ms, queue_ms, stall_ms, stall_every_ms, outage 0|1.
                """,
            valueName: "conditions"))
    var condition: String?

    @Option(
        help: ArgumentHelp(
            "Changes the network during the call: JSON lines such as {\"t\":60,\"dir\":\"up\",\"loss\":5}.",
            valueName: "file"))
    var conditionSchedule: String?

    func validate() throws {
        if condition != nil, conditionSchedule != nil {
            throw ValidationError("Give --condition or --condition-schedule, not both.")
        }
        _ = try schedule()
    }

    /// The network's schedule; `nil` if none is given.
    func schedule() throws -> ConditionSchedule? {
        do {
            if let condition { return ConditionSchedule(always: try NetworkConditions(parsing: condition)) }
            guard let conditionSchedule else { return nil }
            guard let text = try? String(contentsOfFile: conditionSchedule, encoding: .utf8) else {
                throw ValidationError("--condition-schedule: '\(conditionSchedule)' cannot be read.")
            }
            return try ConditionSchedule(parsing: text)
        } catch let error as NetworkConditions.SyntaxError {
            throw ValidationError(
                "\(condition == nil ? "--condition-schedule" : "--condition"): \(error.description)")
        }
    }
}

struct MediaOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Size of the test card.", valueName: "WxH"))
    var resolution = VideoSize(width: 640, height: 360)

    private static let frameRates = OptionRange("--fps", .numbers(1...60))

    @Option(help: Self.frameRates.help("Frames per second"))
    var fps: Double = 30

    @Option(help: "VP8 or H264.")
    var codec: String = "VP8"

    @Option(help: ArgumentHelp("Plays a Y4M file instead of the test card.", valueName: "file"))
    var video: String?

    @Option(help: ArgumentHelp("speech, tone, silence, or a WAV file.", valueName: "what"))
    var audio: String = "speech"

    @Flag(help: "Publishes audio only.")
    var audioOnly = false

    @Flag(help: "Begins with the microphone muted.")
    var muted = false

    @Flag(help: "Sends next to nothing in pauses of speech (Opus DTX).")
    var dtx = false

    @Flag(help: "Shares the publisher's own figures with subscribers.")
    var senderStats = false

    func validate() throws {
        try Self.frameRates.check(fps)
        guard ["VP8", "H264"].contains(codec.uppercased()) else {
            throw ValidationError("--codec should be VP8 or H264: the media router passes no other on.")
        }
    }

    /// Source of the microphone.
    var audioContent: AudioContent {
        switch audio {
        case "speech": .speech(seed: 1)
        case "tone": .tone(frequency: 440)
        case "silence": .silence
        default: .file(path: audio)
        }
    }
}

/// How often a client measures, and whether the server hears of it.
struct StatisticsOptions: ParsableArguments {
    private static let intervals = OptionRange("--interval", .numbers(0.2...10), .seconds)

    @Option(help: Self.intervals.help("How often statistics are read", valueName: "seconds"))
    var interval: Double = 1

    @Flag(help: "Keeps the figures here: the server, and with it the other side, hears nothing of them.")
    var noTelemetry = false

    func validate() throws { try Self.intervals.check(interval) }

    /// Sets what a session does by them.
    func apply(to configuration: inout SessionConfiguration) {
        configuration.statisticsInterval = .seconds(interval)
        configuration.sendsTelemetry = !noTelemetry
    }
}

/// A size such as `1280x720`.
extension VideoSize: ExpressibleByArgument {
    /// Reads a size that a test card can have.
    public init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x").map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], (160...1920).contains(width),
            (90...1080).contains(height), width.isMultiple(of: 2), height.isMultiple(of: 2)
        else { return nil }
        self.init(width: width, height: height)
    }

    /// As it is typed.
    public var defaultValueDescription: String { NumberFormat.size(width, height) }
}
