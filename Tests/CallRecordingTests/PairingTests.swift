// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import Testing
import WebRTCStats

@Suite("Ends of one call in several recordings")
struct PairingTests {
    private static func sending(_ second: Int, ssrc: UInt64, estimate: Double) -> StatsReport {
        var report = InventedCall.sending(second, estimate: estimate)
        report.outboundRTP[0].ssrc = ssrc
        return report
    }

    private static func receiving(_ second: Int, ssrc: UInt64) -> StatsReport {
        var report = InventedCall.receiving(second)
        report.inboundRTP[0].ssrc = ssrc
        return report
    }

    /// What a subscriber knows of its publisher's estimate, after two publishers and it were replayed.
    private static func known(ssrc: UInt64, recordings: (Int, Int, Int) = (0, 1, 2)) -> Double? {
        var replay = CallReplay()
        for second in 1...10 {
            let one = InventedCall.record(second, sending(second, ssrc: 11, estimate: 500_000), "one")
            let two = InventedCall.record(second, sending(second, ssrc: 22, estimate: 900_000), "two")
            replay.handle(one, recording: recordings.0)
            replay.handle(two, recording: recordings.1)
            replay.handle(
                InventedCall.record(second, receiving(second, ssrc: ssrc), "receiver"),
                recording: recordings.2)
        }
        guard case .subscriber(let observation)? = replay.timeline.views.last?.observations.last?.content
        else {
            return nil
        }
        return observation.remotePublisherTransport?.connectionEstimatedBandwidth
    }

    @Test("who sends the SSRCs that arrive is the publisher, of several, in any recording")
    func bySSRC() {
        #expect(Self.known(ssrc: 11) == 500_000)
        #expect(Self.known(ssrc: 22) == 900_000)
        #expect(Self.known(ssrc: 22, recordings: (0, 0, 0)) == 900_000)
    }

    @Test("an SSRC is whose last report has it")
    func changed() {
        var replay = CallReplay()
        for second in 1...10 {
            // From the sixth second on they have each other's.
            let ssrcs: (UInt64, UInt64) = second < 6 ? (11, 22) : (22, 11)
            replay.handle(
                InventedCall.record(
                    second, Self.sending(second, ssrc: ssrcs.0, estimate: 500_000), "one"), recording: 0)
            replay.handle(
                InventedCall.record(
                    second, Self.sending(second, ssrc: ssrcs.1, estimate: 900_000), "two"), recording: 1)
            replay.handle(
                InventedCall.record(second, Self.receiving(second, ssrc: 11), "receiver"), recording: 2)
        }
        let known = replay.timeline.views.last?.observations.map { observation -> Double? in
            guard case .subscriber(let received) = observation.content else { return nil }
            return received.remotePublisherTransport?.connectionEstimatedBandwidth
        }
        #expect(known?.prefix(5).last == 500_000 && known?.last == 900_000)
    }

    @Test("where a server has changed the SSRCs, one of several publishers is not guessed")
    func rewritten() {
        #expect(Self.known(ssrc: 33) == nil)
    }
}
