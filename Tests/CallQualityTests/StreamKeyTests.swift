// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@testable import CallQuality

/// Streams without SSRC have a key by their id, the same in every process.
@Suite("Keys of streams")
struct StreamKeyTests {
    @Test(
        "An id's key is its FNV-1a hash, beyond all SSRCs",
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func hash(id: String, expected: UInt64) {
        #expect(StreamKey.of(ssrc: nil, id: id) == expected | 1 << 63)
        #expect(StreamKey.of(ssrc: 7, id: id) == 7)
    }

    /// Of two streams that received the same the one with the larger key is described, today and tomorrow: with keys by
    /// `hashValue` it was one or the other by the process.
    @Test("Which of two equal streams is described does not depend on the process")
    func ties() throws {
        let winners = try (0..<16).map { number in
            let ids = ["IT\(number)A", "IT\(number)B"]
            let one = try Self.described(ids)
            #expect(try Self.described(ids.reversed()) == one, "nor on their order")
            return one == 0.001 ? "A" : "B"
        }
        #expect(winners.joined() == "BAABBAABBABAABBA")
    }

    /// The jitter of the stream that is described: 1 ms of the one whose id has an A, 2 ms of the other.
    private static func described(_ ids: [String]) throws -> Double {
        var observer = SubscriberObserver()
        var result: SubscriberObservation?
        for second in 1...3 {
            let time = 1_700_000_000_000 + Double(second) * 1000
            var report = StatsReport(timestamp: time)
            report.inboundRTP = ids.map { id in
                var entry = InboundRTPStats(id: id, timestamp: time)
                entry.kind = .audio
                entry.packetsReceived = UInt64(second * 50)
                entry.bytesReceived = UInt64(second * 4000)
                entry.jitter = id.contains("A") ? 0.001 : 0.002
                return entry
            }
            result = observer.handle(report)
        }
        return try #require(result?.audio?.jitter)
    }
}
