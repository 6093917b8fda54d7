// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@testable import CallQuality

@Suite("Whether what a network test sends at first is too much for the path")
struct FirstMediaTests {
    /// Of media of which a share comes back, after a time.
    private func isTooMuch(share: Double, after seconds: Double) -> Bool {
        var media = FirstMedia()
        for tick in 0...Int((seconds * 40).rounded()) {
            let time = Double(tick) / 40
            media.add(Self.report(audio: UInt64(3 + 50 * share * time)), at: .seconds(time))
        }
        return media.isTooMuch
    }

    private static func report(audio packets: UInt64) -> StatsReport {
        var (audio, video) = (InboundRTPStats(id: "A", timestamp: 1), InboundRTPStats(id: "V", timestamp: 1))
        (audio.kind, audio.packetsReceived) = (.audio, packets)
        (video.kind, video.packetsReceived) = (.video, 1000)
        var report = StatsReport(timestamp: 1)
        report.inboundRTP = [audio, video]
        return report
    }

    @Test("on a line of 30 kbps a quarter comes back, which is seen in less than half a second")
    func narrow() {
        #expect(isTooMuch(share: 0.25, after: 0.45))
        #expect(isTooMuch(share: 0, after: 0.45))
        #expect(!isTooMuch(share: 0.25, after: 0.35))
    }

    @Test("loss with which media can be measured is not too much", arguments: [1, 0.9, 0.8])
    func lossy(share: Double) {
        for seconds in [0.4, 0.8, 1.5] { #expect(!isTooMuch(share: share, after: seconds)) }
    }
}
