// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("Video quality changed")
struct VideoQualityTests {
    /// The publisher's video quality events.
    static func published(_ scenario: CallScenario) -> [StreamEvent] {
        scenario.published.flatMap(\.events).filter {
            if case .videoQualityChanged = $0 { true } else { false }
        }
    }

    static func subscribed(_ scenario: CallScenario) -> [StreamEvent] {
        scenario.subscribed.flatMap(\.events).filter {
            if case .videoQualityChanged = $0 { true } else { false }
        }
    }

    @Test(
        "A publisher is notified of a limit and of its end, and of which",
        arguments: [
            (
                OutboundRTPStats.QualityLimitationReason.bandwidth,
                VideoEventReason.qualityDegradationBandwidth
            ),
            (.cpu, .qualityDegradationCPU), (.other, .qualityDegradationOther),
        ])
    func limitation(reason: OutboundRTPStats.QualityLimitationReason, expected: VideoEventReason) {
        var scenario = CallScenario.publisher()
        scenario.run(.init(5, estimate: 2_500_000))
        for index in scenario.call.sent.indices { scenario.call.sent[index].limitation = reason }
        scenario.run(.init(6))
        for index in scenario.call.sent.indices { scenario.call.sent[index].limitation = .notLimited }
        scenario.run(.init(6))
        let events = Self.published(scenario)
        #expect(
            events == [
                .videoQualityChanged(VideoQualityChange(expected)),
                .videoQualityChanged(VideoQualityChange(expected, .recover)),
            ])
        #expect(events.map(\.isAlarm) == [true, false])
    }

    @Test("Bandwidth is no limit while the estimate has room for much more, unless a layer is off")
    func room() {
        for (estimate, isLayerOff, isExpected) in [
            (5_000_000.0, false, false), (2_500_000, false, true), (5_000_000, true, true),
        ] {
            var scenario = CallScenario.publisher()
            scenario.run(.init(15, estimate: estimate))
            if isLayerOff {
                scenario.call.sent[3].packetRate = 0
                scenario.call.sent[3].frameRate = 0
            }
            scenario.run(.init(10, isLimited: true))
            let limits = Self.published(scenario).filter {
                $0 == .videoQualityChanged(VideoQualityChange(.qualityDegradationBandwidth))
            }
            #expect(limits.isEmpty == !isExpected, "\(estimate) \(isLayerOff)")
        }
    }

    @Test("A limit of less than two seconds, and one while the call starts, is no event")
    func shortLimit() {
        var scenario = CallScenario.publisher()
        scenario.run([.init(6, isLimited: true), .init(4, isLimited: false), .init(1, isLimited: true)])
        scenario.run(.init(5, isLimited: false))
        #expect(Self.published(scenario).isEmpty)
    }

    @Test("A change of codec, and one of resolution, is information")
    func changes() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(3))
        for index in scenario.call.sent.indices where index > 0 { scenario.call.sent[index].codec = "H264" }
        scenario.run(.init(2))
        scenario.call.sent[3].size = (960, 540)
        scenario.run(.init(2))
        let events = Self.published(scenario)
        #expect(
            events == [
                .videoQualityChanged(VideoQualityChange(.codecChange)),
                .videoQualityChanged(VideoQualityChange(.resolutionChange)),
            ])
        #expect(events.allSatisfy { !$0.isAlarm })
    }

    @Test(
        "Five seconds without a frame that was due are an interruption; four are not", arguments: [4, 5, 8])
    func interruption(seconds: Int) {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(5))
        scenario.call.received[1].isActive = false
        scenario.run(.init(seconds))
        scenario.call.received[1].isActive = true
        scenario.run(.init(3))
        let expected: [StreamEvent] =
            seconds < 5
            ? []
            : [
                .videoQualityChanged(VideoQualityChange(.videoInterruption)),
                .videoQualityChanged(VideoQualityChange(.videoInterruption, .recover)),
            ]
        #expect(Self.subscribed(scenario) == expected)
    }

    @Test("Nothing is interrupted that was switched off")
    func switchedOff() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(5))
        scenario.call.received[1].isActive = false
        scenario.intent = .subscription(isVideoOn: false)
        scenario.run(.init(10))
        #expect(Self.subscribed(scenario).isEmpty)
    }

    @Test("A new size and a new codec are information for a subscriber")
    func subscriberChanges() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(3))
        scenario.call.received[1].size = (320, 180)
        scenario.run(.init(2))
        scenario.call.received[1].codec = "VP9"
        scenario.run(.init(2))
        let events = Self.subscribed(scenario)
        #expect(
            events == [
                .videoQualityChanged(VideoQualityChange(.resolutionChange)),
                .videoQualityChanged(VideoQualityChange(.codecChange)),
            ])
        #expect(events.allSatisfy { !$0.isAlarm })
    }

    @Test("Each limit that begins ends: before another takes its place, and with the video")
    func pairs() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(5, estimate: 2_500_000))
        for reason in [OutboundRTPStats.QualityLimitationReason.bandwidth, .cpu] {
            for index in scenario.call.sent.indices { scenario.call.sent[index].limitation = reason }
            scenario.run(.init(6))
        }
        scenario.intent.video?.enabled = false
        scenario.run(.init(3))
        #expect(
            Self.published(scenario) == [
                .videoQualityChanged(VideoQualityChange(.qualityDegradationBandwidth)),
                .videoQualityChanged(VideoQualityChange(.qualityDegradationBandwidth, .recover)),
                .videoQualityChanged(VideoQualityChange(.qualityDegradationCPU)),
                .videoQualityChanged(VideoQualityChange(.qualityDegradationCPU, .recover)),
            ])
    }

    @Test("In a relayed session the change names the connection that it is about")
    func ofConnection() throws {
        let ends = ["a", "b"].map { SubscriberConnection(connectionId: $0, subscriberId: "of \($0)") }
        var calls = ends.map { _ in ScriptedCall.simulcastPublisher() }
        calls[1].estimate = 2_500_000
        var observer = PublisherObserver()
        var events: [StreamEvent] = []
        for second in 0..<20 {
            if second == 5 {
                for index in calls[1].sent.indices { calls[1].sent[index].limitation = .bandwidth }
            }
            for index in calls.indices { calls[index].advance(1) }
            events +=
                observer.handle(
                    zip(calls, ends).map { ConnectionReport($0.report(), connection: $1) },
                    intent: .simulcast()
                ).events
        }
        let changes = events.compactMap { event -> VideoQualityChange? in
            if case .videoQualityChanged(let change) = event { change } else { nil }
        }
        #expect(
            changes == [
                VideoQualityChange(
                    .qualityDegradationBandwidth, connectionId: "b", subscriberId: "of b")
            ])
    }
}
