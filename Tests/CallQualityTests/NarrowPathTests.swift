// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing
import WebRTCStats

@testable import CallQuality

/// What shows that a path is too narrow: that not all gets through that was sent, whatever else varies.
@Suite("A narrow path")
struct NarrowPathTests {
    private let rules = ConditionRules()

    /// Whether an estimate that falls after five seconds of a rate, both in kbit/s, shows an overload.
    private func isOverloaded(
        from high: Double, to estimates: [Double], rate: Double, loss: Double = 0, isInferred: Bool = false
    ) -> Bool {
        var capacity = CapacityEstimate()
        for (second, estimate) in (Array(repeating: high, count: 5) + estimates).enumerated() {
            let isHigh = second < 5
            var input = CongestionClassifier.Input(
                recentLoss: isHigh ? 0 : loss, coverage: isHigh ? 2 : 0.3, queue: QueueDelayDetector(),
                estimate: estimate * 1000, delivered: (isHigh ? rate : estimate) * 1000)
            input.isEstimateInferred = isInferred
            if isHigh {
                capacity.forget(input, at: Double(second) * 1000)
            } else {
                capacity.handle(input, isFull: false, at: Double(second) * 1000, rules)
            }
        }
        return capacity.overloadedAt != nil
    }

    @Test(
        "An estimate that falls to a share of what was sent says nothing; far below that, not all got through"
    )
    func overload() {
        #expect(!isOverloaded(from: 4000, to: [600], rate: 700))
        // Two falls in one tick.
        #expect(!isOverloaded(from: 4000, to: [510], rate: 700))
        #expect(isOverloaded(from: 4000, to: [300], rate: 700))
    }

    @Test(
        "What was lost did not get through for another reason; and what gets through is no estimate of itself"
    )
    func otherReasons() {
        #expect(!isOverloaded(from: 4000, to: [300], rate: 700, loss: 0.5))
        #expect(!isOverloaded(from: 4000, to: [300], rate: 700, isInferred: true))
    }

    @Test("Each fall to a share of the last leads further down; an overload falls steeply, and to its end")
    func descent() {
        func descent(_ falls: [(Double, Double)]) -> Descent {
            var descent = Descent()
            for (second, fall) in falls.enumerated() {
                descent.handle(from: fall.0, to: fall.1, at: Double(second) * 2000, rules)
            }
            return descent
        }
        let endless = descent([400.0, 360, 324, 292, 264, 236, 212, 188, 172].map { ($0 / 0.9, $0) })
        #expect(endless.isHalved && endless.isEndless)
        let limited = descent([(4000, 1000), (1000, 300)] + (0..<8).map { _ in (340, 300) })
        #expect(!limited.isHalved && !limited.isEndless)
    }

    @Test(
        "A receiver on a path that became narrow at once hears of that, and not of the jitter that it makes")
    func receiver() {
        var call = ScriptedCall.subscriber(), observer = ConnectionObserver()
        var causes: [Diagnosis.Cause] = []
        for second in 0..<60 {
            if second == 15 {
                call.received[1].packetRate = 32
                call.received[1].packetSize = 1000
                call.setLoss(0.2)
                for index in call.received.indices { call.received[index].jitter = 0.02 }
            }
            if second == 17 { call.setLoss(0) }
            call.advance(1)
            causes += [observer.handle(call.report()).received?.diagnosis.cause].compactMap(\.self)
        }
        #expect(causes[..<15].allSatisfy { !$0.isProblem })
        #expect(causes[27...].allSatisfy { $0 == .bandwidth }, "\(causes)")
    }

    @Test(
        "An encoder that starts small and steps up slowly is not limited, while the estimate has room for more"
    )
    func startsSmall() {
        func causes(estimate: Double) -> [Diagnosis.Cause] {
            var call = ScriptedCall(), observer = ConnectionObserver()
            call.sent = [.video(ssrc: 2, width: 640, height: 360, packetRate: 40)]
            call.sent[0].limitation = .bandwidth
            call.sent[0].target = min(1_700_000, estimate * 0.8)
            call.captured = (1280, 720)
            call.estimate = estimate
            return (0..<25).compactMap { _ in
                call.advance(1)
                return observer.handle(call.report()).sent?.diagnosis.cause
            }
        }
        #expect(causes(estimate: 4_000_000).allSatisfy { !$0.isProblem })
        #expect(causes(estimate: 400_000).last == .bandwidth)
    }

    @Test("A queue shows in reports each ten seconds as in others: windows hold a few of them")
    func rareReports() {
        func isOverflowing(_ rules: ConditionRules) -> Bool {
            var detector = QueueDelayDetector()
            for (index, time) in [0.04, 0.15, 0.2].enumerated() {
                detector.handle(
                    QueueDelayDetector.Input(pair: time, jitter: 0.005, isLossy: index > 0),
                    at: Double(index) * 10_000, rules)
            }
            return detector.isOverflowing
        }
        #expect(isOverflowing(rules.forReports(every: 10)))
        #expect(rules.forReports(every: 1) == rules && rules.forReports(every: nil) == rules)
    }

