// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("The course of a network test")
struct QualityPlanTests {
    /// What a plan wants of a line, up to its end or to another connection.
    private func actions(
        _ given: SimulatedLine, fillsUplink: Bool = true, testBegan: Duration = .zero
    ) -> (actions: [QualityPlan.Action], plan: QualityPlan, seconds: Double) {
        var (line, actions) = (given, [QualityPlan.Action]())
        var plan = QualityPlan(rules: PreCallRules(), testBegan: testBegan, at: .zero)
        while line.now < .seconds(30) {
            line.advance(by: QualityPlan.tickInterval, reading: &plan.measurements)
            for action in plan.tick(at: line.now) {
                actions.append(action)
                switch action {
                case .fill(let directions, let bitrate, let seconds, let downlinkSeconds):
                    if !fillsUplink { plan.leaveUplinkUnfilled() }
                    for direction in [NetworkDirection.uplink, .downlink] {
                        let isFilled =
                            directions.contains(direction) && (fillsUplink || direction == .downlink)
                        let time = direction == .uplink ? seconds : downlinkSeconds ?? seconds
                        line.fill(direction, isFilled ? bitrate : 0, isFilled ? time : 0)
                    }
                case .silence: line.fill(.uplink, 0, 0)
                case .renewSubscription, .renewStreamWithoutVideo, .finish:
                    return (actions, plan, line.now.seconds)
                default: break
                }
            }
        }
        return (actions, plan, line.now.seconds)
    }

    private func steps(_ actions: [QualityPlan.Action]) -> [PreCallStep] {
        actions.compactMap { if case .begin(let step) = $0 { step } else { nil } }
    }

    @Test("a line that carries no audio needs no more than its bandwidth: neither, in less than five seconds")
    func neither() throws {
        let (actions, plan, seconds) = actions(SimulatedLine(up: 30_000, down: 30_000, isShared: true))
        // No media are sent again, which would only keep the client from leaving.
        #expect(actions.suffix(2) == [.silence, .finish])
        #expect(steps(actions) == [.bandwidth])
        #expect(plan.endedEarly && plan.knowsVerdict)
        let judgement = try #require(plan.measurement).judgement(PreCallRules())
        #expect(judgement.verdict == .neither)
        #expect(judgement.audio.reason?.cause == .bandwidth)
        #expect(seconds < 5)
    }

    @Test(
        "a line without room for video continues with audio alone, on new connections, after media are released"
    )
    func audioOnly() {
        let (actions, plan, _) = actions(SimulatedLine(up: 120_000, down: 5_000_000, isShared: true))
        #expect(steps(actions) == [.bandwidth, .audioOnly])
        #expect(actions.last == .renewStreamWithoutVideo)
        #expect(plan.measurement?.leavesNoRoom(for: .video, PreCallRules()) == true)
        let order = actions.compactMap { action -> String? in
            switch action {
            case .fill: "fill"
            case .silence: "silence"
            case .release: "release"
            default: nil
            }
        }
        #expect(order == ["fill", "silence", "fill", "release"])
        let starts = actions.compactMap { action -> Double? in
            if case .release(let start, _) = action { start } else { nil }
        }
        #expect(starts == [PreCallJudge.audioRate + PreCallJudge.audioHeaders])
    }

    @Test(
        "where round trips are longer than before media flowed, the line is filled with little first",
        arguments: [(0.02, 1_000_000.0), (0.1, 300_000)])
    func narrow(roundTripTime: Double, load: Double) {
        var measurements = PathMeasurements()
        measurements.note(roundTripTime: 0.02)
        var plan = QualityPlan(
            rules: PreCallRules(), testBegan: .zero, at: .zero, measurements: measurements)
        var line = SimulatedLine(up: 120_000, down: 120_000, isShared: true)
        line.roundTripTime = roundTripTime
        line.advance(by: QualityPlan.tickInterval, reading: &plan.measurements)
        let loads = plan.tick(at: line.now).compactMap { action -> Double? in
            if case .fill(_, let bitrate, _, _) = action { bitrate } else { nil }
        }
        #expect(loads == [load])
    }

