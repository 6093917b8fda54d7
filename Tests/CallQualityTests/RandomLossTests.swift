// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import TestSupport
import Testing
import WebRTCStats

@Suite("Loss that is random")
struct RandomLossTests {
    /// A received call whose packets are lost one by one, with a probability.
    struct Call {
        var generator: SeededRandom
        /// Packets per second of each stream.
        var rates: [Int]
        private var time = 1_700_000_000_000.0
        private var received: [UInt64]
        private var lost: [Int64]
        private var observer = SubscriberObserver()

        init(seed: UInt64, rates: [Int]) {
            generator = SeededRandom(seed: seed)
            self.rates = rates
            received = rates.map { _ in 0 }
            lost = rates.map { _ in 0 }
        }

        mutating func tick(loss: Double) -> Diagnosis.Cause {
            time += 1000
            var report = StatsReport(timestamp: time)
            for index in rates.indices {
                for _ in 0..<rates[index] {
                    if Double.random(in: 0..<1, using: &generator) < loss {
                        lost[index] += 1
                    } else {
                        received[index] += 1
                    }
                }
                var entry = InboundRTPStats(id: "\(index)", timestamp: time)
                entry.ssrc = UInt64(index + 1)
                entry.kind = index == 0 ? .audio : .video
                entry.packetsReceived = received[index]
                entry.packetsLost = lost[index]
                entry.bytesReceived = received[index] * 500
                report.inboundRTP.append(entry)
            }
            return observer.handle(report, intent: .subscription()).diagnosis.cause
        }
    }

    @Test(
        "It is diagnosed within 3 s, without a gap, and cleared within 8 s",
        arguments: [0.03, 0.05, 0.12, 0.2],
        1...5 as ClosedRange<UInt64>)
    func withVideo(loss: Double, seed: UInt64) {
        var call = Call(seed: seed, rates: [50, 100])
        let before = (0..<15).map { _ in call.tick(loss: 0) }
        let during = (0..<40).map { _ in call.tick(loss: loss) }
        let after = (0..<20).map { _ in call.tick(loss: 0) }
        #expect(before.dropFirst(3).allSatisfy { $0 == .none })
        #expect(during.dropFirst(2).allSatisfy { $0 == .packetLoss }, "\(during)")
        #expect(after.dropFirst(7).allSatisfy { $0 == .none })
    }

    @Test(
        "Audio alone is diagnosed within 6 s and cleared within 8 s", arguments: [0.05, 0.12],
        1...5 as ClosedRange<UInt64>)
    func audioOnly(loss: Double, seed: UInt64) {
        var call = Call(seed: seed, rates: [50])
        for _ in 0..<15 { _ = call.tick(loss: 0) }
        let during = (0..<40).map { _ in call.tick(loss: loss) }
        let after = (0..<20).map { _ in call.tick(loss: 0) }
        #expect(during.dropFirst(5).allSatisfy { $0 == .packetLoss }, "\(during)")
        #expect(after.dropFirst(7).allSatisfy { $0 == .none })
    }

    @Test("A loss of one in a thousand is none to speak of", arguments: 1...5 as ClosedRange<UInt64>)
    func negligible(seed: UInt64) {
        var call = Call(seed: seed, rates: [50, 100])
        let causes = (0..<300).map { _ in call.tick(loss: 0.001) }
        #expect(causes.dropFirst(3).count { $0 != .none } <= 5)
    }
}
