// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Testing

/// libwebrtc's receiver ends the process when a frame begins in one cycle of the 16-bit sequence numbers and
/// ends in another; a publisher needs five packets for that.
@Suite("The gate before a received video stream")
struct SequenceGateTests {
    /// A gate, and what has passed it.
    private final class Gate {
        private let gate = sl_sequence_gate_create()
        deinit { sl_sequence_gate_destroy(gate) }

        func admits(
            _ number: Int, _ timestamp: Int, padding: Bool = false, marker: Bool = false,
            digest: UInt64 = 0, at time: Int64 = 0
        ) -> Bool {
            sl_sequence_gate_admit(
                gate, UInt16(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: timestamp), padding,
                marker,
                digest, time)
        }
    }

    @Test("a frame cannot begin in one cycle and end in the next")
    func cycles() {
        let gate = Gate()
        let jumps = [20_000, 40_000, 60_000]
        #expect(gate.admits(100, 1))
        #expect(jumps.map { gate.admits(100 + $0, $0) } == [true, false, false])
        #expect(gate.admits(101, 1) == false)
        #expect(gate.admits(20_101, 20_001))
    }

    @Test("neither in hours, however slowly the numbers advance", arguments: [1, 500, 2_047, 8_191, 24_000])
    func slowly(step: Int) {
        let gate = Gate()
        #expect(gate.admits(100, 1))
        // The first packet's place in libwebrtc's buffer is spared.
        let numbers = stride(from: 100 + step, to: 100 + 65_536, by: step).filter { ($0 - 100) % 512 != 0 }
        for (round, number) in numbers.enumerated() {
            _ = gate.admits(number, number, at: Int64(round + 1) * 20_000)
        }
        #expect(gate.admits(65_636, 99_999, at: 1 << 40) == false, "the same number, another cycle")
        #expect(gate.admits(65_637, 99_999, at: 1 << 40) == false, "the one after it")
        #expect(gate.admits(65_635, 99_999, padding: true, at: 1 << 40) == false, "padding before it")
        #expect(gate.admits(65_636 + 300, 1, at: 1 << 40) == false, "one with the same timestamp")
        #expect(gate.admits(65_636 + 300, 99_999, at: 1 << 40))
    }

    @Test("a number comes again only with the same in it, and a frame has no more than 500 numbers")
    func frames() {
        let gate = Gate()
        #expect(gate.admits(5_000, 1))
        #expect(gate.admits(5_000, 1), "sent again")
        #expect(gate.admits(5_000, 1, marker: true) == false)
        #expect(gate.admits(5_000, 1, digest: 1) == false)
        #expect(gate.admits(5_000, 2) == false)
        #expect(gate.admits(5_500, 1))
        #expect(gate.admits(5_501, 1) == false)
        #expect(gate.admits(5_001, 3))
        #expect(gate.admits(9_095, 4))
        #expect(gate.admits(4_998, 5) == false, "more than 4,096 behind")
    }

    @Test("a timestamp is one frame's, which ends once")
    func endedFrames() {
        let gate = Gate()
        #expect(gate.admits(6_000, 1))
        #expect(gate.admits(6_002, 1, marker: true))
        #expect(gate.admits(6_001, 1), "reordered")
        #expect(gate.admits(6_003, 1) == false)
        #expect(gate.admits(6_003, 1, marker: true) == false)
        #expect(gate.admits(6_003, 2, marker: true))
        #expect(gate.admits(6_006, 3))
        #expect(gate.admits(6_005, 3, marker: true) == false, "there is more of it")
        #expect(gate.admits(6_007, 3, marker: true))
    }

    /// At 6 Mbps, the router's maximum.
    ///
    /// Of a stream that loses four packets in five a few that arrive would be
    /// refused: the gate cannot know that libwebrtc has forgotten those of the last cycle.
    @Test(
        "a stream with loss, reordering, padding, copies and outages passes",
        arguments: [(0, 0), (30, 0), (50, 8), (0, 20), (50, 20)])
    func passes(lossInPercent: Int, outageInSeconds: Int) {
        let gate = Gate()
        var random = Generator(seed: 1)
        var refused = 0
        let rate = 750
        for packet in 65_000..<65_000 + 300 * rate {
            let second = (packet - 65_000) / rate
            let isAway = second % 60 < outageInSeconds && second >= 60
            if isAway || random.percent() < lossInPercent { continue }
            let shuffled = packet ^ (random.percent() < 10 ? 3 : 0)
            let time = Int64(packet - 65_000) * 1_000 / Int64(rate)
            let passes = gate.admits(
                shuffled, shuffled / 25 * 3_000, padding: shuffled % 97 == 0, marker: shuffled % 25 == 24,
                digest: UInt64(shuffled), at: time)
            if !passes { refused += 1 }
        }
        #expect(refused == 0)
    }

    /// Nothing that comes is refused because nothing came for long, as while a layer is paused.
    @Test("a stream that pauses continues")
    func pauses() {
        let gate = Gate()
        #expect((0..<200_000).allSatisfy { gate.admits($0, $0 / 10, at: Int64($0) * 600_000) })
    }

    /// A linear congruential generator.
    private struct Generator {
        var state: UInt64
        init(seed: UInt64) { state = seed }
        mutating func percent() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % 100
        }
    }
}
