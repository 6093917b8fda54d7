// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import TestSupport
import Testing

@testable import CallHistory

@Suite("Samples in few bytes")
struct SampleChunkTests {
    private static let start: Int64 = 1_700_000_040_000

    /// What a store makes of a sample.
    private static func stored(_ sample: StreamSample) -> StreamSample {
        var codes: [Int64?] = []
        SampleColumns.write(sample) { codes.append($0) }
        var next = codes.makeIterator()
        var read = SampleColumns.read { next.next() ?? nil }
        read.add(
            audioCodec: sample.audio?.codec, videoCodec: sample.video?.codec,
            layers: sample.video?.layers.map(LayerBlob.bytes).flatMap(LayerBlob.layers))
        return read
    }

    /// A minute of a subscriber who sees and hears someone.
    private static func minute(_ random: inout SeededRandom) -> [ChunkSample] {
        var (packets, bytes): (UInt64, UInt64) = (1000, 1_000_000)
        return (0..<60).map { second in
            packets += 80 + .random(in: 0...10, using: &random)
            bytes += 90_000 + .random(in: 0...20_000, using: &random)
            var sample = StreamSample()
            sample.networkCondition = second < 40 ? .excellent : .good
            sample.networkConditionReason = NetworkReason.none
            sample.connectionEstimatedBandwidth = Double.random(in: 1_400_000...1_500_000, using: &random)
                .rounded()
            sample.roundTripTime = Double.random(in: 0.040...0.045, using: &random)
            sample.fractionLost = 0
            sample.diagnosis = .init(cause: .none)
            for kind in [true, false] {
                var media = MediaFigures()
                media.packets = packets
                media.packetsLost = 3
                media.bytes = bytes
                media.bitrate = Double.random(in: 700_000...900_000, using: &random).rounded()
                media.jitter = Double.random(in: 0.001...0.010, using: &random)
                media.mos = Double.random(in: 4.0...4.3, using: &random)
                media.codec = kind ? "opus" : "VP8"
                if kind { sample.audio = media } else { sample.video = media }
            }
            sample.video?.width = 640
            sample.video?.height = 360
            sample.video?.frameRate = Double.random(in: 29...30, using: &random)
            let time = start + Int64(second) * 1000 + .random(in: 0...20, using: &random)
            return ChunkSample(
                receivedAt: time + .random(in: 10...60, using: &random), time: time,
                capturedAt: time - 250_000,
                sample: sample)
        }
    }

