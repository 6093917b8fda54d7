// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import TestSupport
import Testing

@Suite("Minutes that are in no chunk yet")
struct OpenMinutesTests {
    /// The beginning of a minute.
    private static let start: Int64 = 1_700_000_040_000

    private static func sample(_ time: Int64, received: Int64? = nil, captured: Int64? = nil) -> ChunkSample {
        ChunkSample(
            receivedAt: start + (received ?? time), time: start + time, capturedAt: captured ?? time,
            sample: StreamSample())
    }

    private static func open(_ times: [Int64], flow: Int64 = 1, capacity: Int = 1000) -> OpenMinutes {
        var open = OpenMinutes(capacity: capacity)
        for (position, time) in times.enumerated() {
            let result = open.add(
                sample(time), flow: flow, observer: .client, event: 1, position: Int64(position))
            #expect(result == .added)
        }
        return open
    }

    @Test("are taken once they are over, whole and in the order in which they came")
    func over() {
        var open = Self.open([0, 1000, 59_999, 60_000, 61_000])
        #expect(open.take(now: Self.start + 59_999).isEmpty)
        let minutes = open.take(now: Self.start + 60_000)
        #expect(minutes.map(\.samples.count) == [3] && minutes.first?.key.minute == Self.start / 60_000)
        #expect(minutes.first?.samples == [0, 1000, 59_999].map { Self.sample($0) })
        // What is taken can still be read, and is still needed of the log.
        #expect(open.samples(of: 1, observer: .client).count == 5 && open.lowWater == 0 && open.count == 5)
        open.finish()
        #expect(open.samples(of: 1, observer: .client).count == 2 && open.lowWater == 3 && open.count == 2)
    }

    @Test("come again if they could not be made chunks of, with what has come for them since")
    func putBack() {
        var open = Self.open([0, 1000, 61_000])
        #expect(open.take(now: Self.start + 70_000).map(\.samples.count) == [2])
        // One at a time: what is taken is neither done nor put back.
        #expect(open.take(now: Self.start + 700_000).isEmpty)
        let late = Self.sample(2000, received: 75_000)
        #expect(open.add(late, flow: 1, observer: .client, event: 2, position: 9) == .added)
        open.putBack()
        #expect(open.lowWater == 0 && open.count == 4)
        let again = open.take(now: Self.start + 80_000)
        #expect(again.map(\.samples) == [[Self.sample(0), Self.sample(1000), late]])
        open.finish()
        #expect(open.lowWater == 2 && open.count == 1)
    }

    @Test("are all taken at the end, and what is left by then is known")
    func all() {
        var open = Self.open([0, 61_000])
        #expect(open.lowWaterOfOpen == 0)
        #expect(open.take(now: Self.start + 60_000).count == 1)
        #expect(open.lowWaterOfOpen == 1 && open.lowWater == 0)
        #expect(open.minutes(includesTaken: false) { _ in true }.map(\.samples.count) == [1])
        #expect(open.minutes(includesTaken: true) { _ in true }.count == 2)
        #expect(open.minutes(includesTaken: true) { $0 != 1 }.isEmpty)
        #expect(open.takeAll().isEmpty)
        open.finish()
        #expect(open.takeAll().count == 1)
        open.finish()
        #expect(open.lowWaterOfOpen == nil && open.count == 0)
    }

    @Test("say what would happen to a sample, and know what was stored elsewhere")
    func before() {
        var open = OpenMinutes(capacity: 2)
        let sample = Self.sample(0)
        func result(_ event: Int64, after others: Int = 0) -> OpenMinutes.Result {
            open.result(of: sample, flow: 1, observer: .client, event: event, after: others)
        }
        #expect(result(1) == .added && result(1, after: SampleChunk.limit) == .full)
        open.remember(capturedAt: sample.capturedAt, event: 1, receivedAt: sample.receivedAt)
        #expect(result(1) == .duplicate && result(2) == .added)
        #expect(open.hasRoom(for: 2) && !open.hasRoom(for: 3))
        #expect(open.add(sample, flow: 1, observer: .client, event: 1, position: 1) == .duplicate)
    }

    @Test("are taken in time whatever their times say: no clock keeps the log for ever")
    func future() {
        var open = OpenMinutes(capacity: 10)
        for (number, time) in [Int64.max, .min, Self.start + 86_400_000].enumerated() {
            let sample = ChunkSample(
                receivedAt: Self.start, time: time, capturedAt: Int64(number), sample: StreamSample())
            #expect(open.add(sample, flow: 1, observer: .client, event: 1, position: Int64(number)) == .added)
        }
        #expect(open.take(now: Self.start).count == 1)
        open.finish()
        #expect(open.take(now: Self.start + OpenMinutes.longestWait).count == 2)
        open.finish()
        #expect(open.lowWater == nil && open.count == 0)
    }

