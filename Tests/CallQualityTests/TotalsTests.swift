// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("Totals that belong to the stream")
struct TotalsTests {
    @Test("Totals continue when the peer connection is replaced")
    func replacement() throws {
        var call = ScriptedCall.simulcastPublisher()
        var observer = PublisherObserver()
        call.advance(10)
        let before = try #require(observer.handle(call.report()).legs.first)
        call.replacePeerConnection()
        call.advance(1)
        let after = try #require(observer.handle(call.report()).legs.first)
        #expect(before.video?.packets == 2600)
        #expect(after.video?.packets == 2860)
        #expect(after.videoDetails.startTime == before.videoDetails.startTime)
        #expect(abs((after.video?.bitrate ?? 0) - 2_080_000) < 20_000)
    }

    @Test("A subscriber's totals continue over a new SSRC and counters that start over")
    func subscriberReset() throws {
        var call = ScriptedCall.subscriber()
        call.setLoss(0.1)
        var observer = SubscriberObserver()
        call.advance(10)
        let before = try #require(observer.handle(call.report(), intent: .subscription()).video)
        call.received[1].reset()
        call.advance(2)
        let after = try #require(observer.handle(call.report(), intent: .subscription()).video)
        #expect(after.packets == (before.packets ?? 0) + 180)
        #expect(after.packetsLost == (before.packetsLost ?? 0) + 20)
        #expect(after.frameRate == 30)
    }

    @Test("A routed total continues from the largest relayed one, and in reverse")
    func routingChange() throws {
        var observer = PublisherObserver()
        let alice = SubscriberConnection(connectionId: "a", subscriberId: "1")
        let bob = SubscriberConnection(connectionId: "b", subscriberId: "2")
        var toAlice = ScriptedCall.simulcastPublisher()
        var toBob = toAlice
        toAlice.advance(10)
        toBob.advance(4)
        let relayed = observer.handle([
            ConnectionReport(toAlice.report(), connection: alice),
            ConnectionReport(toBob.report(), connection: bob),
        ])
        #expect(relayed.video.map(\.packets) == [2600, 1040])
        #expect(relayed.legs.map(\.subscriberId) == ["1", "2"])
        var routed = ScriptedCall.simulcastPublisher()
        routed.stepClock(seconds: 10)
        routed.advance(1)
        let after = observer.handle(routed.report())
        #expect(after.video.map(\.packets) == [2860])
        let start = relayed.legs.compactMap(\.videoDetails.startTime).min()
        #expect(start != nil && after.legs.first?.videoDetails.startTime == start)
        toBob.stepClock(seconds: 8)
        toBob.advance(1)
        let back = observer.handle([ConnectionReport(toBob.report(), connection: bob)])
        #expect(back.video.map(\.packets) == [3120])
    }

    @Test("A connection that was not observed for a while is not judged by the time between")
    func resumedConnection() throws {
        var observer = PublisherObserver()
        let bob = SubscriberConnection(connectionId: "b", subscriberId: "2")
        var toBob = ScriptedCall.simulcastPublisher()
        for _ in 0..<3 {
            toBob.advance(1)
            _ = observer.handle([ConnectionReport(toBob.report(), connection: bob)])
        }
        var routed = ScriptedCall.simulcastPublisher()
        routed.stepClock(seconds: 3)
        for _ in 0..<8 {
            routed.advance(1)
            _ = observer.handle(routed.report())
        }
        toBob.stepClock(seconds: 8)
        toBob.advance(1)
        let first = observer.handle([ConnectionReport(toBob.report(), connection: bob)])
        #expect(first.video.first?.bitrate == nil)
        #expect(!first.events.contains { $0.isAlarm })
        toBob.advance(1)
        let second = observer.handle([ConnectionReport(toBob.report(), connection: bob)])
        #expect(second.video.first?.capturedFrameRate == 30)
        #expect(second.video.first?.bitrate ?? 0 > 0)
    }

    @Test("A figure no one reported is nil, not zero")
    func absent() throws {
        var observer = SubscriberObserver()
        var entry = InboundRTPStats(id: "I", timestamp: 1_000_000)
        entry.kind = .video
        var report = StatsReport(timestamp: 1_000_000)
        report.inboundRTP = [entry]
        let video = try #require(observer.handle(report).video)
        #expect(video.packetsLost == nil && video.packets == nil && video.bitrate == nil)
        #expect(video.freezeCount == nil && video.pauseCount == nil && video.frameRate == nil)
        #expect(observer.handle(StatsReport(timestamp: 1_001_000)).audio == nil)
    }

    @Test(
        "After a step of the clock there is a tick without rates, and totals continue",
        arguments: [-3600.0, 3600])
    func clockStep(seconds: Double) throws {
        var call = ScriptedCall.subscriber()
        var observer = SubscriberObserver()
        call.advance(5)
        _ = observer.handle(call.report())
        call.stepClock(seconds: seconds)
        call.advance(1)
        let stepped = try #require(observer.handle(call.report()).video)
        #expect(stepped.bitrate == nil && stepped.frameRate == nil)
        #expect(stepped.packets == 600)
        call.advance(1)
        let next = try #require(observer.handle(call.report()).video)
        #expect(next.bitrate == 800_000)
    }

    @Test("A late report changes nothing, unless the clock was set back in an idle call")
    func lateReports() throws {
        var call = ScriptedCall.subscriber()
        var observer = SubscriberObserver()
        call.advance(1)
        let early = call.report()
        call.advance(1)
        let late = call.report()
        let seen = observer.handle(late)
        var expected = seen
        expected.events = []
        #expect(observer.handle(early) == expected)
        #expect(observer.handle(late) == expected)
        call.setFlowing(false)
        call.stepClock(seconds: -100)
        var stamps: [Double] = []
        for _ in 0..<4 {
            call.advance(1)
            stamps.append(observer.handle(call.report()).timestamp)
        }
        #expect(stamps == [late.timestamp, late.timestamp, call.time - 1000, call.time])
    }

    @Test("A member that is missing in one report makes no peak in the next")
    func missingMember() throws {
        var call = ScriptedCall.subscriber()
        var observer = SubscriberObserver()
        var rates: [Double?] = []
        for second in 0..<4 {
            call.advance(1)
            var report = call.report()
            if second == 2 { report.inboundRTP[1].bytesReceived = nil }
            rates.append(observer.handle(report).video?.bitrate)
        }
        #expect(rates == [nil, 800_000, nil, 800_000])
    }

    @Test("Several streams on one peer connection are distinguished by their media sections")
    func sharedTransport() throws {
        var call = ScriptedCall()
        call.received = [.video(ssrc: 1, packetRate: 50), .video(ssrc: 2, packetRate: 100)]
        for index in call.received.indices { call.received[index].mid = "\(index)" }
        var transport = TransportObserver()
        var observers = [SubscriberObserver(), SubscriberObserver()]
        let intents = (0..<2).map { index in
            var intent = MediaIntent.subscription()
            intent.video?.mid = "\(index)"
            return intent
        }
        var received: [UInt64?] = []
        for _ in 0..<3 {
            call.advance(1)
            let seen = transport.handle(call.report(), intents: intents)
            #expect(seen.downlink.bandwidthDemand == 1_664_000)
            received = observers.indices.map {
                observers[$0].handle(call.report(), transport: seen, intent: intents[$0]).video?.packets
            }
        }
        #expect(received == [150, 300])
    }
}
