// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import MediaPolicy
import SessionWire
import Sightline
import Synchronization
import Testing
import WebRTCStats

@Suite("Subscribing", .timeLimit(.minutes(1)))
struct SubscribeTests {
    @Test("the delegate of a subscriber that no one else holds hears its end")
    func endOfReleased() async throws {
        final class Listener: SubscriberDelegate, Sendable {
            let end = Mutex<SubscriptionEnd?>(nil)
            func subscriber(_ subscriber: Subscriber, didEnd end: SubscriptionEnd) {
                self.end.withLock { $0 = end }
            }
        }
        for _ in 0..<20 {
            let call = Call(), listener = Listener()
            do {
                let (subscriber, _) = try await call.subscribe(hasVideo: false)
                subscriber.delegate = listener
            }
            await call.session.disconnect()
            await eventually("the end") { listener.end.withLock { $0 } == .sessionDisconnected }
        }
    }

    @Test("A subscriber is connected to its stream when the first frame is decoded")
    func connects() async throws {
        let call = Call()
        let (subscriber, peer) = try await call.subscribe()
        var events = subscriber.events().makeAsyncIterator()
        #expect(peer.receivers == [.audio, .video])
        let video = try await peer.track(.video)
        var frames = subscriber.frames().makeAsyncIterator()
        let shown = Journal<UInt32?>()
        subscriber.setFrameHandler { shown.add($0.number) }
        video.show(7)
        video.show(8)
        #expect(await events.next() == .didConnectToStream)
        #expect(await frames.next()?.number == 7)
        #expect(await frames.next()?.number == 8)
        await eventually("the handler has seen both") { shown.entries == [7, 8] }
        try await call.session.unsubscribe(subscriber)
        #expect(await events.next() == .didEnd(.unsubscribed))
        #expect(await frames.next() == nil)
        #expect(peer.isClosed)
        #expect(!video.hasHandler)
        #expect(call.server.received.contains { $0.type == "unsubscribe" })
        await call.session.disconnect()
    }

    @Test("A stream counts as disconnected after the silence that the app has set", arguments: [2, 5])
    func silence(seconds: Double) async throws {
        let call = Call { $0.quality.disconnectAfterSilence = seconds }
        let (subscriber, peer) = try await call.subscribe()
        let events = subscriber.events()
        let heard = Journal<SubscriberLifeEvent>()
        let listening = Task { for await event in events { heard.add(event) } }
        peer.setStatistics { .audio(packets: UInt64(50 * min($0, 3)), at: Double($0) * 1000) }
        try await peer.track(.video).show(1)
        await call.elapsed(until: "three reports") { peer.reads == 3 }
        let passed = await call.elapsed(until: "the end of silence") {
            heard.entries.last == .didDisconnectFromStream
        }
        #expect(passed >= .seconds(seconds - 1) && passed <= .seconds(seconds + 2))
        await call.session.disconnect()
        await listening.value
    }

    @Test("The delegate of a subscriber hears what changed its video, with the video's figures")
    func videoQualityChanged() async throws {
        final class Listener: SubscriberNetworkStatsDelegate, Sendable {
            let heard = Journal<SubscriberNetworkStatsEvent>()
            func subscriber(
                _ subscriber: Subscriber, videoQualityChanged stats: SubscriberVideoNetworkStats,
                change: VideoQualityChange
            ) {
                heard.add(.videoQualityChanged(stats, change))
            }
        }
        let call = Call()
        let (subscriber, peer) = try await call.subscribe()
        let listener = Listener()
        subscriber.networkStatsDelegate = listener
        peer.setStatistics { .video(frames: UInt64(25 * $0), height: $0 < 4 ? 360 : 180) }
        await call.elapsed(until: "the change is heard") { !listener.heard.entries.isEmpty }
        guard case .videoQualityChanged(let stats, let change)? = listener.heard.entries.first else { return }
        #expect(change == VideoQualityChange(.resolutionChange))
        #expect(stats.height == 180 && stats.videoPacketsReceived != nil)
        await call.session.disconnect()
    }