    @Test("a plan that is ended while it fills the network knows what that has shown so far")
    func endedWhileFilling() {
        var line = SimulatedLine(up: 100_000, down: 100_000, isShared: false)
        var plan = QualityPlan(rules: PreCallRules(), testBegan: .zero, at: .zero)
        while line.now < .seconds(1.5) {
            line.advance(by: QualityPlan.tickInterval, reading: &plan.measurements)
            for case .fill(let directions, let bitrate, let seconds, _) in plan.tick(at: line.now) {
                for direction in directions { line.fill(direction, bitrate, seconds) }
            }
        }
        #expect(plan.measurement == nil)
        #expect(plan.end(at: line.now) == [.silence, .finish])
        for found in [plan.measurement?.uplink, plan.measurement?.downlink] {
            #expect(abs((found?.rate ?? 0) / 100_000 - 1) < 0.12)
        }
    }

    @Test("what is sent after a burst fits what both directions carry, and is never less than the limit")
    func release() {
        for (up, down) in [(900_000.0, 5_000_000.0), (5_000_000, 900_000), (120_000, 120_000)] {
            let found = actions(SimulatedLine(up: up, down: down, isShared: false)).actions
            let most = found.compactMap { action -> Double? in
                if case .release(_, let maximumVideo) = action { maximumVideo } else { nil }
            }
            #expect(most.count == 1)
            #expect(most.allSatisfy { $0 >= 150_000 && $0 <= max(180_000, min(up, down)) })
        }
    }

    @Test("a client that cannot fill its uplink measures the downlink alone, and says so")
    func unfilled() {
        let (actions, plan, _) = actions(
            SimulatedLine(up: 5_000_000, down: 700_000, isShared: true), fillsUplink: false)
        #expect(plan.uplinkIsNotFilled)
        #expect(plan.measurement?.uplink == nil)
        #expect(abs((plan.measurement?.downlink?.rate ?? 0) / 700_000 - 1) < 0.1)
        #expect(steps(actions) == [.bandwidth, .quality])
    }

    @Test("with little time left nothing is made again, and the plan ends when its time is up")
    func late() {
        let (actions, plan, seconds) = actions(
            SimulatedLine(up: 20e6, down: 20e6, isShared: true), testBegan: .seconds(-9.5))
        #expect(steps(actions) == [.bandwidth, .quality])
        #expect(actions.count { if case .fill = $0 { true } else { false } } == 1)
        #expect(!actions.contains(.renewSubscription))
        #expect(actions.last == .finish && !plan.endedEarly)
        #expect((3.95...4.15).contains(seconds))
    }

    @Test("connections are made again where their round trips leave time to measure", arguments: [0.02, 0.5])
    func renewal(roundTripTime: Double) throws {
        var line = SimulatedLine(up: 20e6, down: 20e6, isShared: true)
        line.roundTripTime = roundTripTime
        let (actions, plan, _) = actions(line, testBegan: .seconds(-5))
        #expect(actions.contains(.renewSubscription) == (roundTripTime < 0.1))
        guard roundTripTime > 0.1 else { return }
        // No packet is counted on this line: what it carries has to do, and nothing is sure.
        #expect(actions.suffix(2) == [.silence, .finish])
        let judgement = try #require(plan.measurement).judgement(PreCallRules())
        #expect(judgement.verdict == .audioAndVideo && judgement.isKnown)
        #expect((0.3...0.6).contains(judgement.certainty))
    }

    @Test("an uplink that carries no audio is the verdict, whatever else could be found out")
    func decisive() throws {
        let (actions, plan, seconds) = actions(SimulatedLine(up: 30_000, down: 20e6, isShared: true))
        #expect(actions.count { if case .fill = $0 { true } else { false } } == 1)
        #expect(try #require(plan.measurement).judgement(PreCallRules()).audio.reason?.direction == .uplink)
        #expect(seconds < 4)
    }

    @Test("a line on which nothing arrives that could be measured ends as unknown, in time")
    func unknown() {
        var plan = QualityPlan(rules: PreCallRules(), testBegan: .zero, at: .zero)
        var (time, actions) = (Duration.zero, [QualityPlan.Action]())
        while actions.last != .finish, time < .seconds(60) {
            time += QualityPlan.tickInterval
            actions += plan.tick(at: time)
        }
        #expect(actions.last == .finish)
        #expect(!plan.knowsVerdict)
        #expect(time <= PreCallDeadlines(PreCallRules(), begin: .zero).measurement)
    }
}
