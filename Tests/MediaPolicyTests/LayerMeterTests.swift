// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import MediaPolicy

@Suite("The layer meter")
struct LayerMeterTests {
    /// A layer at a steady rate from `start` to `end`.
    private func counters(
        _ id: UInt64, at now: Double, fps: Double, bitrate: Double, from start: Double = 0,
        to end: Double = .infinity,
        height: Int? = 360
    ) -> LayerCounters {
        let seconds = max(0, min(now, end) - start)
        let frames = UInt64(seconds * fps)
        return LayerCounters(
            id: LayerID(rawValue: id), rid: "r\(id)", width: height.map { $0 * 16 / 9 }, height: height,
            frames: frames, bytes: UInt64(Double(frames) * bitrate / fps / 8),
            sinceLastFrame: frames == 0 ? nil : .seconds(now - start - Double(frames) / fps))
    }

    @Test("the rate is that of the last two seconds")
    func rate() throws {
        var meter = LayerMeter()
        var observed: [ObservedLayer] = []
        for tick in 0...100 {
            let now = Double(tick) / 10
            observed = meter.handle([counters(1, at: now, fps: 25, bitrate: 500_000)], at: .seconds(now))
        }
        let bitrate = try #require(observed.first?.bitrate)
        #expect(abs(bitrate - 500_000) < 30_000)
        let frameRate = try #require(observed.first?.frameRate)
        #expect(abs(frameRate - 25) < 1.5)
    }

    @Test("a layer that begins is measured from its first frame on")
    func beginning() throws {
        var meter = LayerMeter()
        var observed: [ObservedLayer] = []
        for tick in 0...60 {
            let now = Double(tick) / 10
            observed = meter.handle(
                [counters(1, at: now, fps: 25, bitrate: 500_000, from: 5)], at: .seconds(now))
        }
        let bitrate = try #require(observed.first?.bitrate)
        #expect(abs(bitrate - 500_000) < 100_000)
    }

    @Test("a silent layer is absent only beside one that sends")
    func presence() {
        var meter = LayerMeter()
        var absentAt: [Double] = []
        for tick in 0...100 {
            let now = Double(tick) / 10
            let observed = meter.handle(
                [
                    counters(1, at: now, fps: 25, bitrate: 150_000, to: 8),
                    counters(2, at: now, fps: 25, bitrate: 500_000, to: 4, height: 720),
                ], at: .seconds(now))
            if observed.first(where: { $0.id.rawValue == 2 })?.isPresent == false, now > 0.1 {
                absentAt.append(now)
            }
        }
        #expect(absentAt.first.map { $0 > 4.9 && $0 < 5.3 } == true)
        // Then the other one stops too: nothing tells the two apart any more.
        #expect(absentAt.last.map { $0 > 8.8 && $0 < 9.3 } == true)
    }

    @Test("a slow layer is given time")
    func slowLayer() {
        var meter = LayerMeter()
        for tick in 0...100 {
            let now = Double(tick) / 10
            let observed = meter.handle(
                [
                    counters(1, at: now, fps: 1, bitrate: 50_000),
                    counters(2, at: now, fps: 25, bitrate: 500_000, height: 720),
                ], at: .seconds(now))
            if now > 3 { #expect(observed.allSatisfy { $0.isPresent }, "at \(now)") }
        }
    }

    @Test("layers are ordered by size, whatever the offer says")
    func order() {
        var meter = LayerMeter()
        let observed = meter.handle(
            [
                counters(1, at: 1, fps: 25, bitrate: 1, height: 720),
                counters(2, at: 1, fps: 25, bitrate: 1, height: 180),
                counters(3, at: 1, fps: 25, bitrate: 1, from: 9, height: nil),
                counters(4, at: 1, fps: 25, bitrate: 1),
            ], at: .seconds(1))
        #expect(observed.map(\.id.rawValue) == [2, 4, 1, 3])
    }

    @Test("while a size is unknown, the offer's order counts")
    func orderWithoutSizes() {
        var meter = LayerMeter()
        let observed = meter.handle(
            [
                counters(1, at: 1, fps: 25, bitrate: 1, height: 720),
                counters(2, at: 1, fps: 25, bitrate: 1, height: nil),
            ], at: .seconds(1))
        #expect(observed.map(\.id.rawValue) == [1, 2])
    }

    @Test("counters that begin again give no rate, and no crash")
    func reset() {
        var meter = LayerMeter()
        _ = meter.handle([counters(1, at: 10, fps: 25, bitrate: 500_000)], at: .seconds(10))
        let observed = meter.handle([counters(1, at: 1, fps: 25, bitrate: 500_000)], at: .seconds(11))
        #expect(observed.first?.bitrate == nil)
    }
}
