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
        #expect(!isSteady([100, 110, 120, 130, 130]))
        #expect(!isSteady([100, 110, 120, 130, 90]))
        #expect(!isSteady([100, 110, 120, 130, nil]))
        #expect(!isSteady([100, 101, 102, 103]))
        #expect(!isSteady([]))
    }

    @Test("More loss than was sent since the last RTCP report is about what was sent before it")
    func olderLoss() {
        func loss(_ lost: Int64) -> LossSample? {
            var tracker = RemoteInboundDeltaTracker()
            var result = OutboundDelta(index: 0, key: 1, kind: .video)
            for (second, packetsLost) in [(1, Int64(0)), (2, lost)] {
                let tick = Tick(time: Double(second) * 1000, previous: Double(second - 1) * 1000)
                result = OutboundDelta(index: 0, key: 1, kind: .video)
                result.packets = Increment(amount: 100)
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
    }
}
