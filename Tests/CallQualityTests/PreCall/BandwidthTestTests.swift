// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

@testable import CallQuality

@Suite("How a bandwidth is measured")
struct BandwidthTestTests {
    /// What a test did and found.
    private struct Course {
        var uplink: Double?
        var downlink: Double?
        var isAtLeast = (false, false)
        var seconds = 0.0
        var bursts: [(load: Double, directions: [NetworkDirection], seconds: Double)] = []
        var silences = 0
    }

    private func course(_ line: SimulatedLine, excluding: NetworkDirection? = nil) -> Course {
        var (line, test, measurements, course) = (
            line, BandwidthTest(ceiling: 5_000_000), PathMeasurements(), Course()
        )
        if let excluding { test.exclude(excluding) }
        while course.seconds < 60 {
            line.advance(by: .milliseconds(100), reading: &measurements)
            course.seconds = line.now.seconds
            for action in test.tick(measurements, at: line.now) {
                switch action {
                case .fill(let directions, let bitrate, let seconds):
                    course.bursts.append((bitrate, directions, seconds))
                    for direction in directions where direction != excluding {
                        line.fill(direction, bitrate, seconds)
                    }
                    // The others are given back.
                    for direction in [NetworkDirection.uplink, .downlink]
                    where !directions.contains(direction) {
                        line.fill(direction, 0, 0)
                    }
                case .silence:
                    course.silences += 1
                    line.fill(.uplink, 0, 0)
                case .finish:
                    (course.uplink, course.downlink) = (test.uplink?.rate, test.downlink?.rate)
                    course.isAtLeast = (
                        test.uplink?.isAtLeast ?? false, test.downlink?.isAtLeast ?? false
                    )
                    return course
                }
            }
        }
        return course
    }

    @Test("a good path carries all that is asked for, and is not filled for long")
    func good() {
        let course = course(SimulatedLine(up: 50_000_000, down: 50_000_000, isShared: true))
        #expect(course.isAtLeast == (true, true))
        #expect(course.bursts.map(\.load) == [1_000_000, 5_000_000])
        #expect(course.silences == 0)
        #expect(course.seconds < 3)
    }

    @Test(
        "what a line carries is found out, also where the router's counters share it",
        arguments: [true, false])
    func capacity(isShared: Bool) {
        let seed = UInt64.random(in: 1...UInt64(Int32.max))
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let (up, down) = (rate(&random), rate(&random))
            let course = course(SimulatedLine(up: up, down: down, isShared: isShared))
            let comment: Comment = "seed \(seed): \(up) and \(down) bps: \(course)"
            #expect(abs((course.uplink ?? 0) / up - 1) < 0.12, comment)
            #expect(abs((course.downlink ?? 0) / down - 1) < 0.12, comment)
            #expect(course.bursts.allSatisfy { $0.seconds <= 3 }, comment)
            #expect(course.seconds < 9, comment)
        }
    }

    /// 12 kbps to 4 Mbps, evenly by their logarithm.
    private func rate(_ random: inout SeededRandom) -> Double {
        var rate = 12_000.0
        for _ in 0..<Int.random(in: 0...58, using: &random) { rate *= 1.105 }
        return min(rate, 4_000_000)
    }

    @Test("a shared line that is full is silent after each burst, until the router has been heard")
    func silence() {
        let course = course(SimulatedLine(up: 120_000, down: 120_000, isShared: true))
        #expect(course.bursts.map(\.load) == [1_000_000])
        #expect(course.silences == 1)
        #expect(course.seconds < 5)
    }

    @Test("a downlink that only a full uplink has starved is looked at alone")
    func looksAgain() {
        var line = SimulatedLine(up: 30_000, down: 3_000_000, isShared: true)
        line.starves = true
        let course = course(line)
        #expect(course.bursts.map(\.load) == [1_000_000, 1_000_000])
        #expect(course.bursts.map(\.directions) == [[.uplink, .downlink], [.downlink]])
        #expect(course.downlink ?? 0 > 900_000)
        #expect(course.seconds < 6)
    }

    @Test("a direction that the client cannot fill is not measured")
    func excluded() {
        let course = course(
            SimulatedLine(up: 120_000, down: 700_000, isShared: true), excluding: .uplink)
        #expect(course.uplink == nil)
        #expect(abs((course.downlink ?? 0) / 700_000 - 1) < 0.1)
    }

    @Test("a router that is not heard of ends the waiting, and is not a bandwidth of zero")
    func unheard() {
        var (test, time) = (BandwidthTest(ceiling: 5_000_000), Duration.zero)
        var actions: [BandwidthTest.Action] = []
        while actions.last != .finish, time < .seconds(60) {
            time += .milliseconds(100)
            actions += test.tick(PathMeasurements(), at: time)
        }
        #expect(actions.last == .finish)
        #expect(test.uplink == nil && test.downlink == nil)
        #expect(time < .seconds(13))
    }

    @Test(
        "a downlink is looked at alone if a full uplink, as narrow as that, may have silenced the media router",
        arguments: [
            (15_000, 1_700, true), (15_000, nil, true), (15_000, 11_900, true), (15_000, 12_100, false),
            (15_000, 5_000_000, false), (70_000, 1_000, false), (5_000_000, 1_000, false), (nil, nil, false),
        ] as [(Double?, Double?, Bool)])
    func starved(uplink: Double?, downlink: Double?, expected: Bool) {
        func bandwidth(_ rate: Double?) -> PreCallMeasurement.Bandwidth? {
            rate.map { .init(rate: $0, isAtLeast: false) }
        }
        #expect(
            BandwidthTest.isStarved(downlink: bandwidth(downlink), uplink: bandwidth(uplink)) == expected)
    }
}
