// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing

/// What packets show of the path that they took, by when they were sent and when they came.
@Suite("Send times and arrivals of a path's packets")
struct PathTimingTests {
    /// A link with a rate and a queue, and delays beyond it that vary; its sender's clock is another than the receiver's.
    private final class Path {
        private let timing = sl_path_timing_create()
        private var freeAt = 0.0
        private var lastArrival = 0.0
        /// Near the end of the range of send times.
        private let firstSendTime: UInt32 = 0xFF_FFFF - 1000
        /// bps.
        var rate: Double
        /// What a shaper lets through at once, in bytes, and what of that is left at a time.
        var bucket = 0.0
        private var tokens = (bytes: 0.0, time: 0.0)
        /// Seconds.
        var delay = 0.02
        /// What varies beside it, in seconds.
        var jitter: () -> Double = { 0 }
        /// When nothing comes; all that waited comes then.
        var stall: ClosedRange<Double>?
        /// How much faster the sender's clock is, as a share.
        var drift = 0.0
        private(set) var seconds: [sl_path_second] = []
        deinit { sl_path_timing_destroy(timing) }

        init(rate: Double) { self.rate = rate }

        /// Sends a packet at a time in seconds.
        func send(_ bytes: Int, at time: Double) {
            freeAt = leave(bytes, at: max(freeAt, time))
            if let stall, stall.contains(freeAt) { freeAt = stall.upperBound }
            lastArrival = max(lastArrival, freeAt + delay + jitter())
            let units = UInt32(truncatingIfNeeded: Int64((time * (1 + drift) * 262_144).rounded()))
            var second = sl_path_second()
            // By a clock that began long ago.
            let arrival = Int64((1_700_000_000 + lastArrival) * 1e6)
            if sl_path_timing_packet(timing, (firstSendTime &+ units) & 0xFF_FFFF, arrival, bytes, &second) {
                seconds.append(second)
            }
        }

        /// When the link has sent a packet that is its turn from a time on.
        private func leave(_ bytes: Int, at time: Double) -> Double {
            let filled = min(bucket, tokens.bytes + (time - tokens.time) * rate / 8)
            let missing = max(0, Double(bytes) - filled)
            tokens = (max(0, filled - Double(bytes)), time + missing * 8 / rate)
            return tokens.time
        }

        /// Sends audio, and video at a bitrate in 15 frames a second, as a pacer lets it out.
        func call(video: Double, from start: Double = 0, seconds: Double) {
            var packets: [(time: Double, bytes: Int)] = []
            for frame in 0..<Int(seconds * 15) {
                let time = start + Double(frame) / 15
                packets += (0..<3).map { (time + 0.005 + Double($0) * 0.02, 120) }
                var rest = Int(video / 15 / 8), sentAt = time
                while rest > 0 {
                    packets.append((sentAt, min(rest, 1100)))
                    sentAt += Double(min(rest, 1100)) * 8 / (2.5 * video)
                    rest -= 1100
                }
            }
            for packet in packets.sorted(by: { $0.time < $1.time }) { send(packet.bytes, at: packet.time) }
        }

        /// How long packets were held up as is known by now, for who asks; `nil` if too little came since the last second.
        func ask() -> Double? {
            var second = sl_path_second()
            guard sl_path_timing_end_second(timing, &second) else { return nil }
            return Double(second.sustained_delay_us) / 1e6
        }

        var bounds: [Double] { seconds.map { Double($0.capacity_bound_bps) } }
        var sustained: [Double] { seconds.map { Double($0.sustained_delay_us) / 1e6 } }
        var spreads: [Double] { seconds.map { Double($0.delay_spread_us) / 1e6 } }
    }

    @Test(
        "On a path that is short, no more comes through than that carries",
        arguments: [80.0, 150, 300, 1000],
        Seed.draw(3))
    func short(rate: Double, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let path = Path(rate: rate * 1000)
        path.jitter = { Double.random(in: 0...0.03, using: &random) }
        path.drift = 5e-5
        path.call(video: max(20, rate / 2 - 43) * 1000, seconds: 40)
        #expect(path.bounds.count > 30)
        #expect(path.bounds.allSatisfy { $0 <= rate * 1250 }, "\(path.bounds)")
    }

    @Test(
        "On one that carries much more, far more comes through than is sent, though the delay varies",
        arguments: Seed.draw(3))
    func wide(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let path = Path(rate: 3_000_000)
        path.jitter = { Double.random(in: 0...0.03, using: &random) }
        path.call(video: 60_000, seconds: 40)
        #expect(path.bounds.count { $0 >= 250_000 } >= 10, "\(path.bounds)")
        // What varies holds no one up for long; by chance it does in a second among many.
        #expect(path.sustained.sorted()[path.sustained.count / 2] < 0.015, "\(path.sustained)")
    }

    @Test("A queue holds all packets up, for as long as it is")
    func queue() throws {
        let path = Path(rate: 500_000)
        path.call(video: 300_000, seconds: 10)
        #expect(path.sustained.allSatisfy { $0 < 0.01 })
        path.call(video: 560_000, from: 10, seconds: 2)
        path.call(video: 300_000, from: 12, seconds: 8)
        let longest = try #require(path.sustained.max())
        // A fifth too much for two seconds.
        #expect(longest > 0.2 && longest < 0.5, "\(longest)")
        #expect(try #require(path.sustained.last) < 0.01)
    }

