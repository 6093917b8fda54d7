// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
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
        /// As a media router sees it, in seconds.
        var timing: PathTiming?
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
                pathSeconds: second.timing.map { [PathSecond(time: Double(index) * 1000 - 400, timing: $0)] }
                    ?? [], at: Double(index) * 1000)
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

    /// A second as a media router sees it.
    private static func timing(spread: Double, sustained: Double = 0.01) -> PathTiming {
        PathTiming(capacityBound: 1_000_000, sustainedDelay: sustained, delaySpread: spread)
    }

    @Test("A media router sees each of them; the second one within 12 s shows that they are stalls")
    func spread() {
        let found = found { index, second in
            second.timing = Self.timing(spread: index % 10 == 0 ? 0.25 : 0.03)
        }
        for second in [40, 42, 50, 52] { #expect(found[second], "second \(second)") }
        #expect(!found[..<40].contains(true) && !found[44..<50].contains(true), "\(found)")
        #expect(!found[54...].contains(true))
        // A key frame on a slow uplink now and then, and a queue that grows and is there.
        let rare = self.found { index, second in
            second.timing = Self.timing(spread: index % 14 == 0 ? 0.2 : 0.03)
        }
        let queue = self.found { _, second in second.timing = Self.timing(spread: 0.15, sustained: 0.2) }
        #expect(!rare.contains(true) && !queue.contains(true))
    }

    @Test("A long one that a media router sees is one of its own second, and a queue as long is none")
    func long() {
        let once = found { index, second in
            second.timing = Self.timing(spread: index == 45 ? 0.4 : 0.03)
        }
        let queue = found { index, second in
            second.timing = Self.timing(spread: index == 45 ? 0.4 : 0.03, sustained: index == 45 ? 0.3 : 0.01)
        }
        #expect(once.indices.filter { once[$0] } == [45])
        #expect(!queue.contains(true))
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