    @Test("The app gets the track that is shown, and its pixels only while it wants them")
    func video() async throws {
        let call = Call()
        let (subscriber, peer) = try await call.subscribe()
        var tracks = subscriber.videoTracks().makeAsyncIterator()
        #expect(subscriber.videoTrack == nil)
        let video = try await peer.track(.video)
        let arrived = try #require(await tracks.next())
        #expect(arrived === video)
        #expect(subscriber.videoTrack === video)
        var frames = subscriber.frames().makeAsyncIterator()
        let shown = Journal<I420Frame>()
        #expect(!video.hasI420Handler)
        subscriber.setI420Handler { shown.add($1) }
        #expect(video.hasI420Handler)
        video.show(1)
        // Sizes and numbers are reported with the pixels as without them.
        #expect(await frames.next()?.number == 1)
        #expect(shown.entries.map(\.y.count) == [8])
        subscriber.setI420Handler(nil)
        #expect(!video.hasI420Handler && video.hasHandler)
        video.show(2)
        #expect(await frames.next()?.number == 2)
        #expect(shown.entries.count == 1)
        try await call.session.unsubscribe(subscriber)
        #expect(subscriber.videoTrack == nil)
        await call.session.disconnect()
    }

    @Test("A stream without video is connected when its first audio arrives")
    func connectsAudio() async throws {
        let call = Call()
        let (subscriber, peer) = try await call.subscribe(hasVideo: false)
        var events = subscriber.events().makeAsyncIterator()
        var observations = subscriber.observations().makeAsyncIterator()
        peer.setStatistics { .audio(packets: UInt64($0 < 3 ? 0 : 50 * $0), at: Double($0) * 1000) }
        await call.pass(.seconds(1), sleepers: 1)
        for _ in 0..<3 {
            await call.pass(.seconds(1), sleepers: 1)
            _ = await observations.next()
        }
        #expect(await events.next() == .didConnectToStream)
        await call.session.disconnect()
        #expect(await events.next() == .didEnd(.sessionDisconnected))
    }

    @Test("Changed preferences reach the server, the newest last")
    func preferences() async throws {
        let call = Call()
        let (subscriber, peer) = try await call.subscribe()
        var events = subscriber.events().makeAsyncIterator()
        subscriber.preferredResolution = VideoSize(width: 320, height: 180)
        subscriber.preferredFrameRate = 15
        subscriber.subscribeToVideo = false
        let wanted = VideoPreference(
            subscribeToVideo: false, preferredResolution: VideoSize(width: 320, height: 180),
            preferredFrameRate: 15)
        await eventually("the server knows") { call.server.preferences.last == wanted }
        #expect(await events.next() == .videoDisabled(.subscriberPropertyChanged))
        subscriber.preferredFrameRate = .nan
        subscriber.subscribeToVideo = true
        #expect(await events.next() == .videoEnabled(.subscriberPropertyChanged))
        await eventually("no rate is no bound") {
            call.server.preferences.last?.preferredFrameRate == nil
        }
        let audio = try await peer.track(.audio)
        subscriber.subscribeToAudio = false
        #expect(!audio.isEnabled)
        await call.session.disconnect()
    }

    @Test("The publisher's and the router's switching of video is distinguished")
    func videoOff() async throws {
        let call = Call()
        let (subscriber, _) = try await call.subscribe()
        var events = subscriber.events().makeAsyncIterator()
        call.server.notify(.streamUpdated(FakeServer.stream("theirs", hasVideo: false)))
        #expect(await events.next() == .videoDisabled(.publisherPropertyChanged))
        #expect(!subscriber.stream.hasVideo)
        call.server.notify(.streamUpdated(FakeServer.stream("theirs")))
        #expect(await events.next() == .videoEnabled(.publisherPropertyChanged))
        let leg = try #require(call.server.subscribeRequests.first).leg
        for state in [FallbackState.warned, .on, .warned, .off] {
            call.server.notify(.fallback(.init(leg: leg, state: state)))
        }
        call.server.notify(.fallback(.init(leg: "another", state: .on)))
        call.server.notify(.facts(.fallback(leg)))
        #expect(await events.next() == .videoDisableWarning)
        #expect(await events.next() == .videoDisableWarningLifted)
        #expect(await events.next() == .videoDisableWarning)
        #expect(await events.next() == .videoDisabled(.qualityChanged))
        call.server.notify(.facts(.fine(leg)))
        #expect(await events.next() == .videoEnabled(.qualityChanged))
        await call.session.disconnect()
    }