    @Test("have a sample once that comes twice, also after its chunk and from another connection")
    func duplicates() {
        var open = Self.open([0])
        #expect(open.add(Self.sample(0), flow: 2, observer: .client, event: 1, position: 1) == .duplicate)
        #expect(open.add(Self.sample(0), flow: 2, observer: .client, event: 2, position: 1) == .added)
        _ = open.take(now: Self.start + 60_000)
        open.finish()
        let again = Self.sample(0, received: 100_000)
        #expect(open.add(again, flow: 1, observer: .client, event: 1, position: 2) == .duplicate)
        let late = Self.sample(0, received: OpenMinutes.memory + 1)
        #expect(open.add(late, flow: 1, observer: .client, event: 1, position: 3) == .added)
    }

    @Test("are bounded, in a minute and all together, and so is what is known of what has come")
    func bounds() {
        var open = OpenMinutes(capacity: 10)
        func add(_ number: Int64, received: Int64 = 0) -> OpenMinutes.Result {
            open.add(
                Self.sample(number, received: received), flow: 1, observer: .client, event: 1,
                position: number)
        }
        #expect(
            (0..<12 as Range<Int64>).map { add($0) } == Array(repeating: .added, count: 10) + [.full, .full])
        _ = open.take(now: Self.start + 60_000)
        open.finish()
        #expect(
            (12..<24 as Range<Int64>).map { add($0) } == Array(repeating: .added, count: 10) + [.full, .full])
        _ = open.take(now: Self.start + 60_000)
        open.finish()
        // All marks are taken, until they are old.
        #expect(add(30) == .full && add(31, received: OpenMinutes.memory + 1) == .added)
        var large = OpenMinutes(capacity: .max)
        let results = (0...Int64(SampleChunk.limit)).map { number in
            large.add(
                Self.sample(0, captured: number), flow: 1, observer: .client, event: 1, position: number)
        }
        #expect(results.last == .full && results.dropLast().allSatisfy { $0 == .added })
    }

    @Test("of someone whose data is deleted are gone, taken out or not")
    func removal() {
        var open = Self.open([0, 61_000])
        #expect(open.add(Self.sample(5), flow: 2, observer: .router, event: 5, position: 5) == .added)
        _ = open.take(now: Self.start + 70_000)
        open.remove(flow: 1)
        #expect(open.count == 1 && open.lowWater == 5)
        open.putBack()
        #expect(open.take(now: Self.start + 70_000).map(\.key.flow) == [2])
    }

    @Test("lose nothing and double nothing, whatever fails", arguments: Seed.draw(20))
    func conservation(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var open = OpenMinutes(capacity: 200)
        var (inside, done): ([Int64: Int64], Set<Int64>) = ([:], [])
        var (now, captured): (Int64, Int64) = (Self.start, 0)
        var taken: [OpenMinutes.Minute] = []
        for position in 0..<400 as Range<Int64> {
            now += .random(in: 0...3000, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: if taken.isEmpty { taken = open.take(now: now) }
            case 1:
                open.putBack()
                taken = []
            case 2:
                for sample in taken.flatMap(\.samples) {
                    #expect(done.insert(sample.capturedAt).inserted, "seed \(seed)")
                    inside[sample.capturedAt] = nil
                }
                open.finish()
                taken = []
            default:
                captured += 1
                let sample = ChunkSample(
                    receivedAt: now, time: now - .random(in: 0...90_000, using: &random),
                    capturedAt: captured,
                    sample: StreamSample())
                let (flow, event) = (Int64.random(in: 1...3, using: &random), captured)
                func add() -> OpenMinutes.Result {
                    open.add(sample, flow: flow, observer: .client, event: event, position: position)
                }
                let result = add()
                if result == .added { inside[captured] = position }
                #expect(result == .added ? add() == .duplicate : inside.count == 200, "seed \(seed)")
            }
            #expect(open.count == inside.count && open.lowWater == inside.values.min(), "seed \(seed)")
            let read = (1...3).flatMap { open.samples(of: $0, observer: .client) }.map(\.capturedAt)
            #expect(Set(read) == Set(inside.keys) && read.count == inside.count, "seed \(seed)")
        }
        #expect(!done.isEmpty, "seed \(seed)")
    }
}
