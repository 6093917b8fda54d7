// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing

/// libwebrtc adds up the times of a client's transport-wide feedback, and ends the process when the sum is below zero.
@Suite("Times of transport-wide feedback")
struct FeedbackGateTests {
    private final class Gate {
        private let gate = sl_feedback_gate_create()
        deinit { sl_feedback_gate_destroy(gate) }

        /// The base time that is passed on, in ticks of 64 ms; `nil` if the packet is refused.
        func take(_ ticks: Int, deltas: [Int16] = [4], after prefix: [UInt8] = [], at time: Int64) -> Int? {
            var packet = prefix + feedback(ticks, deltas)
            let place = prefix.count + 16
            packet.withUnsafeMutableBufferPointer {
                sl_feedback_gate_correct(gate, $0.baseAddress, $0.count, time)
            }
            guard packet[prefix.count] == 0x8F else { return nil }
            return packet[place..<place + 3].reduce(0) { $0 << 8 | Int($1) }
        }

        func take(_ bytes: [UInt8], at time: Int64) -> [UInt8] {
            var bytes = bytes
            bytes.withUnsafeMutableBufferPointer {
                sl_feedback_gate_correct(gate, $0.baseAddress, $0.count, time)
            }
            return bytes
        }

        /// Of packets in a row that all arrived, each with a large delta (multiples of 0.25 ms).
        func feedback(_ ticks: Int, _ deltas: [Int16]) -> [UInt8] {
            var packet: [UInt8] = [0x8F, 205, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 9]
            packet += bytes(deltas.count, 2) + bytes(ticks & 0xFF_FFFF, 3) + [0]
            packet += bytes(2 << 13 | deltas.count, 2)
            packet += deltas.flatMap { bytes(Int(UInt16(bitPattern: $0)), 2) }
            packet += Array(repeating: 0, count: (4 - packet.count % 4) % 4)
            packet.replaceSubrange(2..<4, with: bytes(packet.count / 4 - 1, 2))
            return packet
        }

        private func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }

    private static let start: Int64 = 1_000_000

    @Test(
        "Those in step with the clock are left as they are, through the end of their range, late ones and a clock that drifts"
    )
    func inStep() {
        let gate = Gate()
        let first = 0xFF_FFFF - 100
        for step in 0..<100_000 {
            let drift = step / 2_000
            let late = step % 500 == 499 ? 900 : 0
            let ticks = (first + step + drift) & 0xFF_FFFF
            #expect(gate.take(ticks, at: Self.start + Int64(step + late) * 64) == ticks, "step \(step)")
        }
    }

    @Test("A clock that jumps is not shown", arguments: [-1_000_000, -1_000, 400, 8_000_000])
    func jump(by ticks: Int) {
        let gate = Gate()
        #expect(gate.take(5_000_000, at: Self.start) == 5_000_000)
        for step in 1..<100 {
            let passed = gate.take((5_000_000 + ticks + step) & 0xFF_FFFF, at: Self.start + Int64(step) * 64)
            #expect(passed == 5_000_000 + step)
        }
    }

    @Test("None can be brought far from the clock step by step", arguments: Seed.draw(4))
    func walk(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let gate = Gate()
        var (ticks, time) = (9_000_000, Self.start)
        #expect(gate.take(ticks, at: time) == ticks)
        for _ in 0..<5_000 {
            ticks += 400 - random.next(1_200)
            time += Int64(random.next(200))
            guard let passed = gate.take(ticks & 0xFF_FFFF, at: time) else { continue }
            let apart = Int64(passed - 9_000_000) * 64 - (time - Self.start)
            #expect((-62_000...22_000).contains(apart), "seed \(seed)")
        }
    }

    @Test(
        "Packets may have come before each other by 15 s in all, and by a quarter of what a young clock says")
    func back() {
        let gate = Gate()
        #expect(gate.take(1, deltas: Array(repeating: -400, count: 51), at: 20_000) == nil)
        #expect(gate.take(1, deltas: Array(repeating: -400, count: 50), at: 20_000) == 1)
        let old = Gate()
        #expect(old.take(1, deltas: Array(repeating: -400, count: 150), at: 60_000) == 1)
        #expect(old.take(1, deltas: Array(repeating: -400, count: 151), at: 60_000) == nil)
        #expect(old.take(1, deltas: [.max, .min, .max, .min], at: 60_000) == nil)
    }

    @Test("It is looked for behind other packets, and what is none passes", arguments: Seed.draw(4))
    func compound(seed: UInt64) {
        let gate = Gate()
        let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]
        #expect(gate.take(70, after: report, at: Self.start) == 70)
        #expect(gate.take(3_000_000, after: report + report, at: Self.start + 64) == 71)
        for other in [[], report, Array(report.dropLast())] { #expect(gate.take(other, at: 0) == other) }
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            var packet =
                report
                + gate.feedback(
                    random.next(1 << 24), (0..<random.next(9)).map { _ in Int16(random.next(99)) })
            for _ in 0..<random.next(5) { packet[random.next(packet.count)] = UInt8(random.next(256)) }
            _ = gate.take(
                Array(packet.prefix(random.next(packet.count + 1))),
                at: Self.start + Int64(random.next(1 << 20)))
        }
    }
}