    @Test(
        "A queue shows that grows faster than what is in it comes out", arguments: [3_000_000.0, 12_000_000])
    func overload(rate: Double) {
        let path = Path(rate: 300_000)
        path.call(video: 150_000, seconds: 10)
        path.call(video: rate, from: 10, seconds: 1)
        // All of it is held up for as long as it takes to come.
        let held = path.seconds.suffix(5)
        #expect(held.count == 5 && held.allSatisfy { $0.sustained_delay_us > 500_000 }, "\(path.sustained)")
        #expect(held.allSatisfy { $0.capacity_bound_bps < 450_000 }, "\(path.bounds)")
    }

    @Test("What a stall held up comes in a clump, and is no queue")
    func stall() {
        let path = Path(rate: 8_000_000)
        path.call(video: 300_000, seconds: 10)
        path.stall = 10.0...10.6
        path.call(video: 300_000, from: 10, seconds: 3)
        #expect(path.spreads.max() ?? 0 > 0.2 && path.spreads.count { $0 > 0.02 } <= 2, "\(path.spreads)")
        #expect(path.sustained.count > 5 && path.sustained.allSatisfy { $0 < 0.03 }, "\(path.sustained)")
    }

    @Test("Who asks need not wait for the second to end, but for half of it")
    func asked() throws {
        let path = Path(rate: 2_000_000)
        path.call(video: 300_000, seconds: 10)
        #expect(sl_path_timing_end_second(nil, nil) == false)
        var time = 10.0
        func go(_ seconds: Double) -> Double? {
            path.call(video: 300_000, from: time, seconds: seconds)
            time += seconds
            return path.ask()
        }
        // It may have ended by itself a moment ago.
        if go(0.6) == nil, go(0.6) == nil { _ = try #require(go(0.6)) }
        for _ in 0..<5 {
            #expect(path.ask() == nil)
            let asked = try #require(go(0.6))
            #expect(asked < 0.01)
        }
        // What came then counts for the next one.
        path.delay = 0.15
        #expect(go(0.3) == nil)
        #expect(try #require(go(0.3)) > 0.1)
        #expect(try #require(go(0.6)) > 0.1)
        path.delay = 0.02
        var last: Double?
        for _ in 0..<4 { last = go(0.6) ?? last }
        #expect(try #require(last) < 0.01)
    }

    @Test("Of very many packets all count")
    func many() {
        let path = Path(rate: 1e9)
        path.call(video: 1_000_000, seconds: 8)
        path.delay = 0.12
        for packet in 0..<20_000 { path.send(1200, at: 8 + Double(packet) * 0.0002) }
        #expect(path.sustained.suffix(2).allSatisfy { $0 > 0.09 && $0 < 0.11 }, "\(path.sustained)")
        // More than are kept, all at once.
        for _ in 0..<20_000 { path.send(100, at: 13) }
    }

    @Test("A shaper that lets bursts through shows more than it carries, and a queue when more is sent")
    func shaper() throws {
        let path = Path(rate: 500_000)
        path.bucket = 32_000
        path.call(video: 300_000, seconds: 12)
        #expect(path.bounds.allSatisfy { $0 > 1_500_000 }, "\(path.bounds)")
        #expect(path.sustained.allSatisfy { $0 < 0.01 }, "\(path.sustained)")
        path.call(video: 750_000, from: 12, seconds: 2)
        path.call(video: 300_000, from: 14, seconds: 4)
        #expect(try #require(path.sustained.max()) > 0.2, "\(path.sustained)")
    }

    @Test("A path that becomes longer or shorter, and a pause, show no more than it carries")
    func changes() {
        let path = Path(rate: 200_000)
        path.call(video: 100_000, seconds: 10)
        path.delay = 0.3
        path.call(video: 100_000, from: 10, seconds: 10)
        path.delay = 0.02
        path.call(video: 100_000, from: 20, seconds: 10)
        path.call(video: 100_000, from: 100, seconds: 10)
        #expect(path.bounds.count > 20 && path.bounds.allSatisfy { $0 <= 210_000 }, "\(path.bounds)")
    }

    @Test("Send times of any kind do no harm", arguments: Seed.draw(3))
    func anything(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let timing = sl_path_timing_create()
        defer { sl_path_timing_destroy(timing) }
        var sent: UInt32 = 0, arrival: Int64 = 0, found = 0
        for _ in 0..<50_000 {
            // Mostly those of a call, and now and then a jump.
            let isWild = random.chance(500)
            sent =
                isWild
                ? .random(in: .min ... .max, using: &random) : sent &+ .random(in: 0...8_000, using: &random)
            arrival =
                isWild
                ? .random(in: 0...(1 << 53), using: &random)
                : arrival &+ .random(in: 0...30_000, using: &random)
            var second = sl_path_second()
            guard
                sl_path_timing_packet(
                    timing, sent, arrival, .random(in: 0...65_535, using: &random), &second)
            else { continue }
            found += 1
            #expect(
                second.capacity_bound_bps >= 0 && second.sustained_delay_us >= 0
                    && second.delay_spread_us >= 0)
        }
        #expect(found > 10)
    }
}