    @Test("come back as a store has them", arguments: Seed.draw(3))
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let minute = Self.minute(&random)
        let bytes = try #require(SampleChunk.bytes(minute))
        let read = try #require(SampleChunk.samples(bytes))
        #expect(read.map(\.sample) == minute.map { Self.stored($0.sample) }, "seed \(seed)")
        #expect(read.map(\.receivedAt) == minute.map(\.receivedAt) && read.map(\.time) == minute.map(\.time))
        #expect(read.map(\.capturedAt) == minute.map(\.capturedAt), "seed \(seed)")
        #expect(SampleChunk.bytes(read) == bytes, "seed \(seed)")
        // Of figures of which each is another one each second, as chance gives them here.
        #expect(bytes.count < 35 * minute.count, "seed \(seed)")
    }

    @Test("have a value for each of a store's columns, whatever their numbers are", arguments: Seed.draw(10))
    func everyColumn(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, 1000, .max - 1, .max]
        func time() -> Int64 {
            Bool.random(using: &random)
                ? extremes.randomElement(using: &random) ?? 0 : Int64(truncatingIfNeeded: random.next())
        }
        let samples = (0..<Int.random(in: 1...70, using: &random)).map { _ in
            var sample = SampleColumns.read { [0, 1, 2, 500, nil].randomElement(using: &random) ?? nil }
            sample.add(
                audioCodec: ["opus", nil].randomElement(using: &random) ?? nil,
                videoCodec: ["VP8", "H264", nil].randomElement(using: &random) ?? nil,
                layers: Bool.random(using: &random)
                    ? nil : [LayerFigures(rid: "h", enabled: true, width: 640, height: 360)])
            return ChunkSample(receivedAt: time(), time: time(), capturedAt: time(), sample: sample)
        }
        let bytes = try #require(SampleChunk.bytes(samples))
        let read = try #require(SampleChunk.samples(bytes))
        #expect(
            read
                == samples.map {
                    ChunkSample(
                        receivedAt: $0.receivedAt, time: $0.time, capturedAt: $0.capturedAt,
                        sample: Self.stored($0.sample))
                }, "seed \(seed)")
    }

    @Test("are none if there are none, or more than a chunk holds")
    func count() throws {
        #expect(SampleChunk.bytes([]) == nil)
        let sample = ChunkSample(receivedAt: 0, time: 0, capturedAt: 0, sample: .init())
        let most = try #require(SampleChunk.bytes(Array(repeating: sample, count: SampleChunk.limit)))
        #expect(SampleChunk.samples(most)?.count == SampleChunk.limit && most.count < 50)
        #expect(SampleChunk.bytes(Array(repeating: sample, count: SampleChunk.limit + 1)) == nil)
    }

    @Test("are read from the bytes of this version, as they are")
    func golden() throws {
        var first = StreamSample()
        first.networkCondition = .good
        first.audio = .init()
        first.audio?.codec = "opus"
        let second = StreamSample()
        let samples = [
            ChunkSample(receivedAt: 1000, time: 990, capturedAt: 900, sample: first),
            ChunkSample(receivedAt: 2001, time: 1990, capturedAt: 1900, sample: second),
        ]
        let bytes = try #require(SampleChunk.bytes(samples))
        #expect(
            bytes.map { String($0, radix: 16) }.joined(separator: " ")
                == "1 2 5 9c e9 5 1 d0 f d2 f 9 bf 3 1 14 2 f9 1a 3 0 b4 1 ac 28 3 80 1 8 8 7e 9 1 4 6f 70 75 73 80 1 0"
        )
        #expect(SampleChunk.samples(bytes) == samples)
    }

    @Test("that are damaged are other samples or none, whatever was done to them", arguments: Seed.draw(1))
    func damaged(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bytes = try #require(SampleChunk.bytes(Self.minute(&random)))
        for length in 0..<bytes.count { #expect(SampleChunk.samples(Array(bytes.prefix(length))) == nil) }
        #expect(SampleChunk.samples(bytes + [0]) == nil)
        for _ in 0..<300 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard let read = SampleChunk.samples(damaged) else { continue }
            // What can be read is something that could have been written.
            let again = try #require(SampleChunk.bytes(read))
            #expect(SampleChunk.samples(again) == read, "seed \(seed)")
        }
    }

    @Test("of a later version that has more columns are read without them")
    func unknownColumns() throws {
        let samples = [ChunkSample(receivedAt: 5, time: 4, capturedAt: 3, sample: .init())]
        var bytes = try #require(SampleChunk.bytes(samples))
        bytes[2] += 1
        #expect(SampleChunk.samples(bytes + [0xFF, 0xFF, 2, 0, 2]) == samples)
        bytes[0] += 1
        #expect(SampleChunk.samples(bytes + [0xFF, 0xFF, 2, 0, 2]) == nil)
    }

    @Test("have columns of which no two stand for the same")
    func names() {
        let ids = (SampleColumns.all.map(\.name) + SampleChunk.Name.all).map(SampleChunk.id)
        #expect(Set(ids).count == ids.count && !ids.contains(0xFFFF))
        var count = 0
        SampleColumns.write(StreamSample()) { _ in count += 1 }
        #expect(count == SampleColumns.all.count)
        var read = 0
        _ = SampleColumns.read {
            read += 1
            return nil
        }
        #expect(read == SampleColumns.all.count)
    }
}
