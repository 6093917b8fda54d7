// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import TestSupport
import Testing

@testable import CallHistory

@Suite("Samples as a log has them")
struct SampleBatchTests {
    private static let received: Int64 = 1_700_000_040_000

    private static func entries(_ random: inout SeededRandom, _ count: Int) -> [SampleBatch.Entry] {
        (0..<count).map { number in
            var sample = number % 3 == 0 ? StoreScenario.full : StreamSample()
            sample.roundTripTime = Bool.random(using: &random) ? .random(in: 0...2, using: &random) : nil
            let time = Int64.random(in: 0...Int64.latestUnixTime, using: &random)
            return SampleBatch.Entry(
                flow: .random(in: 1...(.max), using: &random),
                observer: Bool.random(using: &random) ? .client : .router,
                event: .random(in: .min ... .max, using: &random),
                sample: .init(
                    receivedAt: received, time: time,
                    capturedAt: .random(in: 0...Int64.latestUnixTime, using: &random), sample: sample.stored))
        }
    }

    @Test("are read as they were written", arguments: Seed.draw(20))
    func roundTrip(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let entries = Self.entries(&random, .random(in: 0...50, using: &random))
        let bytes = SampleBatch.bytes(entries, receivedAt: Self.received)
        #expect(SampleBatch.entries(bytes) == entries, "seed \(seed)")
    }

    @Test("bytes that are none are refused, and none of them traps", arguments: Seed.draw(20))
    func damaged(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = SampleBatch.bytes(Self.entries(&random, 10), receivedAt: Self.received)
        for length in 0..<bytes.count { #expect(SampleBatch.entries(Array(bytes[..<length])) == nil) }
        for _ in 0..<200 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = .random(
                    in: .min ... .max, using: &random)
            }
            _ = SampleBatch.entries(damaged)
        }
    }

    @Test("what a figure cannot be is absent, as in every store")
    func nonsense() {
        var sample = StreamSample()
        sample.roundTripTime = .nan
        sample.video = MediaFigures()
        sample.video?.width = -5
        sample.video?.codec = String(repeating: "x", count: 1000)
        #expect(sample.stored == StreamSample())
        #expect(StoreScenario.full.stored == StoreScenario.full)
    }
}

@Suite("What a minute comes to")
struct MinuteTallyTests {
    private static func tally(_ samples: [StreamSample]) -> MinuteTally {
        MinuteTally(
            samples.map { .init(receivedAt: 1, time: 1, capturedAt: 1, sample: $0) })
    }

    @Test("counts what says something, and totals are the largest")
    func sums() {
        var first = StoreScenario.sample("warning", cause: "packetLoss", source: "local")
        first.video = MediaFigures()
        first.video?.mos = 4
        first.video?.freezeCount = 2
        var second = first
        second.video?.mos = 3
        second.video?.freezeCount = 5
        let tally = Self.tally([first, second, StoreScenario.sample("excellent"), StreamSample()])
        #expect(tally.samples == 4 && tally.bad == 2 && tally.worst == NetworkCondition.warning.code)
        #expect(tally.opinionSums == [0, 7000] && tally.opinionCounts == [0, 2])
        #expect(tally.totals == [5, nil, nil, nil])
        #expect(tally.counts[.init(kind: .cause, code: Diagnosis.Cause.packetLoss.code)] == 2)
        #expect(tally.counts[.init(kind: .condition, code: NetworkCondition.excellent.code)] == 1)
    }

    @Test("nothing is said where no one measured")
    func nothing() {
        let tally = Self.tally([StreamSample()])
        #expect(tally.samples == 1 && tally.worst == nil && tally.counts.isEmpty)
        #expect(tally.totals == [nil, nil, nil, nil])
    }
}
