// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import CallQuality
import MediaEngine
import Sightline

struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publishes a stream from a headless client and shows its statistics.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var media: MediaOptions
    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var quality: QualityOptions
    @OptionGroup var recording: RecordOptions
    @OptionGroup var statistics: StatisticsOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "The stream's name.")
    var name: String = "publisher"

    @OptionGroup var network: NetworkOptions

    func run() async throws {
        let url = try server.requireURL()
        let token = try server.requireToken()
        let schedule = try conditions.schedule()
        let name = name
        let media = media
        let network = network
        let quality = try quality.configuration()
        let recorder = try recording.recorder()
        let statistics = statistics
        let run = CallRun(output: output, recorder: recorder)
        try await run.run { bus in
            let participant = try Participant(
                name: name, url: url, token: token, loopbackOnly: network.loopbackOnly,
                relayOnly: network.relayOnly, bus: bus, quality: quality,
                recorder: recorder, statistics: statistics)
            return try await explained {
                try await participant.connect()
                return [try await participant.publish(media.settings(name: name), conditions: schedule)]
            }
        }
    }
}

extension MediaOptions {
    /// The publisher's settings that the options ask for.
    func settings(name: String) -> PublisherSettings {
        var settings = PublisherSettings()
        settings.name = name
        settings.resolution = resolution
        settings.frameRate = fps
        settings.videoCodec = PublisherSettings.VideoCodec(rawValue: codec.uppercased())
        settings.audio = .content(audioContent)
        if let video { settings.video = .file(path: video) }
        if audioOnly { settings.video = nil }
        settings.senderStatsTrack = senderStats
        settings.publishAudio = !muted
        settings.usesDiscontinuousTransmission = dtx
        return settings
    }
}

extension Participant {
    /// Publishes a stream.
    func publish(_ settings: PublisherSettings, conditions: ConditionSchedule?) async throws -> CallLeg {
        var settings = settings
        let runner = conditions.map(ConditionRunner.init)
        settings.networkConditions = runner?.first
        let publisher = Publisher(settings: settings)
        try await session.publish(publisher)
        return CallLeg(participant: self, end: .publisher(publisher), conditions: runner)
    }

    /// Subscribes to a stream.
    func subscribe(_ stream: MediaStream, conditions: ConditionSchedule?) async throws -> CallLeg {
        var settings = SubscriberSettings()
        let runner = conditions.map(ConditionRunner.init)
        settings.networkConditions = runner?.first
        let subscriber = Subscriber(stream: stream, settings: settings)
        let watch = FirstFrameWatch()
        try await session.subscribe(subscriber)
        return CallLeg(participant: self, end: .subscriber(subscriber, watch), conditions: runner)
    }
}