    @Test("One report that is late does not widen the windows, reports that come more rarely from now on do")
    func lateReport() {
        var interval = UsualInterval()
        let usual = [nil, 1, 1, 30, 1, 10, 10, 1].map { interval.handle($0) }
        #expect(usual == [nil, 1, 1, 1, 1, 1, 10, 1])
        #expect(rules.forReports(every: usual[3]) == rules)
    }

    @Test("Loss that stays while the rate falls to a third is not a queue's; loss that goes with it may be")
    func independentLoss() {
        func isShown(_ loss: (Double) -> Double) -> [Bool] {
            var independence = LossIndependence()
            return (0..<90).map { second in
                let rate = max(300_000, 1_000_000 - 50_000 * Double(second))
                var input = CongestionClassifier.Input(queue: QueueDelayDetector())
                (input.lossGrade, input.recentLoss) = (loss(rate) >= rules.loss.good ? 2 : 5, loss(rate))
                (input.delivered, input.isSent) = (rate, true)
                independence.handle(input, at: Double(second) * 1000, rules)
                return independence.isShown
            }
        }
        let random = isShown { _ in 0.1 }
        #expect(!random[..<14].contains(true) && random[18...].allSatisfy { $0 })
        // What a path of 600 kbit/s loses.
        #expect(!isShown { max(0, 1 - 600_000 / $0) }.contains(true))
    }

    @Test(
        "What still comes after loss shows a limit, unless one kind alone was lost: its sender may have given it up"
    )
    func selectiveLoss() {
        func causes(isSelective: Bool, isInferred: Bool) -> [PathCause] {
            var classifier = CongestionClassifier()
            return (0..<30).map { second in
                let isLossy = (5..<10).contains(second), isShort = second >= 5
                var input = CongestionClassifier.Input(queue: QueueDelayDetector())
                (input.lossGrade, input.recentLoss) = isLossy ? (2, 0.15) : (5, 0)
                input.isLossSelective = isLossy && isSelective
                (input.bandwidthGrade, input.coverage) = isShort ? (3, 0.5) : (5, 2)
                (input.estimate, input.isEstimateInferred) = (isShort ? 300_000 : 1_500_000, isInferred)
                return classifier.handle(input, at: Double(second) * 1000, rules).cause
            }
        }
        #expect(causes(isSelective: false, isInferred: true).last == .bandwidth)
        #expect(causes(isSelective: true, isInferred: true)[7...].allSatisfy { $0 == .packetLoss })
        // An estimate is of the path, whatever was lost on it.
        #expect(causes(isSelective: true, isInferred: false).last == .bandwidth)
    }

    @Test("What carried more two falls ago carries it still: one fall too far does not lift a limit")
    func threeFalls() {
        // Falls that say 600, 500 and 500 kbit/s; then it climbs to less than a limit of 600 lets it.
        let estimates: [Double] = [510, 520, 425, 430, 480, 425, 430] + Array(repeating: 650, count: 6)
        var capacity = CapacityEstimate()
        var input = CongestionClassifier.Input(coverage: 2, queue: QueueDelayDetector(), estimate: 1_000_000)
        capacity.forget(input, at: 0)
        for (index, estimate) in estimates.enumerated() {
            input.coverage = 0.3
            input.estimate = estimate * 1000
            capacity.handle(input, isFull: false, at: Double(index + 1) * 1000, rules)
            #expect(!capacity.isGone, "\(estimate) at \(index)")
        }
        input.estimate = 800_000
        capacity.handle(input, isFull: false, at: 20_000, rules)
        #expect(capacity.isGone)
    }

    @Test("Jitter alone does not keep a receiver held down for ever")
    func jitterAlone() {
        var shortage = ThroughputShortage()
        func isHeldDown(at second: Int) -> Bool {
            let isShort = second >= 20, isOverload = (20..<24).contains(second)
            shortage.handle(
                ThroughputShortage.Input(
                    rate: isShort ? 300_000 : 1_500_000, isTroubled: isOverload, hasLost: isOverload,
                    jitter: isShort ? 0.06 : 0.005),
                at: Double(second) * 1000, rules)
            return shortage.heldDown != nil
        }
        let held = (0..<240).map(isHeldDown)
        #expect(!held[..<20].contains(true))
        #expect(held[26..<120].allSatisfy { $0 })
        #expect(!held[200...].contains(true))
    }

    @Test(
        "Loss without a queue is known in reports of every rate: three measurements show it",
        arguments: [1.0, 2, 5, 10])
    func spared(interval: Double) {
        var detector = QueueDelayDetector()
        for index in 0..<4 {
            detector.handle(
                QueueDelayDetector.Input(pair: 0.04, jitter: 0.002, isLossy: true),
                at: Double(index) * interval * 1000, rules.forReports(every: interval))
        }
        #expect(detector.isSpared)
    }

