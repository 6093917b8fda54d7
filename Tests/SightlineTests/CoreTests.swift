// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import MediaPolicy
import SessionWire
import Testing

@testable import Sightline

@Suite("Pure cores")
struct CoreTests {
    private let local = ICECandidate(mid: "0", lineIndex: 0, candidate: "candidate:l")
    private let remote = LegCandidate(leg: "pub-1", mid: "0", lineIndex: 0, candidate: "candidate:r")

    @Test("Candidates are held back on both sides until offer and answer have met")
    func negotiation() {
        var negotiation = LegNegotiation(leg: "pub-1")
        #expect(negotiation.found(local) == .init())
        #expect(negotiation.gatheringCompleted() == .init())
        #expect(negotiation.received(remote) == .init())
        let step = negotiation.answered()
        #expect(step.send.map(\.candidate) == ["candidate:l", ""])
        #expect(step.add.map(\.candidate) == ["candidate:r"])
        #expect(negotiation.answered() == .init())
        #expect(negotiation.found(local).send.count == 1)
        #expect(negotiation.received(remote).add.count == 1)
        negotiation.close()
        #expect(negotiation.found(local) == .init())
        #expect(negotiation.received(remote) == .init())
    }

    @Test("A flood of early candidates is bounded, and the server's end of candidates needs no call")
    func candidateFlood() {
        var negotiation = LegNegotiation(leg: "pub-1")
        for _ in 0..<1000 {
            _ = negotiation.found(local)
            _ = negotiation.received(remote)
        }
        let step = negotiation.answered()
        #expect(step.send.count == LegNegotiation.limit)
        #expect(step.add.count == LegNegotiation.limit)
        #expect(
            negotiation.received(LegCandidate(leg: "pub-1", mid: nil, lineIndex: nil, candidate: ""))
                == .init())
    }

    @Test("A subscription tells nothing twice, and nothing before media has begun")
    func subscriptionState() {
        var state = SubscriptionState(publisherHasVideo: true, subscribesToVideo: true)
        #expect(state.broke(.path) == [])
        #expect(state.cleared(.path) == [])
        #expect(state.audioArrived() == [])
        #expect(state.videoArrived() == [.didConnectToStream])
        #expect(state.videoArrived() == [])
        #expect(state.broke(.path) == [.didDisconnectFromStream])
        #expect(state.broke(.path) == [])
        #expect(state.videoArrived() == [])
        #expect(state.cleared(.path) == [.didReconnectToStream])
        #expect(state.cleared(.path) == [])
    }

    @Test("A subscription is back when nothing is in the way any more")
    func obstacles() {
        var state = SubscriptionState(publisherHasVideo: true, subscribesToVideo: true)
        _ = state.videoArrived()
        #expect(state.broke(.silence) == [.didDisconnectFromStream])
        #expect(state.broke(.path) == [])
        #expect(state.broke(.otherEnd) == [])
        #expect(state.cleared(.path) == [])
        #expect(state.videoArrived() == [])
        #expect(state.cleared(.otherEnd) == [.didReconnectToStream])
    }

    @Test("What was in the way before media began is forgotten when it begins")
    func earlyObstacles() {
        var state = SubscriptionState(publisherHasVideo: true, subscribesToVideo: true)
        #expect(state.broke(.silence) == [])
        #expect(state.videoArrived() == [.didConnectToStream])
        #expect(state.cleared(.silence) == [])
        #expect(state.broke(.silence) == [.didDisconnectFromStream])
    }

    @Test(
        "Nothing for three seconds that should have come is silence",
        arguments: [
            // Total of packets and whether some are due, once a second; whether it is silent at the end.
            ([(10, true), (20, true), (20, true), (20, true)], false),
            ([(10, true), (20, true), (20, true), (20, true), (20, true)], true),
            ([(10, true), (10, true), (10, true), (11, true), (11, true)], false),
            ([(10, true), (10, true), (10, false), (10, true), (10, true)], false),
            ([(nil, true), (nil, true), (nil, true), (nil, true)], true),
            ([(10, true), (10, true), (10, true), (10, true), (0, true)], false),
        ] as [([(UInt64?, Bool)], Bool)])
    func silence(ticks: [(UInt64?, Bool)], isSilent: Bool) {
        var watch = ArrivalWatch(limit: .seconds(3))
        var last = false
        for (second, tick) in ticks.enumerated() {
            last = watch.handle(packets: tick.0, isExpected: tick.1, at: .seconds(second))
        }
        #expect(last == isSilent)
    }

    @Test("After a restart candidates wait for the answer again")
    func candidatesOfRestart() {
        var negotiation = LegNegotiation(leg: "pub-1")
        _ = negotiation.answered()
        negotiation.restart()
        #expect(negotiation.found(local) == .init())
        #expect(negotiation.received(remote) == .init())
        let step = negotiation.answered()
        #expect(step.send.count == 1)
        #expect(step.add.count == 1)
    }

    @Test("The first attempt is made at once, the others after growing waits, and none after the end")
    func reconnectionPlan() {
        var plan = ReconnectionPlan()
        var generator = SystemRandomNumberGenerator()
        #expect(plan.next(remaining: .seconds(60), using: &generator) == .zero)
        for longest in [0.3, 0.6, 1, 1.5, 1.5, 1.5] {
            let wait = plan.next(remaining: .seconds(60), using: &generator)
            #expect(wait.map { (.seconds(longest / 2)...Duration.seconds(longest)).contains($0) } == true)
        }
        #expect(plan.next(remaining: .milliseconds(700), using: &generator) == nil)
        #expect(plan.next(remaining: .zero, using: &generator) == nil)
    }

    @Test("Video is off while anyone has it off; the reasons say who")
    func videoState() {
        var state = SubscriptionState(publisherHasVideo: true, subscribesToVideo: true)
        #expect(state.publisherChanged(hasVideo: true) == [])
        #expect(state.publisherChanged(hasVideo: false) == [.videoDisabled(.publisherPropertyChanged)])
        #expect(state.subscriberChanged(toVideo: false) == [])
        #expect(state.publisherChanged(hasVideo: true) == [])
        #expect(!state.expectsVideo)
        #expect(state.subscriberChanged(toVideo: true) == [.videoEnabled(.subscriberPropertyChanged)])
        #expect(state.fallbackChanged(to: .off) == [.videoDisabled(.qualityChanged)])
        #expect(state.fallbackChanged(to: .on) == [.videoEnabled(.qualityChanged)])
        var silent = SubscriptionState(publisherHasVideo: false, subscribesToVideo: true)
        #expect(silent.audioArrived() == [.didConnectToStream])
    }

    @Test("Fallback warns, lifts, switches off and on, each once; no one is warned of what is off already")
    func fallbackState() {
        var state = SubscriptionState(publisherHasVideo: true, subscribesToVideo: true)
        #expect(state.fallbackChanged(to: .warned) == [.videoDisableWarning])
        #expect(state.fallbackChanged(to: .warned) == [])
        #expect(state.fallbackReported(isOff: false) == [])
        #expect(state.fallbackChanged(to: .on) == [.videoDisableWarningLifted])
        #expect(state.fallbackChanged(to: .warned) == [.videoDisableWarning])
        #expect(state.fallbackChanged(to: .off) == [.videoDisabled(.qualityChanged)])
        #expect(!state.expectsVideo)
        #expect(state.fallbackReported(isOff: true) == [])
        #expect(state.fallbackReported(isOff: false) == [.videoEnabled(.qualityChanged)])
        #expect(state.fallbackReported(isOff: true) == [.videoDisabled(.qualityChanged)])
        #expect(state.publisherChanged(hasVideo: false) == [])
        #expect(state.fallbackChanged(to: .on) == [])
        #expect(state.fallbackChanged(to: .warned) == [])
        #expect(
            state.publisherChanged(hasVideo: true) == [
                .videoEnabled(.publisherPropertyChanged), .videoDisableWarning,
            ])
        #expect(state.subscriberChanged(toVideo: false) == [.videoDisabled(.subscriberPropertyChanged)])
    }

    @Test(
        "The automatic ladder has the layers that the engine can encode, with bitrates to match",
        arguments: [
            (1920, 1080, ["q", "h", "f"], [4.0, 2, 1]), (1280, 720, ["q", "h", "f"], [4.0, 2, 1]),
            (640, 360, ["h", "f"], [2.0, 1]), (480, 270, ["h", "f"], [2.0, 1]), (320, 180, [], [1.0]),
            (16, 16, [], [1.0]),
        ])
    func ladder(_ width: Int, _ height: Int, _ rids: [String], _ scales: [Double]) throws {
        let layers = try Simulcast.automatic.encodings(for: VideoSize(width: width, height: height))
        #expect(layers.compactMap(\.rid) == rids)
        #expect(layers.map(\.scaleResolutionDownBy) == scales)
        let bitrates = layers.compactMap(\.maxBitrate)
        #expect(bitrates == bitrates.sorted())
        #expect(bitrates.count == scales.count)
    }

    @Test("The rungs that the design names have their bitrates")
    func rungs() throws {
        let bitrates = try Simulcast.automatic.encodings(for: VideoSize(width: 1280, height: 720)).map(
            \.maxBitrate)
        #expect(bitrates == [150_000, 500_000, 1_500_000])
        #expect(try Simulcast.off.encodings(for: VideoSize(width: 1280, height: 720)).map(\.rid) == [nil])
        #expect(Simulcast.bitrate(for: VideoSize(width: .max, height: .max)) == 3_000_000)
    }

    @Test("Ticks keep their times; those that are missed fall out")
    func schedule() {
        var schedule = TickSchedule(interval: .seconds(1), start: .seconds(10))
        #expect(schedule.wait(at: .seconds(10.25)) == .seconds(0.75))
        #expect(schedule.wait(at: .seconds(11)) == .seconds(1))
        #expect(schedule.wait(at: .seconds(14.5)) == .seconds(0.5))
        #expect(schedule.skipped == 2)
        #expect(schedule.wait(at: .seconds(16)) == .zero)
        #expect(schedule.skipped == 2)
    }

    @Test("A recovery has as many attempts as waits")
    func recovery() {
        var plan = RecoveryPlan(waits: [.zero, .seconds(1)])
        #expect(plan.next() == .zero)
        #expect(plan.next() == .seconds(1))
        #expect(plan.next() == nil)
        #expect(plan.attempts == 2)
        #expect(RecoveryPlan.isWorthRetrying(SightlineError(.routerUnavailable, "")))
        #expect(!RecoveryPlan.isWorthRetrying(SightlineError(.connectionLost, "")))
    }

    @Test("Facts carry the age that the server states plus the time since they came")
    func facts() throws {
        var sample = StreamSample()
        sample.networkCondition = .good
        sample.connectionEstimatedBandwidth = 1000
        let publisher = SessionProtocol_LegFacts.Publisher(capturedAt: 0, age: 500, sample: sample)
        var book = RemoteMetricsCache()
        #expect(
            book.takeRemoteMetrics(at: .zero, senderStatsTrack: true) == RemoteMetrics(senderStatsTrack: true)
        )
        book.take(
            .init(
                leg: "sub-1", capturedAt: 0, publisher: publisher,
                uplink: .init(networkCondition: .fair, networkConditionReason: .packetLoss),
                pathTiming: .init(capacityBound: 1_000_000, sustainedDelay: 0.02)),
            at: .seconds(10))
        let remote = book.takeRemoteMetrics(at: .seconds(12), senderStatsTrack: false)
        #expect(remote.publisher?.age == 2.5)
        #expect(remote.publisher?.value.transport?.networkCondition == .good)
        #expect(remote.publisher?.value.transport?.networkConditionReason == .unknown)
        #expect(
            remote.uplink?.value
                == TransportStats(networkCondition: .fair, networkConditionReason: .packetLoss))
        #expect(remote.uplink?.age == 2)
        #expect(
            remote.pathTimings == [
                Aged(PathTiming(capacityBound: 1_000_000, sustainedDelay: 0.02), age: 2)
            ])
        #expect(remote.leg == nil)
        #expect(book.isFresh(at: .seconds(13)))
        #expect(!book.isFresh(at: .seconds(13.1)))
    }

    @Test("Each report takes what packets have shown of the uplink since the one before")
    func pathTimings() {
        var cache = RemoteMetricsCache()
        for (second, delay) in [(1.0, 0.01), (2, 0.05)] {
            let timing = PathTiming(capacityBound: 1_000_000, sustainedDelay: delay)
            let facts = LegMetrics(leg: "pub-1", capturedAt: 0, pathTiming: timing)
            cache.take(facts, at: .seconds(second))
        }
        // What comes without packets is no second of them.
        cache.take(LegMetrics(leg: "pub-1", capturedAt: 0), at: .seconds(3))
        let remote = cache.takeRemoteMetrics(at: .seconds(3), senderStatsTrack: true)
        #expect(remote.pathTimings?.map(\.age) == [2, 1])
        #expect(remote.pathTimings?.map(\.value.sustainedDelay) == [0.01, 0.05])
        let next = cache.takeRemoteMetrics(at: .seconds(4), senderStatsTrack: true)
        #expect(next.pathTimings == nil)
    }

    @Test("What the server finds by comparing is as old as its facts, however old the publisher's are")
    func comparedSide() {
        let publisher = LegMetrics.Publisher(capturedAt: 0, age: 60_000, sample: StreamSample())
        var cache = RemoteMetricsCache()
        var facts = LegMetrics(leg: "sub-1", capturedAt: 0, publisher: publisher)
        facts.networkDegradationSource = .server
        cache.take(facts, at: .zero)
        let remote = cache.takeRemoteMetrics(at: .seconds(2), senderStatsTrack: false)
        #expect(remote.router == Aged(.server, age: 2) && remote.comparedSide(youngerThan: 6) == .server)
        #expect(
            remote.comparedSide(youngerThan: 1) == nil && remote.publisher?.value.degradationSource == nil)
        facts.networkDegradationSource = .local
        cache.take(facts, at: .zero)
        let relayed = cache.takeRemoteMetrics(at: .zero, senderStatsTrack: false)
        #expect(relayed.router == nil && relayed.comparedSide(youngerThan: 90) == .local)
    }

    @Test("Counters that come at once, after a line was full, are all taken, each once")
    func countersAtOnce() {
        var cache = RemoteMetricsCache()
        for time in [1.0, 2, 3] {
            let counters = LegCounters(timestamp: time, bytesReceived: nil, packetsReceived: nil)
            cache.take(LegMetrics(leg: "sub-1", capturedAt: 0, counters: counters), at: .zero)
        }
        cache.take(LegMetrics(leg: "sub-1", capturedAt: 0), at: .zero)
        #expect(cache.takeCounters().map(\.timestamp) == [1, 2, 3])
        #expect(cache.takeCounters().isEmpty)
    }

    private typealias SessionProtocol_LegFacts = LegMetrics

    @Test(
        "Addresses become hosts, ports and paths",
        arguments: [
            ("ws://a", "ws://a", "a", 80, "/v1/session"), ("wss://a/", "wss://a", "a", 443, "/v1/session"),
            ("http://a:8080", "ws://a:8080", "a", 8080, "/v1/session"),
            ("HTTPS://a:9/x/y?z=1", "wss://a:9", "a", 9, "/x/y?z=1"),
            ("ws://[::1]:8080", "ws://[::1]:8080", "::1", 8080, "/v1/session"),
        ])
    func addresses(_ url: String, _ shown: String, _ host: String, _ port: Int, _ path: String) throws {
        let address = try SignalingAddress(url)
        #expect(address.description == shown)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.path == path)
    }

    @Test(
        "Addresses that cannot be are refused",
        arguments: ["ws://a:0", "ws://a:70000", "ws://u:p@a", "a b", "ws://a#f"])
    func badAddresses(_ url: String) {
        #expect(throws: SightlineError.self) { _ = try SignalingAddress(url) }
    }

    @Test("What a tick caused reaches the callbacks with the figures of its own connection, and what changed")
    func statsEvents() throws {
        let change = NetworkConditionChange(connectionId: "b", subscriberId: "2", from: .good, to: .fair)
        let limit = VideoQualityChange(
            .qualityDegradationBandwidth, .recover, connectionId: "b", subscriberId: "2")
        let ends = [("a", "1"), ("b", "2")]
        let legs = ends.map { connectionId, subscriberId in
            var leg = PublishedLeg(timestamp: 5, connectionId: connectionId, subscriberId: subscriberId)
            leg.video = MediaFigures()
            return leg
        }
        let links = legs.map { PublisherMediaLinkStats($0) }
        let videos = legs.compactMap { PublisherVideoNetworkStats($0) }
        let published = PublisherObservation(
            timestamp: 5, legs: legs,
            events: [.networkConditionChanged(change), .videoQualityChanged(limit)])
        #expect(
            published.statsEvents == [
                .videoNetworkStatsUpdated(videos), .mediaLinkStatsUpdated(links),
                .networkConditionChanged(links[1], change), .videoQualityChanged(videos[1], limit),
            ])
        let codec = VideoQualityChange(.codecChange)
        var received = SubscriberObservation(
            timestamp: 5, events: [.networkConditionChanged(change), .videoQualityChanged(codec)])
        let stats = SubscriberMediaLinkStats(received)
        let link = SubscriberNetworkStatsEvent.mediaLinkStatsUpdated(stats)
        let condition = SubscriberNetworkStatsEvent.networkConditionChanged(stats, change)
        #expect(received.statsEvents == [link, condition])
        received.video = MediaFigures()
        let video = try #require(SubscriberVideoNetworkStats(received))
        #expect(
            received.statsEvents == [
                .videoNetworkStatsUpdated(video), link, condition, .videoQualityChanged(video, codec),
            ])
    }

    @Test("A hub loses the oldest of a slow listener's samples, and ends all that listen")
    func hub() async {
        let hub = EventHub<Int>(.bufferingNewest(3))
        let listener = hub.events()
        for number in 1...10 { hub.send(number) }
        hub.finish()
        hub.send(11)
        #expect(await all(of: listener) == [8, 9, 10])
        #expect(await all(of: hub.events()).isEmpty)
    }
}
