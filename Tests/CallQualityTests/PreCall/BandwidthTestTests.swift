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
        var bursts: [(load: Double, directions: [NetworkDirection], downlinkSeconds: Double)] = []
        var silences = 0
        /// When the first burst was asked for, seconds.
        var firstBurst: Double?
    }

    private func course(
        _ line: SimulatedLine, excluding: NetworkDirection? = nil,
        _ configure: (inout BandwidthTest) -> Void = { _ in }
    ) -> Course {
        var (line, test, measurements, course) = (
            line, BandwidthTest(ceiling: 5_000_000), PathMeasurements(), Course()
        )
        if let excluding { test.exclude(excluding) }
        configure(&test)
        while course.seconds < 60 {
            line.advance(by: .milliseconds(100), reading: &measurements)
            course.seconds = line.now.seconds
            for action in test.tick(measurements, at: line.now) {
                switch action {
                case .fill(let directions, let bitrate, let seconds, let downlinkSeconds):
                    course.bursts.append((bitrate, directions, downlinkSeconds))
                    course.firstBurst = course.firstBurst ?? course.seconds
                    for direction in directions where direction != excluding {
                        line.fill(direction, bitrate, direction == .uplink ? seconds : downlinkSeconds)
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
            #expect(course.bursts.allSatisfy { $0.downlinkSeconds <= 2.3 }, comment)
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

    @Test("where media fill the path already, nothing is asked for before they stop and the router is heard")
    func settles() {
        var line = SimulatedLine(up: 30_000, down: 3_000_000, isShared: true)
        line.fill(.uplink, 123_000, 60)
        let course = course(line) { $0.isPathFull = true }
        #expect(course.silences == 2)
        #expect((0.2...0.6).contains(course.firstBurst ?? 0))
        #expect(abs((course.uplink ?? 0) / 30_000 - 1) < 0.12)
        // On a good path that would only take time.
        #expect(self.course(SimulatedLine(up: 5e6, down: 5e6, isShared: true)).firstBurst ?? 1 < 0.15)
    }

    @Test("a path that media have made a queue on is looked at with little, which is enough to measure it")
    func narrow() {
        let seed = UInt64.random(in: 1...UInt64(Int32.max))
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let (up, down) = (
                Double.random(in: 40_000...290_000, using: &random),
                Double.random(in: 40_000...290_000, using: &random)
            )
            let course = course(SimulatedLine(up: up, down: down, isShared: true)) { $0.isPathNarrow = true }
            let comment: Comment = "seed \(seed): \(up) and \(down) bps: \(course)"
            #expect(course.bursts.first?.load == 300_000, comment)
            #expect(course.bursts.allSatisfy { $0.load > 300_000 || $0.downlinkSeconds <= 2.3 }, comment)
            #expect(abs((course.uplink ?? 0) / up - 1) < 0.12, comment)
            #expect(abs((course.downlink ?? 0) / down - 1) < 0.12, comment)
        }
        // A queue that was there by chance hides nothing.
        let wide = course(SimulatedLine(up: 50e6, down: 50e6, isShared: true)) { $0.isPathNarrow = true }
        #expect(wide.bursts.map(\.load) == [300_000, 1_000_000, 5_000_000])
        #expect(wide.isAtLeast == (true, true))
    }

    @Test(
        "a direction that loses much of the first media, and leaves no room for audio, decides without being filled",
        arguments: [(30_000.0, true), (60_000, false)])
    func firstMedia(capacity: Double, decides: Bool) throws {
        for direction in [NetworkDirection.uplink, .downlink] {
            let (up, down) = direction == .uplink ? (capacity, 5e6) : (5e6, capacity)
            var (line, measurements) = (SimulatedLine(up: up, down: down, isShared: true), PathMeasurements())
            line.countsLoss = true
            measurements.noteMedia(at: .zero)
            for direction in [NetworkDirection.uplink, .downlink] { line.fill(direction, 123_000, 1.2) }
            for _ in 0..<12 { line.advance(by: .milliseconds(100), reading: &measurements) }
            var test = BandwidthTest(ceiling: 5_000_000)
            test.isPathFull = true
            test.isDecisive = { $0.rate < 48_000 }
            var actions: [BandwidthTest.Action] = []
            while actions.count < 2 {
                line.advance(by: .milliseconds(100), reading: &measurements)
                actions += test.tick(measurements, at: line.now)
            }
            #expect((actions.last == .finish) == decides)
            guard decides else { continue }
            let found = try #require(direction == .uplink ? test.uplink : test.downlink)
            #expect(abs(found.rate / capacity - 1) < 0.2)
            #expect((direction == .uplink ? test.downlink : test.uplink) == nil)
        }
    }

    @Test(
        "the first media's rate is that since they began, though the router was last heard long before",
        arguments: [(29, 15, 80_620.0, false), (11, 31, 30_580, true)] as [(UInt64, Int64, Double, Bool)])
    func firstMediaBegin(packets: UInt64, lost: Int64, rate: Double, decides: Bool) {
        var (test, measurements) = (BandwidthTest(ceiling: 5_000_000), PathMeasurements())
        test.isPathFull = true
        test.isDecisive = { $0.rate < 48_000 }
        func hear(_ packets: UInt64, _ lost: Int64, at time: Double) {
            let audio = LegCounters.Medium(
                packetsReceived: packets, packetsLost: lost, bytesReceived: packets * 200, jitter: nil)
            let counters = LegCounters(
                timestamp: 1_000_000 + time * 1000, bytesReceived: packets * 250, packetsReceived: packets,
                audio: audio)
            measurements.addUplink(counters, at: .seconds(time))
        }
        // It reports once a second until it has media, of which there are 0.8 s then.
        hear(0, 0, at: 0.1)
        measurements.noteMedia(at: .seconds(0.3))
        hear(packets, lost, at: 1.1)
        #expect(test.tick(measurements, at: .seconds(1.2)) == [.silence])
        hear(packets, lost, at: 1.35)
        let actions = test.tick(measurements, at: .seconds(1.4))
        #expect((actions == [.finish]) == decides)
        let found = measurements.uplink.usualWireRate(
            since: .seconds(0.3), to: .seconds(1.4), over: .seconds(0.7))
        #expect(abs((found ?? 0) / rate - 1) < 0.01)
        #expect(test.uplink?.rate == (decides ? found : nil))
    }

    @Test("a burst that there is no more time for counts as far as it has come, if that says anything")
    func givesUp() {
        for (time, isKnown) in [(0.3, false), (1.5, true)] {
            var (line, test, measurements) = (
                SimulatedLine(up: 100_000, down: 100_000, isShared: false),
                BandwidthTest(ceiling: 5_000_000), PathMeasurements()
            )
            while line.now.seconds < time {
                line.advance(by: .milliseconds(100), reading: &measurements)
                for case .fill(_, let bitrate, let seconds, let downlinkSeconds)
                    in test.tick(measurements, at: line.now)
                {
                    line.fill(.uplink, bitrate, seconds)
                    line.fill(.downlink, bitrate, downlinkSeconds)
                }
            }
            test.giveUp(measurements, at: line.now)
            #expect((test.uplink != nil, test.downlink != nil) == (isKnown, isKnown))
            #expect(test.tick(measurements, at: line.now).isEmpty)
            guard isKnown else { continue }
            #expect(abs((test.downlink?.rate ?? 0) / 100_000 - 1) < 0.12)
        }
    }

    @Test(
        "where no answer came in time, a downlink that lost most of what filled it is known to be narrow all the same",
        arguments: [(30_000.0, true), (120_000, false)])
    func unansweredOverflow(down: Double, isKnown: Bool) {
        var (line, test, measurements) = (
            SimulatedLine(up: 5_000_000, down: down, isShared: true), BandwidthTest(ceiling: 5_000_000),
            PathMeasurements()
        )
        line.countsLoss = true
        test.isDecisive = { $0.rate < 48_000 }
        while line.now.seconds < 2.5 {
            line.advance(by: .milliseconds(100), reading: &measurements)
            for case .fill(_, let bitrate, _, let downlinkSeconds) in test.tick(measurements, at: line.now) {
                line.fill(.downlink, bitrate, downlinkSeconds)
                test.noteNoAnswer()
            }
        }
        test.giveUp(measurements, at: line.now)
        #expect((test.downlink != nil) == isKnown)
        if isKnown { #expect(abs((test.downlink?.rate ?? 0) / down - 1) < 0.25) }
    }

    @Test("a direction that settles the verdict ends it, unless it may have starved the other")
    func decisive() {
        var line = SimulatedLine(up: 30_000, down: 5_000_000, isShared: true)
        let plain = course(line) { $0.isDecisive = { $0.rate < 48_000 } }
        #expect(plain.bursts.map(\.directions) == [[.uplink, .downlink]])
        #expect(plain.downlink ?? 0 > 900_000)
        line.starves = true
        let starved = course(line) { $0.isDecisive = { $0.rate < 48_000 } }
        #expect(starved.bursts.map(\.directions) == [[.uplink, .downlink], [.downlink]])
        #expect(starved.downlink ?? 0 > 900_000)
    }

    @Test("late in a test it is not found out how much more there is")
    func noRefinement() {
        let line = SimulatedLine(up: 50e6, down: 50e6, isShared: true)
        #expect(course(line) { $0.refinementEnd = .zero }.bursts.map(\.load) == [1_000_000])
        #expect(course(line) { $0.refinementEnd = .seconds(9) }.bursts.map(\.load) == [1_000_000, 5_000_000])
    }

    @Test(
        "a media router that does not answer leaves the uplink to be measured, and is asked again if that matters",
        arguments: [(300_000.0, 2), (30_000, 1)])
    func noAnswer(up: Double, asked: Int) {
        var (line, test, measurements, requests) = (
            SimulatedLine(up: up, down: 3_000_000, isShared: true), BandwidthTest(ceiling: 5_000_000),
            PathMeasurements(), 0
        )
        test.isDecisive = { $0.rate < 48_000 }
        while line.now < .seconds(60) {
            line.advance(by: .milliseconds(100), reading: &measurements)
            for action in test.tick(measurements, at: line.now) {
                switch action {
                case .fill(let directions, let bitrate, let seconds, _):
                    if directions.contains(.uplink) { line.fill(.uplink, bitrate, seconds) }
                    guard directions.contains(.downlink) else { continue }
                    requests += 1
                    test.noteNoAnswer()
                case .silence: line.fill(.uplink, 0, 0)
                case .finish:
                    #expect(requests == asked)
                    #expect(test.downlink == nil)
                    #expect(abs((test.uplink?.rate ?? 0) / up - 1) < 0.12)
                    return
                }
            }
        }
        Issue.record("it does not end")
    }

    @Test("an answer that comes when the downlink is hardly filled any more does not make that narrow")
    func lateAnswer() {
        var (line, test, measurements) = (
            SimulatedLine(up: 5_000_000, down: 120_000, isShared: true), BandwidthTest(ceiling: 5_000_000),
            PathMeasurements()
        )
        var isFirst = true
        while line.now < .seconds(60) {
            line.advance(by: .milliseconds(100), reading: &measurements)
            for action in test.tick(measurements, at: line.now) {
                switch action {
                case .fill(let directions, let bitrate, let seconds, let downlinkSeconds):
                    if directions.contains(.downlink) { line.fill(.downlink, bitrate, downlinkSeconds) }
                    if isFirst { line.advance(by: .milliseconds(2_800), reading: &measurements) }
                    isFirst = false
                    if directions.contains(.uplink) { line.fill(.uplink, bitrate, seconds) }
                case .silence: line.fill(.uplink, 0, 0)
                case .finish:
                    #expect(abs((test.downlink?.rate ?? 0) / 120_000 - 1) < 0.1)
                    #expect(test.uplink?.rate ?? 0 > 4_000_000)
                    return
                }
            }
        }
        Issue.record("it does not end")
    }

    @Test("of a late answer only what the media router still fills counts, not the stream that comes back")
    func ownStream() {
        var (line, test, measurements) = (
            SimulatedLine(up: 5_000_000, down: 120_000, isShared: false), BandwidthTest(ceiling: 5_000_000),
            PathMeasurements()
        )
        var filledUntil: Duration?
        while line.now < .seconds(60) {
            line.advance(by: .milliseconds(100), reading: &measurements)
            if let end = filledUntil, line.now >= end { line.fill(.downlink, 60_000, 60) }
            for action in test.tick(measurements, at: line.now) {
                switch action {
                case .fill(let directions, let bitrate, let seconds, let downlinkSeconds):
                    if directions.contains(.downlink) {
                        line.fill(.downlink, bitrate, downlinkSeconds)
                        filledUntil = line.now + .seconds(downlinkSeconds)
                        line.advance(by: .milliseconds(600), reading: &measurements)
                    }
                    if directions.contains(.uplink) { line.fill(.uplink, bitrate, seconds) }
                case .silence: line.fill(.uplink, 0, 0)
                case .finish:
                    #expect(abs((test.downlink?.rate ?? 0) / 120_000 - 1) < 0.1)
                    return
                }
            }
        }
        Issue.record("it does not end")
    }

    @Test("on a long path the downlink is filled for as long as it takes to measure it")
    func longPath() {
        var (line, test, measurements) = (
            SimulatedLine(up: 5_000_000, down: 3_000_000, isShared: false), BandwidthTest(ceiling: 5_000_000),
            PathMeasurements()
        )
        line.roundTripTime = 0.6
        while line.now < .seconds(60) {
            line.advance(by: .milliseconds(100), reading: &measurements)
            for action in test.tick(measurements, at: line.now) {
                switch action {
                case .fill(let directions, let bitrate, let seconds, let downlinkSeconds):
                    if directions.contains(.downlink) {
                        line.fill(.downlink, bitrate, downlinkSeconds)
                        // The router's answer takes as long as the path is.
                        line.advance(by: .milliseconds(600), reading: &measurements)
                    }
                    if directions.contains(.uplink) { line.fill(.uplink, bitrate, seconds) }
                case .silence: line.fill(.uplink, 0, 0)
                case .finish:
                    #expect(abs((test.downlink?.rate ?? 0) / 3_000_000 - 1) < 0.12)
                    return
                }
            }
        }
        Issue.record("it does not end")
    }

    @Test(
        "the media router is asked for no more than it takes, whatever round trips a queue makes",
        arguments: [(0.1, true), (1, true), (2, false), (2, true), (60, true)])
    func longest(roundTripTime: Double, isNarrow: Bool) {
        var line = SimulatedLine(up: 250_000, down: 250_000, isShared: true)
        line.roundTripTime = roundTripTime
        let course = course(line) { $0.isPathNarrow = isNarrow }
        #expect(!course.bursts.isEmpty)
        #expect(course.bursts.allSatisfy { $0.downlinkSeconds <= BandwidthTest.fillingTime.seconds })
    }

    @Test("a downlink without room decides nothing before the uplink is known that may starve it")
    func undecided() {
        var line = SimulatedLine(up: 30_000, down: 20_000, isShared: false)
        line.withheldUntil = .seconds(5.5)
        let course = course(line) { $0.isDecisive = { $0.rate < 48_000 } }
        #expect(course.bursts.map(\.directions) == [[.uplink, .downlink], [.uplink]])
        #expect(abs((course.uplink ?? 0) / 30_000 - 1) < 0.12)
        // A client that cannot fill it never knows it.
        let unfilled = self.course(line, excluding: .uplink) { $0.isDecisive = { $0.rate < 48_000 } }
        #expect(unfilled.bursts.count == 1)
    }

    @Test("what would be looked at with more load, and is not, is known as a least")
    func atLeast() {
        let line = SimulatedLine(up: 800_000, down: 50e6, isShared: false)
        #expect(course(line) { $0.refinementEnd = .zero }.isAtLeast == (true, true))
        #expect(course(line).isAtLeast == (false, true))
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
