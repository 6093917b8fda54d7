// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLinkModel
import Foundation
import LinkEmulation
import MediaEngine
import TestSupport
import Testing

@Suite("What wanders on a link, on virtual time")
struct ProcessTests {
    @Test(
        "correlated jitter is spread over its range, and its correlation falls with time",
        arguments: [(100.0, 20.0), (100, 40), (1_000, 20)])
    func correlation(constant: Double, interval: Double) {
        // Packets further apart than the range: order takes nothing from the delays.
        var link = TestLink(.make(delay: 10, jitter: 20) { $0.jitter_correlation_ms = constant })
        let delays = link.delays(count: 200_000, every: interval)
        #expect(delays.allSatisfy { (10...30.001).contains($0) })
        #expect(abs(delays.mean - 20) < 0.5)
        let below = Double(delays.filter { $0 < 15 }.count) / Double(delays.count)
        #expect(abs(below - 0.25) < 0.02)
        for lag in [1, 3, 5] {
            let asked = exp(-Double(lag) * interval / constant)
            let measured = delays.correlation(lag: lag)
            #expect(abs(measured - asked) < 0.04, "lag \(lag): \(measured), asked \(asked)")
        }
    }

    @Test("jitter without correlation has none")
    func independence() {
        var link = TestLink(.make(jitter: 20))
        let delays = link.delays(count: 50_000, every: 20)
        #expect(abs(delays.correlation(lag: 1)) < 0.02)
    }

    @Test("the rate wanders between its bounds, around its mean")
    func swing() {
        var link = TestLink(
            headerBytes: 0,
            .make(rate: 1_000, queue: 60_000) {
                $0.rate_swing_percent = 50
                $0.rate_swing_ms = 200
            })
        // A packet of 1,000 bytes takes 8 ms at the mean, 5.33 to 16 ms at the bounds; it never waits.
        let times = link.delays(count: 100_000, every: 20)
        #expect(times.allSatisfy { (5.33...16.01).contains($0) })
        let rates = times.map { 8_000 / $0 }
        #expect(abs(rates.mean - 1_000) < 20)
        #expect(abs(rates.correlation(lag: 10) - exp(-1)) < 0.05)
    }

    @Test(
        "stalls take their share of the time, hold packets back, and drop none",
        arguments: [(200.0, 1_800.0), (50, 150)])
    func stalls(length: Double, interval: Double) {
        var link = TestLink(
            .make(delay: 5) {
                $0.stall_ms = length
                $0.stall_every_ms = interval
            })
        let delays = link.delays(count: 1_000_000, every: 1)
        #expect(delays.count == 1_000_000)
        #expect(delays.allSatisfy { (5...5.001 + 1.5 * length).contains($0) })
        let stalled = Double(delays.filter { $0 > 5.001 }.count) / Double(delays.count)
        let asked = length / (length + interval)
        #expect(abs(stalled / asked - 1) < 0.1, "\(stalled), asked \(asked)")
        // At once: what has waited arrives at the end of the stall.
        let waited = zip(delays, delays.dropFirst()).filter { $0 > 7 && $1 > 6 && $1 < $0 }
        #expect(waited.allSatisfy { abs($0 - $1 - 1) < 0.01 })
    }

    @Test("after a stall the backlog leaves at the rate, and only a full queue drops")
    func stalledQueue() {
        // Half of the capacity is used, the queue has room for 100 ms of transmission: 200 ms of a stall.
        let stalling = sl_link_settings.make(rate: 800, queue: 100) {
            $0.stall_ms = 300
            $0.stall_every_ms = 3_000
        }
        var link = TestLink(headerBytes: 0, stalling)
        let fates = link.offer(count: 20_000, every: 20, bytes: 1_000)
        let arrivals: [Double] = fates.compactMap { if case .delivered(let at) = $0 { at } else { nil } }
        let dropped = fates.filter { $0 == .queueFull }.count
        #expect(dropped > 100)
        #expect(fates.count == arrivals.count + dropped)
        #expect(zip(arrivals, arrivals.dropFirst()).allSatisfy { $1 - $0 > 9.99 })
        var short = TestLink(headerBytes: 0, stalling)
        short.set(
            .make(rate: 800, queue: 300) {
                $0.stall_ms = 300
                $0.stall_every_ms = 3_000
            })
        let kept = short.offer(count: 20_000, every: 20, bytes: 1_000)
        #expect(kept.allSatisfy { $0.isDelivered })
    }

    @Test("stalls that are switched off are over")
    func stallsOff() {
        var link = TestLink(
            .make {
                $0.stall_ms = 5_000; $0.stall_every_ms = 10
            })
        _ = link.offer(count: 100, every: 1)
        link.now += 20_000
        link.set(.make())
        _ = link.offer()
        link.now += 20_000
        let delays = link.delays(count: 1_000, every: 1)
        #expect(delays.allSatisfy { abs($0) < 0.01 })
    }

    @Test(
        "whatever wanders, packets keep their order and none arrives before it was sent",
        arguments: 1...20 as ClosedRange<UInt64>)
    func order(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func any(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        var link = TestLink(seed: seed)
        var last = 0.0
        for _ in 0..<50 {
            let settings = sl_link_settings.make(
                delay: any(0...100), jitter: any(0...100), loss: any(0...10), burstLoss: any(0...10),
                burstLength: any(1...9), rate: any(0...2_000), queue: any(0...500)
            ) {
                $0.jitter_correlation_ms = any(0...500)
                $0.rate_swing_percent = any(0...95)
                $0.rate_swing_ms = any(0...500)
                $0.stall_ms = any(0...200)
                $0.stall_every_ms = any(0...500)
            }
            link.set(settings)
            for _ in 0..<100 {
                link.now += any(0...10)
                let now = link.now
                guard case .delivered(let at) = link.offer() else { continue }
                #expect(at >= last && at >= now - 0.001, "\(settings)")
                last = at
            }
        }
    }
}
