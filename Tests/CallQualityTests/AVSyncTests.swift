// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing

/// Lips and voice: what the times of what is played say, and what they do not.
@Suite("Audio and video of one sender")
struct AVSyncTests {
    /// A subscriber whose audio and video are played so long after they were captured, after five seconds of both at once.
    private static func scenario(
        audio: Double?, video: Double?, _ intent: MediaIntent = .subscription(),
        change: (inout CallScenario) -> Void = { _ in }
    ) -> CallScenario {
        var scenario = CallScenario.subscriber(intent)
        for index in 0..<2 { scenario.call.received[index].playedAfter = 0.1 }
        scenario.run(.init(8))
        scenario.call.received[0].playedAfter = audio
        scenario.call.received[1].playedAfter = video
        change(&scenario)
        scenario.run(.init(20))
        return scenario
    }

    @Test(
        "The difference is above zero where audio is ahead, and below it where audio is behind",
        arguments: [(0.1, 0.25, 0.15), (0.25, 0.1, -0.15), (0.1, 0.1, 0)])
    func figure(audio: Double, video: Double, expected: Double) throws {
        let scenario = Self.scenario(audio: audio, video: video)
        let found = try #require(scenario.subscribed.last?.video?.avSync)
        #expect(abs(found - expected) < 1e-3)
        let sample = StreamSample(try #require(scenario.subscribed.last))
        #expect(sample.video?.avSync == found)
    }

    @Test(
        "People accept 90 ms of early audio and 185 ms of late audio (ITU-R BT.1359-1)",
        arguments: [
            (0.1, 0.189, MediaKind?.none), (0.1, 0.191, .video), (0.284, 0.1, nil), (0.286, 0.1, .audio),
        ])
    func thresholds(audio: Double, video: Double, late: MediaKind?) {
        let scenario = Self.scenario(audio: audio, video: video)
        let warnings = WarningTests.warnings(scenario, .outOfSync)
        #expect(warnings.map(\.media) == [late].compactMap(\.self))
        let diagnosis = scenario.subscribed.last?.diagnosis
        #expect(diagnosis?.cause == (late == nil ? Diagnosis.Cause.none : .outOfSync))
        if late != nil {
            #expect(diagnosis?.side == .bothOrUnclear && diagnosis?.direction == nil)
            #expect(diagnosis?.severity == .disturbing && diagnosis?.confidence == .medium)
        }
    }

    @Test("It takes 15 seconds, and is over when people no longer detect it", arguments: [0.06, 0.04])
    func hysteresis(left: Double) {
        var scenario = Self.scenario(audio: 0.1, video: 0.3) { $0.run(.init(4)) }
        let raised = scenario.subscribed.firstIndex { !$0.events.isEmpty && $0.diagnosis.cause == .outOfSync }
        // Eight good seconds; then 15 that are not.
        #expect(raised == 22)
        scenario.call.received[1].playedAfter = 0.1 + left
        scenario.run(.init(3))
        #expect(WarningTests.phases(scenario, .outOfSync).last == (left > 0.045 ? .trigger : .recover))
    }

    @Test("An engine catches up within seconds after a jump: that is none")
    func catchingUp() {
        var scenario = Self.scenario(audio: 0.1, video: 0.1)
        for step in 0..<20 {
            scenario.call.received[1].playedAfter = 0.1 + max(0, 0.4 - 0.025 * Double(step))
            scenario.run(.init(1))
        }
        #expect(WarningTests.warnings(scenario, .outOfSync).isEmpty)
    }

    @Test("A screen has no lips, and audio or video that is off or silenced has nothing to match")
    func excused() {
        var muted = MediaIntent.subscription()
        muted.audio?.muted = true
        for intent in [.subscription(videoType: .screen), .subscription(isVideoOn: false), muted] {
            let scenario = Self.scenario(audio: 0.1, video: 0.6, intent)
            #expect(WarningTests.warnings(scenario, .outOfSync).isEmpty)
            #expect(scenario.subscribed.last?.diagnosis.cause != .outOfSync)
        }
    }

    @Test(
        "Nothing is known without both times, while video stands still, and of clocks that are not one sender's"
    )
    func unknown() {
        let cases: [(Double?, Double?, (inout CallScenario) -> Void)] = [
            (nil, 0.6, { _ in }), (0.6, nil, { _ in }), (nil, nil, { _ in }),
            (0.1, 0.6, { $0.call.received[1].frameRate = 0 }),
            (0.1, 0.6, { $0.call.received[1].frameRate = 5 }),
            (0.1, 30, { _ in }),
        ]
        for (audio, video, change) in cases {
            let scenario = Self.scenario(audio: audio, video: video, change: change)
            #expect(scenario.subscribed.last?.video?.avSync == nil)
            #expect(WarningTests.warnings(scenario, .outOfSync).isEmpty)
        }
    }

    @Test("Which of two videos belongs to the audio no report says")
    func severalVideos() {
        var observer = ConnectionObserver(configuration: .extended)
        var call = ScriptedCall.subscriber()
        call.received.append(.video(ssrc: 13))
        for index in call.received.indices {
            call.received[index].mid = String(index)
            call.received[index].playedAfter = index == 0 ? 0.1 : 0.6
        }
        for _ in 0..<20 {
            call.advance(1)
            let result = observer.handle(call.report())
            #expect(result.received?.video?.avSync == nil)
            #expect(result.received?.diagnosis.cause != .outOfSync)
        }
    }

    @Test("What no one measures any more does not stay")
    func forgotten() {
        var scenario = Self.scenario(audio: 0.1, video: 0.3)
        #expect(scenario.subscribed.last?.diagnosis.cause == .outOfSync)
        scenario.call.received[0].playedAfter = nil
        scenario.run(.init(15))
        #expect(WarningTests.phases(scenario, .outOfSync) == [.trigger, .recover])
        #expect(scenario.subscribed.last?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test("A network that explains more goes before it")
    func network() {
        let scenario = Self.scenario(audio: 0.1, video: 0.3) { $0.call.setLoss(0.1) }
        #expect(scenario.subscribed.last?.diagnosis.cause == .packetLoss)
    }

    @Test("A real Chromium keeps both within what no one detects")
    func chromium() throws {
        var observer = SubscriberObserver(configuration: .extended)
        var offsets: [Double] = []
        for report in try Recordings.series("chromium_sub") {
            let seen = observer.handle(report)
            offsets += [seen.video?.avSync].compactMap(\.self)
            #expect(seen.diagnosis.cause != .outOfSync)
        }
        #expect(offsets.count > 10 && offsets.allSatisfy { (-0.03...0).contains($0) }, "\(offsets)")
    }
}
