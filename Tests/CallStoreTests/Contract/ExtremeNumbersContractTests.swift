// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import HistoryWriter
import SessionWire
import TestSupport
import Testing

/// What every store promises of numbers without sense: they can be written, everything can be read, and what is read can be.
@Suite("The contract of stores: numbers without sense")
struct ExtremeNumbersContractTests {
    @Test("can be written and read", arguments: TestedHistory.allCases, Seed.draw(5))
    func written(history: TestedHistory, seed: UInt64) async throws {
        var generator = ExtremeNumbers(seed: seed)
        var scenario = try await history.scenario()
        scenario.now = generator.time()
        try await scenario.begin()
        for _ in 0..<5 {
            let records = (0..<100).map { _ in generator.record(scenario) }
            let outcome = try await scenario.store.write(records)
            // A time and an id can come twice by chance; nothing is refused.
            #expect(outcome.rejected == 0, "seed \(seed)")
            try await ExtremeNumbers.readAll(scenario.store, &generator, seed)
        }
    }
}

/// Records whose numbers are as bad as they can be.
struct ExtremeNumbers: RandomNumberGenerator {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func next() -> UInt64 { random.next() }

    mutating func integer() -> Int64 {
        let extremes: [Int64] = [
            .min, .min + 1, -1, 0, 1, 5, 5000, 60_000, 1 << 53, 9_000_000_000_000_000_000, .max - 1, .max,
        ]
        return Bool.random(using: &self)
            ? extremes.randomElement(using: &self) ?? 0 : Int64(bitPattern: next())
    }

    mutating func number() -> Double {
        let extremes: [Double] = [
            .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            .leastNonzeroMagnitude, -0.0, -1, 1e12, 9e15, -9e15, 9.3e18, 4.5, 253_402_300_800_000,
            1_700_000_000_000_000,
        ]
        return Bool.random(using: &self)
            ? extremes.randomElement(using: &self) ?? 0 : Double(bitPattern: next())
    }

    mutating func time() -> Double {
        Bool.random(using: &self)
            ? StoreScenario.start + Double.random(in: 0...600_000, using: &self) : number()
    }

    mutating func word<Word: CaseIterable>() -> Word? {
        (Word.allCases.map(Optional.some) + [nil]).randomElement(using: &self) ?? nil
    }

    mutating func media() -> MediaFigures {
        var media = MediaFigures()
        media.packets = next()
        media.packetsLost = integer()
        media.bytes = next()
        media.bitrate = number()
        media.jitter = number()
        media.audioLevel = number()
        media.mos = number()
        media.width = Int(integer())
        media.height = Int(integer())
        media.frameRate = number()
        media.framesSent = next()
        media.freezeCount = Int(integer())
        media.totalFreezesDuration = number()
        media.pauseCount = Int(integer())
        media.totalPausesDuration = number()
        media.qualityLimitationReason = word()
        media.layers = [
            .init(
                rid: "l", width: Int(integer()), height: Int(integer()), frameRate: number(),
                bitrate: number())
        ]
        return media
    }

    mutating func sample() -> StreamSample {
        var sample = StreamSample()
        sample.networkCondition = word()
        sample.networkConditionReason = word()
        sample.connectionEstimatedBandwidth = number()
        sample.roundTripTime = number()
        sample.fractionLost = number()
        sample.bandwidthDemand = number()
        sample.remoteNetworkCondition = word()
        sample.networkDegradationSource = word()
        sample.diagnosis = .init(
            cause: word() ?? .unknown, severity: word(), since: number(),
            evidence: .init(fractionLost: number(), jitter: number(), demand: number()))
        sample.audio = media()
        sample.video = media()
        return sample
    }

    mutating func record(_ scenario: StoreScenario) -> StoreRecord {
        let key = Bool.random(using: &self) ? scenario.alice : scenario.bob
        let mark = EventMark(time: time(), capturedAt: time(), event: integer())
        switch Int.random(in: 0..<8, using: &self) {
        case 0:
            return .event(
                .init(
                    session: "s", connection: key.connection, flow: key.number, mark: mark,
                    type: "callQuality", isAlarm: true, detail: ["reason": "highInboundJitter"]))
        case 1: return .report(.init(flow: key, mark: mark, json: Array("[]".utf8)))
        default:
            let observer = Observer.allCases.randomElement(using: &self) ?? .client
            return .sample(.init(flow: key, observer: observer, mark: mark, sample: sample()))
        }
    }

    /// Calls every function that reads, and checks that what it says can be.
    static func readAll(_ store: any HistoryStore, _ generator: inout ExtremeNumbers, _ seed: UInt64)
        async throws
    {
        try await store.maintenance(now: generator.time(), uptime: .zero)
        var window = WindowQuery(session: "s")
        let isNarrow = Bool.random(using: &generator)
        if isNarrow { (window.from, window.to) = (generator.number(), generator.number()) }
        let summary = try #require(try await store.summary(session: "s", showsNames: true))
        for judgement in summary.flows.flatMap(\.judgements) {
            #expect(judgement.audioMOS.map { (0...5).contains($0) } ?? true, "seed \(seed)")
            #expect(judgement.videoMOS.map { (0...5).contains($0) } ?? true, "seed \(seed)")
            #expect(judgement.samples > 0, "seed \(seed)")
        }
        #expect(summary.worstMinutes.count <= SessionSummary.worstMinuteLimit, "seed \(seed)")
        let latest = Double(Int64.latestUnixTime)
        let minutes = try #require(try await store.minutes(window)).items
        #expect(minutes.allSatisfy { (0...latest).contains($0.time) }, "seed \(seed)")
        #expect(minutes.map(\.time) == minutes.map(\.time).sorted(), "seed \(seed)")
        let samples = try #require(try await store.samples(window)).items
        #expect(samples.allSatisfy { (0...latest).contains($0.time) }, "seed \(seed)")
        #expect(
            samples.compactMap(\.sample.fractionLost).allSatisfy { (0...1).contains($0) }, "seed \(seed)")
        let timeline = try #require(try await store.timeline(window)).items
        #expect(timeline.allSatisfy { (0...latest).contains($0.time) }, "seed \(seed)")
        _ = try await store.reports(window)
        _ = try await store.lastReports(window)
        _ = try await store.sessions(.init())
        let alerts = try await store.alerts(.init()).items
        #expect(alerts.allSatisfy { (0...latest).contains($0.first) }, "seed \(seed)")
        // What is read is to be written as JSON.
        _ = try JSONEncoder().encode(summary)
        _ = try JSONEncoder().encode(minutes)
        _ = try JSONEncoder().encode(samples)
        _ = try JSONEncoder().encode(timeline)
    }
}
