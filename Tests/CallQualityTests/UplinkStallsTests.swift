// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("Stalls of an uplink")
struct UplinkStallsTests {
    /// What a publisher is sent back in a second.
    private struct Second {
        var roundTripTime = 0.03
        var check = 0.028
        /// Of audio each fifth second, of video each.
        var jitters = (audio: 0.001, video: 0.0008)
        /// As a media router sees it.
        var delaySpread: Double?
    }

    /// Whether stalls were found, second by second: half a minute of calm, then half a minute of something, then calm.
    private func found(_ change: (Int, inout Second) -> Void) -> [Bool] {
        var stalls = UplinkStalls()
        return (0..<90).map { index in
            var second = Second()
            if (30..<60).contains(index) { change(index, &second) }
            stalls.handle(
                roundTripTimes: [second.roundTripTime, index % 3 == 0 ? second.check : nil],
                audioJitter: index % 5 == 0 ? second.jitters.audio : nil,
                // It varies by itself.
                videoJitter: second.jitters.video * (index % 2 == 0 ? 1 : 1.8),
                delaySpread: second.delaySpread, at: Double(index) * 1000)
            return stalls.isTrue
        }
    }

    @Test(
        "Round trips that are long now and then, with more jitter at the far end, are stalls, while there are any"
    )
    func stalls() {
        let found = found { index, second in
            if index % 3 == 0 { second.roundTripTime = 0.25 }
            if index % 9 == 0 { second.check = 0.3 }
            second.jitters = (0.006, 0.0025)
        }
        #expect(!found[..<31].contains(true))
        #expect(found[40..<60].allSatisfy { $0 })
        #expect(!found[73...].contains(true))
    }

    @Test("A media router sees each of them, and how much delays vary otherwise")
    func spread() {
        let found = found { index, second in second.delaySpread = index % 10 == 0 ? 0.35 : 0.03 }
        for second in [30, 32, 40, 42, 50] { #expect(found[second], "second \(second)") }
        #expect(!found[33..<40].contains(true) && !found[53...].contains(true), "\(found)")
    }

    @Test("A queue, a longer path, stalls of the way back, and jitter by itself are none")
    func others() {
        let queue = found { index, second in
            second.roundTripTime = 0.2 + 0.02 * Double(index % 5)
            second.jitters = (0.006, 0.004)
        }
        let back = found { index, second in if index % 3 == 0 { second.roundTripTime = 0.25 } }
        let jitter = found { _, second in second.jitters = (0.008, 0.004) }
        let twice = found { index, second in
            if [40, 47].contains(index) { second.roundTripTime = 0.9 }
            second.jitters = (0.006, 0.0025)
        }
        for found in [queue, back, jitter, twice] { #expect(!found.contains(true)) }
    }
}
