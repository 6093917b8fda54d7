// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import TestSupport
import Testing

@Suite("Packed recordings")
struct PackedRecordingTests {
    /// What the reader gives of a file.
    private static func read(
        _ bytes: some Sequence<UInt8>, limits: RecordingLimits = .default
    ) throws -> (records: [RecordedReport], issues: [RecordingIssue.Code]) {
        let folder = try TemporaryFolder()
        let file = folder.file("call.of.any.name")
        try Data(bytes).write(to: file)
        var reader = try RecordingReader(file, limits: limits)
        var records: [RecordedReport] = []
        while let record = try reader.next() { records.append(record) }
        return (records, reader.issues.map(\.code))
    }

    /// `gzip -9 -n` of subscriber.jsonl.
    private static func packed() throws -> [UInt8] { try Fixture.bytes("subscriber.jsonl.gz") }

    @Test("a recording packed with gzip is recognised by its content and read as it would be unpacked")
    func packedRecording() throws {
        let (records, issues) = try Self.read(Self.packed())
        #expect(try records == Reading(Fixture.bytes("subscriber.jsonl")).records)
        #expect(issues == [])
    }

    @Test("parts that were packed one by one are one recording, and padding after them does not matter")
    func members() throws {
        let packed = try Self.packed()
        let once = try Reading(Fixture.bytes("subscriber.jsonl")).records
        let (records, issues) = try Self.read(packed + packed + [0, 0, 0])
        #expect(records.count == 2 * once.count)
        #expect(issues == [])
    }

    @Test(
        "of a packed recording that was cut anywhere, what came before is read, and that it was cut is said")
    func cut() throws {
        let packed = try Self.packed()
        let whole = try Reading(Fixture.bytes("subscriber.jsonl")).records
        var most = 0
        for end in stride(from: packed.count - 1, to: 40, by: -17) {
            guard let (records, issues) = try? Self.read(packed[..<end]) else { continue }
            #expect(records == Array(whole.prefix(records.count)))
            #expect(issues.contains(.truncated))
            most = max(most, records.count)
        }
        #expect(most >= whole.count - 1)
    }

    @Test("what cannot be unpacked at all is refused")
    func refused() throws {
        for bytes: [UInt8] in [[0x1F, 0x8B], [0x1F, 0x8B, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]] {
            let error = #expect(throws: RecordingError.self) { try Self.read(bytes) }
            #expect(error?.code == .compressed)
        }
    }

    @Test("what a packed recording may hold is bounded")
    func bounded() throws {
        var limits = RecordingLimits()
        limits.unpackedBytes = 10_000
        limits.lineBytes = 1 << 20
        let packed = try Self.packed()
        let bomb = Array(repeating: packed, count: 50).flatMap(\.self)
        let (records, issues) = try Self.read(bomb, limits: limits)
        #expect(records.count < 100)
        #expect(issues.contains(.limitExceeded))
    }

    @Test("random damage never traps", arguments: Seed.draw(3))
    func randomDamage(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let packed = try Self.packed()
        for _ in 0..<60 {
            var damaged = packed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                damaged[place] = UInt8.random(in: 0...255, using: &random)
            }
            damaged.removeLast(Int.random(in: 0..<packed.count / 2, using: &random))
            _ = try? Self.read(damaged)
        }
    }
}