    @Test("Settings go into the first request")
    func settings() async throws {
        let call = Call()
        var settings = SubscriberSettings()
        settings.subscribeToVideo = false
        settings.subscribeToAudio = false
        settings.preferredResolution = VideoSize(width: 640, height: 360)
        let (_, peer) = try await call.subscribe(settings)
        let request = try #require(call.server.subscribeRequests.first)
        #expect(request.stream == "theirs")
        #expect(
            request.preference
                == VideoPreference(
                    subscribeToVideo: false, preferredResolution: VideoSize(width: 640, height: 360)))
        let audio = try await peer.track(.audio)
        await eventually("audio is off") { !audio.isEnabled }
        await call.session.disconnect()
    }

    @Test("A stream that ends takes its subscriptions along")
    func streamEnds() async throws {
        let call = Call()
        let (subscriber, peer) = try await call.subscribe()
        let events = subscriber.events()
        call.server.notify(.streamDestroyed(.init(id: "theirs", reason: "unpublished")))
        #expect(await all(of: events) == [.didEnd(.streamDestroyed)])
        await eventually("the connection is closed") { peer.isClosed }
        let error = await #expect(throws: SightlineError.self) {
            try await call.session.unsubscribe(subscriber)
        }
        #expect(error?.code == .notSubscribed)
        #expect(!call.server.received.contains { $0.type == "unsubscribe" })
        await call.session.disconnect()
    }

    @Test("A subscriber is notified of its end, and why: the last of its events")
    func ends() async throws {
        let call = Call()
        let (subscriber, _) = try await call.subscribe()
        let events = subscriber.events()
        try await call.session.unsubscribe(subscriber)
        #expect(await all(of: events) == [.didEnd(.unsubscribed)])
        let (another, _) = try await call.subscribe()
        let others = another.events()
        await call.session.disconnect()
        #expect(await all(of: others) == [.didEnd(.sessionDisconnected)])
    }

    @Test("Video that both ends have no codec for is switched off and says why; its audio is the stream then")
    func noCodec() async throws {
        let call = Call()
        call.server.add(FakeServer.stream("theirs"))
        call.server.answerSubscriptions(
            with: "answer\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\nm=video 0 UDP/TLS/RTP/SAVPF 0\r\n")
        try await call.session.connect()
        let subscriber = Subscriber(stream: try #require(call.session.streams.first))
        var events = subscriber.events().makeAsyncIterator()
        try await call.session.subscribe(subscriber)
        #expect(await events.next() == .videoDisabled(.codecNotSupported))
        await call.session.disconnect()
    }

    @Test("Whatever makes subscribing fail has its own code, and it can be tried again")
    func failures() async throws {
        let call = Call()
        call.server.add(FakeServer.stream("theirs"))
        try await call.session.connect()
        let subscriber = Subscriber(stream: try #require(call.session.streams.first))
        func code(_ subscriber: Subscriber) async -> SightlineError.Code? {
            do {
                try await call.session.subscribe(subscriber)
                return nil
            } catch {
                return (error as? SightlineError)?.code
            }
        }
        call.server.refuse("subscribe", ServerError(.unknownStream, "no"))
        #expect(await code(subscriber) == .unknownStream)
        call.server.refuse("subscribe", nil)
        #expect(await code(subscriber) == nil)
        #expect(await code(subscriber) == .alreadySubscribed)
        let (foreign, _) = try await Call().subscribe()
        call.server.notify(.streamDestroyed(.init(id: "theirs", reason: "left")))
        await eventually("the stream is gone") { call.session.streams.isEmpty }
        #expect(await code(Subscriber(stream: foreign.stream)) == .unknownStream)
        await call.session.disconnect()
        #expect(await code(Subscriber(stream: foreign.stream)) == .notConnected)
    }

    @Test("An unsubscription that the server does not know any more is none that failed")
    func forgottenLeg() async throws {
        let call = Call()
        let (subscriber, _) = try await call.subscribe()
        call.server.refuse("unsubscribe", ServerError(.unknownLeg, "no such leg"))
        try await call.session.unsubscribe(subscriber)
        await call.session.disconnect()
    }

    @Test("The router's facts reach the observers while they are fresh, as sender statistics")
    func facts() async throws {
        let call = Call()
        let (subscriber, peer) = try await call.subscribe()
        peer.setStatistics { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        var observations = subscriber.observations().makeAsyncIterator()
        let leg = try #require(call.server.subscribeRequests.first).leg
        call.server.notify(.facts(.fine(leg)))
        await call.pass(.seconds(1), sleepers: 1)
        let fresh = await first(&observations) { $0.senderStats != nil }
        #expect(fresh?.senderStats?.connectionEstimatedBandwidth == 900_000)
        for _ in 0..<8 { await call.pass(.seconds(1), sleepers: 1) }
        let stale = await first(&observations) { $0.senderStats == nil }
        #expect(stale != nil)
        await call.session.disconnect()
    }
}

extension FakePeer {
    /// The track of a kind, once there is one.
    func track(_ kind: MediaKind) async throws -> FakeTrack {
        await eventually("there is \(kind)") {
            tracks.contains { $0.kind == kind && (kind == .audio || $0.hasHandler) }
        }
        return try #require(tracks.first { $0.kind == kind })
    }
}

extension FakeServer {
    var subscribeRequests: [ClientMessage.Subscribe] {
        received.compactMap { if case .subscribe(let request) = $0 { request } else { nil } }
    }
}

extension ServerMessage.Body {
    /// What the router says of a leg: all is well, or audio fallback has its video off.
    static func facts(_ state: RouterState) -> Self {
        let (leg, isOff) =
            switch state {
            case .fine(let leg): (leg, false)
            case .fallback(let leg): (leg, true)
            }
        return .facts(
            .init(
                leg: leg, capturedAt: 0,
                sender: .init(
                    estimatedBandwidth: isOff ? 50_000 : 900_000,
                    sentLayer: isOff ? nil : LayerIntent(rid: "f", maximumBitrate: 500_000),
                    reason: isOff ? .fallback : .wanted, videoFramesSent: 10)))
    }

    enum RouterState {
        case fine(LegName)
        case fallback(LegName)
    }
}

extension StatsReport {
    /// A report with one received audio stream.
    static func audio(packets: UInt64, at time: Double) -> StatsReport {
        var report = StatsReport(timestamp: time)
        var audio = InboundRTPStats(id: "a", timestamp: time)
        audio.kind = .audio
        audio.ssrc = 1
        audio.packetsReceived = packets
        audio.bytesReceived = packets * 100
        audio.packetsLost = 0
        report.inboundRTP = [audio]
        return report
    }

    /// A report a second with one received video stream of 25 frames a second.
    static func video(frames: UInt64, height: Int) -> StatsReport {
        let time = Double(frames) * 40
        var report = StatsReport(timestamp: time)
        var video = InboundRTPStats(id: "v", timestamp: time)
        video.kind = .video
        video.ssrc = 2
        video.packetsReceived = frames * 4
        video.bytesReceived = frames * 4000
        video.packetsLost = 0
        video.framesReceived = frames
        video.framesDecoded = frames
        video.framesPerSecond = 25
        (video.frameWidth, video.frameHeight) = (UInt64(height * 16 / 9), UInt64(height))
        report.inboundRTP = [video]
        return report
    }
}
