// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import CallRecording
import Foundation
import LabScoring
import MediaEngine
import SessionWire
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
    private let seed: UInt64
    private var counters: [Timeline.Counters] = []
    private var stepTimes: [Double] = []
    private var irregular: Task<Void, Never>?

    /// Makes the call and follows its schedule.
    ///
    /// - Parameter recorder: Keeps what bob sees and hears.
    /// - Returns: What was said, and what it was said of.
    static func run(
        _ scenario: Scenario, seed: UInt64, router: String, recorder: ReceptionRecorder? = nil
    ) async throws -> (timeline: Timeline, records: [RecordedReport]) {
        try await LabServer.with(router: router) { server in
            let engines = (try SeededEngine(seed: seed), try SeededEngine(seed: seed &+ 1000))
            let collector = SampleCollector()
            let alice = try await server.client(
                "alice", .publisher, engines.0, onReport: collector.sink(for: .alice))
            let bob = try await server.client(
                "bob", .subscriber, engines.1, onReport: collector.sink(for: .bob))
            var call = try await LabCall(scenario, seed, alice, bob, engines.0, collector)
            try await recorder?.listen(to: call.subscriber)
            let timeline = try await call.follow()
            await bob.disconnect()
            await alice.disconnect()
            return (timeline, collector.records)
        }
    }

    private init(
        _ scenario: Scenario, _ seed: UInt64, _ alice: Session, _ bob: Session, _ engine: SeededEngine,
        _ collector: SampleCollector
    ) async throws {
        self.seed = seed
        self.collector = collector
        self.scenario = scenario
        let setup = scenario.setup
        video =
            setup.hasVideo
            ? try engine.makeVideoSource(
                setup.files.map { .file(path: $0.video) }
                    ?? .testCard(
                        width: 640, height: 360, frameRate: setup.frameRate, isScreen: setup.isScreen))
            : nil
        publisher = Publisher(settings: Self.settings(setup, seed, video))
        collector.listen(to: publisher)
        try await alice.publish(publisher)
        try await waiting(for: "the stream at bob's") { !bob.streams.isEmpty }
        var receiving = SubscriberSettings()
        receiving.networkConditions = NetworkConditions()
        guard let stream = bob.streams.first else { throw LabFailure(description: "the stream went") }
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
        settings.audio = .content(
            setup.files.map { .file(path: $0.audio) } ?? (setup.speaks ? .speech(seed: seed) : .silence))
        settings.frameRate = setup.frameRate
        settings.simulcast = setup.hasLayers ? .automatic : .off
        settings.videoType = setup.isScreen ? .screen : .camera
        settings.usesDiscontinuousTransmission = setup.usesDiscontinuousTransmission
        settings.senderStatsTrack = setup.showsSenderStats
        settings.networkConditions = NetworkConditions()
        return settings
    }

    private mutating func follow() async throws -> Timeline {
        let metronome = Metronome()
        defer {
            metronome.stop()
            irregular?.cancel()
        }
        let began = SampleCollector.unixTime
        let start = ContinuousClock.now
        try await takeSteps(start)
        var timeline = Timeline(
            scenario: scenario.name, seed: seed, samples: collector.samples(since: start), counters: counters,
            load: Self.load())
        timeline.began = began
        timeline.stepTimes = stepTimes
        timeline.punctuality = metronome.punctuality
        return timeline
    }

    /// Takes each step in its time, and reads the counters then and each second.
    private mutating func takeSteps(_ start: ContinuousClock.Instant) async throws {
        let seconds = stride(from: 0, through: scenario.duration, by: 1).map { ($0, Scenario.Action?.none) }
        let steps = scenario.steps.map { ($0.time, Scenario.Action?.some($0.action)) }
        for (time, action) in (seconds + steps).sorted(by: { $0.0 < $1.0 }) {
            try await ContinuousClock().sleep(until: start + .seconds(time), tolerance: .zero)
            let now = (ContinuousClock.now - start).seconds
            readCounters(at: now)
            guard let action else { continue }
            stepTimes.append(now)
            try perform(action)
        }
    }

    private mutating func perform(_ action: Scenario.Action) throws {
        switch action {
        case .network(let party, let conditions): try set(conditions, of: party)
        case .irregular(let party, let direction, let jitter): setJitter(party, direction, jitter)
        case .audio(let isOn): publisher.publishAudio = isOn
        case .video(let isOn): publisher.publishVideo = isOn
        case .still(let isStill): video?.setStill(isStill)
        case .encodeDelay(let time): video?.setEncodeDelay(milliseconds: time)
        case .wantedHeight(let height):
            subscriber.preferredResolution = height.map { VideoSize(width: $0 * 16 / 9, height: $0) }
        }
    }

    private func set(_ conditions: NetworkConditions, of party: Scenario.Party) throws {
        switch party {
        case .alice: try publisher.setNetworkConditions(conditions)
        case .bob: try subscriber.setNetworkConditions(conditions)
        }
    }

    private mutating func setJitter(
        _ party: Scenario.Party, _ direction: NetworkConditions.Direction, _ jitter: Double?
    ) {
        irregular?.cancel()
        let (call, previous) = (self, irregular)
        let seed = seed
        irregular = Task {
            // The old one may be at its last setting.
            await previous?.value
            var conditions = NetworkConditions()
            guard let jitter else {
                try? call.set(conditions, of: party)
                return
            }
            var link = JitteryLink(jitter: jitter, seed: seed)
            await link.run { delay in
                conditions[direction].delay = delay
                try? call.set(conditions, of: party)
            }
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
