// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

@Suite("What the time of packets says of a path")
struct PacketTimingTests {
    /// Half a minute of an estimate that has a packet of video take this long, and audio that jitters that much beside it.
    private func isTooSteady(
        packet: Double?, jitter: Double?, roundTripTimes: [Double] = [0.04, 0.07, 0.05, 0.09],
        other: Double? = nil
    ) -> Bool {
        var timing = PacketTiming(), roundTrips = RoundTrips()
        for second in 0..<30 {
            roundTrips.handle(
                [roundTripTimes[second % roundTripTimes.count], other], at: Double(second) * 1000)
            timing.handle(
                PacketTiming.Input(
                    // Not every packet is as large.
                    serializationDelay: packet.map { second % 3 == 0 ? $0 / 2 : $0 },
                    audioJitter: second % 5 == 0 ? jitter : nil),
                at: Double(second) * 1000)
        }
        return timing.isTooSteady(roundTrips, ConditionRules())
    }

    @Test("Audio that does not wait for packets of video went over a link that is faster than the estimate")
    func steady() {
        #expect(isTooSteady(packet: 0.05, jitter: 0.003))
        #expect(!isTooSteady(packet: 0.05, jitter: 0.008))
        // On a faster link no one would have to wait, and without figures nothing is said.
        #expect(!isTooSteady(packet: 0.02, jitter: 0.001))
        #expect(!isTooSteady(packet: nil, jitter: 0.003) && !isTooSteady(packet: 0.05, jitter: nil))
    }

    @Test("A round trip time that does not vary, or rises as by a queue, is another matter")
    func roundTripTimes() {
        #expect(!isTooSteady(packet: 0.05, jitter: 0.003, roundTripTimes: [0.05, 0.052]))
        // Audio comes steadily out of a queue that stands.
        #expect(
            !isTooSteady(
                packet: 0.05, jitter: 0.003, roundTripTimes: [0.04] + Array(repeating: 0.25, count: 40)))
        // Two who measure differ by something of their own.
        #expect(!isTooSteady(packet: 0.05, jitter: 0.003, roundTripTimes: [0.05, 0.052], other: 0.08))
        #expect(!isTooSteady(packet: 0.05, jitter: 0.003, roundTripTimes: [0.05, 0.3, 0.4, 0.2]))
    }

    @Test(
        "Audio that jitters by much less than behind packets on a path of that rate is a hint that it is faster"
    )
    func steadier() {
        func isSteadier(packet: Double, jitter: Double) -> Bool {
            var timing = PacketTiming()
            for second in 0..<12 {
                timing.handle(
                    PacketTiming.Input(
                        serializationDelay: packet, audioJitter: second % 5 == 0 ? jitter : nil),
                    at: Double(second) * 1000)
            }
            return timing.isSteadier
        }
        #expect(isSteadier(packet: 0.02, jitter: 0.003))
        #expect(!isSteadier(packet: 0.02, jitter: 0.01) && !isSteadier(packet: 0.008, jitter: 0.001))
    }

    @Test("An estimate that stays where it fell to has found a limit")
    func plateau() {
        func isLong(lossyUntil end: Int = 0, _ estimates: (Int) -> Double) -> Bool {
            var plateau = Plateau()
            for second in 0..<30 {
                plateau.handle(
                    estimates(second), isLossy: second < end, since: 0, at: Double(second) * 1000)
            }
            return plateau.isLong
        }
        #expect(isLong { $0 % 8 == 0 ? 265_000 : 315_000 })
        // It is still on its way in the first seconds.
        #expect(isLong { $0 < 5 ? 100_000 : 300_000 })
        // Loss holds it down by itself.
        #expect(!isLong(lossyUntil: 20) { _ in 300_000 })
        #expect(!isLong { 300_000 * (1 + 0.03 * Double($0)) })
        #expect(!isLong { 300_000 * (1 - 0.02 * Double($0)) })
    }

    @Test("Little loss of audio that is sent twice is no one's issue, and much is")
    func redundancy() {
        func severity(_ loss: Double, isRedundant: Bool) -> Diagnosis.Severity? {
            var path = DirectionVerdict()
            (path.lossGrade, path.fractionLost) = (3, loss)
            var evidence = StreamEvidence(direction: .uplink, path: path)
            evidence.isRedundant = isRedundant
            return evidence.lossSeverity
        }
        #expect(severity(0.02, isRedundant: false) == .noticeable)
        #expect(severity(0.02, isRedundant: true) == nil)
        #expect(severity(0.15, isRedundant: true) != nil)
    }
}