    @Test("Small video keeps a receiver held down until its encoder makes all it makes of that size")
    func smallVideo() {
        func isHeldDown(byRate small: Double) -> Bool {
            var shortage = ThroughputShortage()
            for second in 0..<80 {
                let isSmall = second >= 20, isOverload = (20..<24).contains(second)
                var sizes = VideoSizes()
                sizes.add(isSmall ? VideoSize(width: 320, height: 180) : VideoSize(width: 640, height: 360))
                let rate = isSmall ? (second < 30 ? 200_000 : small) : 1_700_000
                shortage.handle(
                    ThroughputShortage.Input(
                        rate: rate, isTroubled: isOverload, hasLost: isOverload, pixels: sizes.pixels,
                        isWhole: sizes.areFilled(by: rate)),
                    at: Double(second) * 1000, rules)
                if second == 29 { #expect(shortage.heldDown != nil) }
            }
            return shortage.heldDown != nil
        }
        #expect(isHeldDown(byRate: 400_000))
        #expect(!isHeldDown(byRate: 600_000))
    }

    @Test("More than congestion control believes to fit cannot all get through, before any encoder says so")
    func overdrawn() {
        #expect(EstimateUse.isOverdrawn(rate: 1_700_000, estimate: 900_000))
        // Two steps back.
        #expect(!EstimateUse.isOverdrawn(rate: 1_400_000, estimate: 1_000_000))
        #expect(!EstimateUse.isOverdrawn(rate: nil, estimate: 900_000))
        #expect(!EstimateUse.isOverdrawn(rate: 900_000, estimate: nil))
        for isOverdrawn in [false, true] {
            let state = UplinkState(
                StatsReport(timestamp: 0), [], [], estimate: 900_000, isOverdrawn: isOverdrawn, EstimateUse(),
                rules)
            #expect(state.isLimited == (isOverdrawn ? true : nil))
        }
    }

    @Test("What data channels send beside media is none of what congestion control of media holds back")
    func dataChannel() {
        var scenario = CallScenario.publisher()
        // Less than could be wanted, and all that is made gets through.
        scenario.call.estimate = 1_500_000
        scenario.run(.init(20))
        scenario.call.dataRate = 600_000
        scenario.run(.init(10))
        #expect(scenario.conditions.suffix(12).allSatisfy { $0 == .excellent }, "\(scenario.conditions)")
        #expect(scenario.published.suffix(12).allSatisfy { $0.diagnosis.cause == .none })
    }

    @Test("A queue is known by its first round trip when the estimate has collapsed far below what is sent")
    func firstRoundTrip() {
        var scenario = CallScenario.publisher()
        // Only RTCP measures, so that one round trip in each second rises.
        scenario.call.checks = (0.02, 5)
        scenario.run(.init(15))
        scenario.run(.init(1, estimate: 400_000, roundTripTime: 0.4))
        scenario.run(.init(3, estimate: 410_000))
        let causes = scenario.published.suffix(4).map(\.diagnosis.cause)
        #expect(causes.dropFirst().allSatisfy { $0 == .bandwidth }, "\(causes)")
        #expect(!causes.contains(.latency) && !causes.contains(.jitter), "\(causes)")
    }

    @Test("An estimate at rest has room: what is sent is about the share below which it climbs no further")
    func restingEstimate() {
        func isUnused(_ shares: [Double], then fall: Double? = nil) -> Bool {
            var use = EstimateUse()
            for (second, share) in (shares + [fall].compactMap(\.self)).enumerated() {
                let time = Double(second) * 1000
                let estimate = second < shares.count ? 1_100_000.0 : 500_000
                use.handle(
                    rate: share * estimate, estimate: estimate, at: Tick(time: time, previous: time - 1000),
                    rules)
            }
            return use.isApplicationLimited
        }
        // As an encoder sends that stays small, from a recorded call.
        #expect(isUnused([0.66, 0.59, 0.61, 0.58, 0.7, 0.58]))
        #expect(!isUnused([0.66, 0.7, 0.68, 0.72, 0.66, 0.7]))
        // As one does that congestion control limits.
        #expect(!isUnused([0.72, 0.75, 0.71, 0.82, 0.8, 0.83, 0.64, 0.76, 0.84]))
        #expect(!isUnused([0.59, 0.61, 0.58, 0.6, 0.58, 1.1]))
        #expect(isUnused([0.59, 0.61, 0.58, 0.6, 0.58], then: 0.6))
        #expect(!isUnused([0.59, 0.61, 0.58, 0.6, 0.58], then: 0.7))
    }

    @Test("An estimate that is no longer reported is not one that has room")
    func endedEstimate() {
        var use = EstimateUse()
        func isUnused(_ estimate: Double?, for seconds: ClosedRange<Int>) -> Bool {
            for second in seconds {
                let time = Double(second) * 1000
                use.handle(
                    rate: 500_000, estimate: estimate, at: Tick(time: time, previous: time - 1000), rules)
            }
            return use.isApplicationLimited
        }
        #expect(!isUnused(4_000_000, for: 1...2))
        #expect(isUnused(4_000_000, for: 3...8))
        #expect(isUnused(nil, for: 9...11))
        #expect(!isUnused(nil, for: 12...14))
    }
}
