// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("The jitter of frames and that of the path")
struct JitterTests {
    /// A publisher of audio and of one layer of frames.
    private static func publisher(frameRate: Double, sendDelay: Double?) -> CallScenario {
        var intent = MediaIntent.simulcast(q: false, f: false)
        intent.video?.layers?.removeAll { !$0.enabled }
        var scenario = CallScenario.publisher(intent)
        scenario.call.sent.remove(at: 3)
        scenario.call.sent.remove(at: 1)
        scenario.call.sent[1].frameRate = frameRate
        scenario.call.sent[1].sendDelay = sendDelay
        scenario.call.capturedFrameRate = frameRate
        return scenario
    }

    /// The jitter of few and large frames on a path that has none: it climbs to the time over which the pacer
    /// spreads their packets, 5 frames a second and 16 of them in the estimate's memory.
    private static let pacedJitter = [
        1, 8, 16, 28, 37, 50, 55, 62, 70, 70, 75, 82, 80, 84, 81, 85, 86, 88, 87,
    ]

    @Test("Packets that the pacer spreads are no jitter of the path", arguments: [0.041, nil], [1.0, 2])
    func paced(sendDelay: Double?, size: Double) {
        var scenario = Self.publisher(frameRate: 5, sendDelay: sendDelay.map { $0 * size })
        scenario.call.sent[0].jitter = 0.000_02
        for jitter in Self.pacedJitter {
            scenario.call.sent[1].jitter = Double(jitter) * size / 1000
            scenario.run(.init(1))
        }
        let causes = scenario.published.map(\.diagnosis.cause)
        #expect(causes.dropFirst(3).allSatisfy { $0 == .none }, "\(causes)")
        #expect(CleanCallTests.alarms(scenario).isEmpty)
        #expect(scenario.published.last?.video.first?.jitter ?? 0 > 0.08)
    }

    @Test("Jitter that wavers about a threshold stays what it was; what is clearly below it is over")
    func wavering() {
        var scenario = CallScenario.subscriber()
        scenario.run([.init(12), .init(4, jitter: 0.022)])
        for second in 0..<12 { scenario.run(.init(1, jitter: second % 4 == 0 ? 0.021 : 0.019)) }
        let causes = scenario.subscribed.suffix(12).map(\.diagnosis.cause)
        #expect(causes.allSatisfy { $0 == .jitter }, "\(causes)")
        scenario.run(.init(8, jitter: 0.012))
        #expect(scenario.subscribed.last?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test("What the pacer does not explain is the path's, before reports about audio arrive")
    func pathBesidePacing() {
        var scenario = Self.publisher(frameRate: 30, sendDelay: 0.004)
        scenario.run(.init(15, jitter: 0.009))
        scenario.call.sent[1].jitter = 0.047
        scenario.run(.init(3))
        #expect(scenario.published.last?.diagnosis.cause == .jitter)
    }

    @Test("Frames that leave an encoder whenever it is done with them jitter on any path")
    func lateFrames() {
        var scenario = Self.publisher(frameRate: 30, sendDelay: 0.004)
        scenario.run(.init(15, jitter: 0.004))
        (scenario.call.sent[1].frameRate, scenario.call.sent[1].codingShare) = (8, 0.9)
        scenario.call.capturedFrameRate = 8
        scenario.call.sent[1].jitter = 0.06
        scenario.run(.init(5))
        // RTCP reports a second later.
        (scenario.call.sent[1].frameRate, scenario.call.sent[1].codingShare) = (30, 0.2)
        scenario.call.capturedFrameRate = 30
        scenario.run(.init(2))
        let causes = scenario.published.suffix(7).map(\.diagnosis.cause)
        #expect(!causes.contains(.jitter), "\(causes)")
        // An encoder that makes all of its frames in time has none of that.
        scenario.call.sent[1].codingShare = 0.9
        scenario.run(.init(8))
        #expect(scenario.published.last?.diagnosis.cause == .jitter)
    }

    @Test(
        "Without audio, frames count, with twice the thresholds", arguments: [(0.039, false), (0.041, true)])
    func videoAlone(jitter: Double, isBad: Bool) {
        var scenario = Self.publisher(frameRate: 30, sendDelay: nil)
        scenario.call.sent.remove(at: 0)
        scenario.intent.audio = AudioIntent(enabled: false)
        scenario.run([.init(12), .init(4, jitter: jitter)])
        #expect(scenario.published.last?.diagnosis.cause == (isBad ? .jitter : Diagnosis.Cause.none))
    }

    @Test("A subscriber goes by audio, which is not paced; without it by frames")
    func subscriber() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(12, jitter: 0.001))
        scenario.call.received[1].jitter = 0.085
        scenario.run(.init(8))
        #expect(scenario.subscribed.last?.diagnosis.cause == Diagnosis.Cause.none)
        scenario.call.received[0].isActive = false
        scenario.intent.audio?.enabled = false
        scenario.run(.init(4))
        #expect(scenario.subscribed.last?.diagnosis.cause == .jitter)
        scenario.call.received[0].isActive = true
        scenario.intent.audio?.enabled = true
        scenario.run(.init(8))
        #expect(scenario.subscribed.last?.diagnosis.cause == Diagnosis.Cause.none)
    }
}
