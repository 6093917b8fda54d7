// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing
import WebRTCStats

@testable import CallQuality

@Suite("An estimate that climbs, and what an outage leaves")
struct EstimateClimbTests {
    private func isSteady(_ estimates: [Double?]) -> Bool {
        var climb = EstimateClimb()
        for (second, estimate) in estimates.enumerated() { climb.handle(estimate, at: Double(second) * 1000) }
        return climb.isSteady
    }

    @Test("It climbs after three seconds, and no longer once it stands or falls")
    func climbs() {
        #expect(!isSteady([100, 110, 120]))
        #expect(isSteady([100, 110, 120, 130]))
        #expect(!isSteady([100, 110, 120, 130, 130, 130, 130]))
        #expect(isSteady([100, 110, 110, 120, 120, 130]))
        #expect(!isSteady([100, 110, 120, 130, 90]))
        #expect(!isSteady([100, 110, 120, 130, nil]))
        #expect(!isSteady([100, 101, 102, 103]))
        #expect(!isSteady([]))
    }

    @Test("What came back is over only when it has been for eight seconds, and that is forgotten")
    func relapse() {
        var relapse = Relapse()
        var time = 0.0
        func believes(_ isOver: Bool, for seconds: Int = 1) -> [Bool] {
            (0..<seconds).map { _ in
                time += 1000
                return relapse.believes(isOver, at: time)
            }
        }
        #expect(believes(false) == [false])
        #expect(believes(true, for: 2) == [true, true])
        #expect(believes(false) == [false])
        #expect(believes(true, for: 9) == Array(repeating: false, count: 8) + [true])
        relapse.end()
        #expect(believes(false, for: 30).allSatisfy { !$0 })
        #expect(believes(true) == [true])
    }

    @Test("Answers to connectivity checks are arrivals, though no bytes come")
    func answers() {
        func path(bytes: UInt64?, isAnswered: Bool?) -> PathDelta {
            var path = PathDelta()
            path.bytesReceived = bytes.map { Increment(amount: $0) }
            path.isAnswered = isAnswered
            return path
        }
        #expect(path(bytes: 0, isAnswered: true).hasArrivals == true)
        #expect(path(bytes: 9, isAnswered: false).hasArrivals == true)
        #expect(path(bytes: 0, isAnswered: false).hasArrivals == false)
        #expect(path(bytes: nil, isAnswered: false).hasArrivals == nil)
        #expect(path(bytes: nil, isAnswered: nil).hasArrivals == nil)
    }

    @Test(
        "An encoder of an engine that gives no reasons is limited by the processor if it takes the time and gives up half"
    )
    func encoder() throws {
        let definition = try #require(SymptomDefinition.published.first { $0.symptom.kind == .cpuLimited })
        func isBad(
            _ share: Double, need: Double? = nil, isHalved: Bool = true, isUnknown: Bool = true,
            isReducedForCPU: Bool = false, skips: Bool = false
        ) -> Bool {
            var figures = SymptomFigures(Tick(time: 2000, previous: 1000), PathDelta(), DirectionVerdict())
            figures.video.expectation = .media
            figures.encodingShare = share
            figures.isHalved = isHalved
            figures.isLimitationUnknown = isUnknown
            figures.encodingNeed = need
            figures.isReducedForCPU = isReducedForCPU
            figures.skipsFrames = skips
            return definition.sample(figures, WarningRules().cpuLimited) == .bad
        }
        #expect(isBad(0.75))
        #expect(!isBad(0.5) && !isBad(0.75, isHalved: false) && !isBad(0.75, isUnknown: false))
        // What was given up for want of time stays so until it is back.
        #expect(isBad(0.2, isReducedForCPU: true) && !isBad(0.2, isUnknown: false, isReducedForCPU: true))
        // Each frame takes so long that not all of them can be encoded; a pipeline takes as long and skips none.
        #expect(isBad(0.4, need: 1.5, isHalved: false, isUnknown: false, skips: true))
        #expect(!isBad(0.4, need: 1.5, isHalved: false, isUnknown: false))
        #expect(!isBad(0.1, need: 0.2, isHalved: false, isUnknown: false, skips: true))
    }

    @Test(
        "What the first RTCP report after a gap says of jitter is of the gap; where reports are rare there is none"
    )
    func jitterAfterGap() {
        func hasJitter(at times: [Double]) -> [Bool] {
            var tracker = RemoteInboundDeltaTracker(), previous: Double?
            return times.map { seconds in
                let time = seconds * 1000, tick = Tick(time: time, previous: previous)
                previous = time
                var result = OutboundDelta(index: 0, key: 1, kind: .audio)
                result.packets = Increment(amount: 50)
                var entry = RemoteInboundRTPStats(id: "r", timestamp: time)
                entry.jitter = 0.02
                tracker.advance(to: entry, path: nil, tick, into: &result)
                return result.jitter != nil
            }
        }
        #expect(hasJitter(at: [1, 2, 3, 23, 24]) == [true, true, true, false, true])
        for interval in [20.0, 30] {
            #expect(hasJitter(at: (1...5).map { Double($0) * interval }).allSatisfy { $0 })
        }
    }

    @Test("More loss than was sent since the last RTCP report is about what was sent before it")
    func olderLoss() {
        func loss(_ lost: Int64, afterPause isPaused: Bool = true) -> LossSample? {
            var tracker = RemoteInboundDeltaTracker()
            var result = OutboundDelta(index: 0, key: 1, kind: .video)
            let ticks = [(1, Int64(0), isPaused ? UInt64(0) : 100), (2, lost, 100)]
            for (second, packetsLost, sent) in ticks {
                let tick = Tick(time: Double(second) * 1000, previous: Double(second - 1) * 1000)
                result = OutboundDelta(index: 0, key: 1, kind: .video)
                result.packets = Increment(amount: sent)
                tracker.noteSent(path: nil, tick, into: &result)
                var entry = RemoteInboundRTPStats(id: "r", timestamp: Double(second) * 1000)
                entry.packetsLost = packetsLost
                tracker.advance(to: entry, path: nil, tick, into: &result)
            }
            return result.loss
        }
        #expect(loss(5)?.lost == 5)
        #expect(loss(100)?.lost == 100)
        #expect(loss(400) == nil)
        #expect(loss(400, afterPause: false)?.lost == 100)
    }
}
