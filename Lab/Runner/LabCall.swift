// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LabScoring
import MediaEngine
import SessionProtocol
import Sightline

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One call of a scenario.
struct LabCall {
    private let scenario: Scenario
    private let video: (any VideoSource)?
    private let publisher: Publisher
    private let subscriber: Subscriber
    private let collector: SampleCollector
    private var counters: [Timeline.Counters] = []

    /// Makes the call and follows its schedule.
    static func run(_ scenario: Scenario, seed: UInt64, router: String) async throws -> Timeline {
        try await LabServer.with(router: router) { server in
            let engines = (try SeededEngine(seed: seed), try SeededEngine(seed: seed &+ 1000))
            let alice = try await server.client("alice", .publisher, engines.0)
            let bob = try await server.client("bob", .subscriber, engines.1)
            var call = try await LabCall(scenario, seed, alice, bob, engines.0)
            let timeline = try await call.follow(seed)
            await bob.disconnect()
            await alice.disconnect()
            return timeline
        }
    }

    private init(
        _ scenario: Scenario, _ seed: UInt64, _ alice: Session, _ bob: Session, _ engine: SeededEngine
    ) async throws {
        self.scenario = scenario
        collector = SampleCollector()
        let setup = scenario.setup
        video =
            setup.hasVideo
            ? try engine.makeVideoSource(
                .testCard(width: 640, height: 360, frameRate: setup.frameRate, isScreen: setup.isScreen))
            : nil
        publisher = Publisher(settings: Self.settings(setup, seed, video))
        collector.listen(to: publisher)
        try await alice.publish(publisher)
        try await waiting(for: "the stream at bob's") { !bob.streams.isEmpty }
        var receiving = SubscriberSettings()
        receiving.networkConditions = NetworkConditions()
        guard let stream = bob.streams.first else { throw NotInTime(description: "the stream went") }
        subscriber = Subscriber(stream: stream, settings: receiving)
        collector.listen(to: subscriber)
        let frames = subscriber.frames()
        try await bob.subscribe(subscriber)
        if setup.hasVideo { for await _ in frames { break } }
    }

    private static func settings(
        _ setup: Scenario.Setup, _ seed: UInt64, _ video: (any VideoSource)?
    ) -> PublisherSettings {
        var settings = PublisherSettings()
        settings.video = video.map { .source($0) }
        settings.audio = .content(setup.speaks ? .speech(seed: seed) : .silence)
        settings.frameRate = setup.frameRate
        settings.simulcast = setup.hasLayers ? .automatic : .off
        settings.videoType = setup.isScreen ? .screen : .camera
        settings.usesDiscontinuousTransmission = setup.usesDiscontinuousTransmission
        // The lab judges what callers and support see together.
        settings.senderStatsTrack = true
        settings.networkConditions = NetworkConditions()
        return settings
    }

    private mutating func follow(_ seed: UInt64) async throws -> Timeline {
        let start = ContinuousClock.now
        readCounters(at: 0)
        for step in scenario.steps {
            try await ContinuousClock().sleep(until: start + .seconds(step.time))
            readCounters(at: (ContinuousClock.now - start) / .seconds(1))
            try perform(step.action)
        }
        try await ContinuousClock().sleep(until: start + .seconds(scenario.duration))
        readCounters(at: scenario.duration)
        return Timeline(
            scenario: scenario.name, seed: seed, samples: collector.samples(since: start), counters: counters,
            load: Self.load())
    }

    private func perform(_ action: Scenario.Action) throws {
        switch action {
        case .network(.alice, let conditions): try publisher.setNetworkConditions(conditions)
        case .network(.bob, let conditions): try subscriber.setNetworkConditions(conditions)
        case .audio(let isOn): publisher.publishAudio = isOn
        case .video(let isOn): publisher.publishVideo = isOn
        case .still(let isStill): video?.setStill(isStill)
        case .encodeDelay(let time): video?.setEncodeDelay(milliseconds: time)
        case .wantedHeight(let height):
            subscriber.preferredResolution = height.map { VideoSize(width: $0 * 16 / 9, height: $0) }
        }
    }

    private mutating func readCounters(at time: Double) {
        for direction in NetworkConditions.Direction.allCases {
            for (party, found) in [
                (Scenario.Party.alice, publisher.networkCounters(direction)),
                (.bob, subscriber.networkCounters(direction)),
            ] {
                guard let found else { continue }
                counters.append(.init(time: time, party: party, direction: direction, found))
            }
        }
    }

    private static func load() -> Double? {
        var loads = [0.0]
        return getloadavg(&loads, 1) == 1 ? loads[0] : nil
    }
}
