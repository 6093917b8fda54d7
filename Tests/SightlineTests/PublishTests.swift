// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import SessionWire
import Sightline
import Testing

@Suite("Publishing", .timeLimit(.minutes(1)))
struct PublishTests {
    @Test("A published stream is in the session, marked as one's own, with what its settings say")
    func publishes() async throws {
        let call = Call()
        var settings = PublisherSettings()
        settings.name = "camera"
        settings.senderStatsTrack = true
        settings.audioFallbackEnabled = false
        settings.videoType = .screen
        let publisher = Publisher(settings: settings)
        var events = publisher.events().makeAsyncIterator()
        let (_, peer) = try await call.publish(publisher)
        let stream = try #require(publisher.stream)
        #expect(stream.connection == call.session.connection)
        #expect(call.session.streams == [stream])
        #expect(await events.next() == .streamCreated(stream))
        let request = try #require(call.server.publishRequests.first)
        #expect(request.offer == "offer 1")
        #expect(request.senderStatsTrack)
        #expect(!request.audioFallbackEnabled)
        #expect(request.content.name == "camera")
        #expect(request.content.videoDimensions == VideoSize(width: 640, height: 360))
        #expect(request.content.videoType == .screen)
        #expect(peer.senders.map(\.kind) == [.audio, .video])
        await call.session.disconnect()
        #expect(peer.isClosed)
        #expect(await events.next() == .streamDestroyed(stream))
        #expect(await events.next() == nil)
    }

    @Test("The start bitrate is what the layers need, set before the offer")
    func startBitrate() async throws {
        let call = Call()
        var settings = PublisherSettings()
        settings.resolution = VideoSize(width: 1280, height: 720)
        let (_, large) = try await call.publish(Publisher(settings: settings))
        #expect(large.startBitrate == 2_150_000 + 64_000)
        #expect(large.senders.last?.parameters.encodings.map(\.rid) == ["q", "h", "f"])
        settings.startBitrate = 300_000
        let (_, bounded) = try await call.publish(Publisher(settings: settings))
        #expect(bounded.startBitrate == 300_000)
        await call.session.disconnect()
    }

    @Test("Candidates wait until the server knows the leg and the engine its answer")
    func candidates() async throws {
        let call = Call()
        try await call.session.connect()
        call.server.setSilent("publish")
        let publisher = Publisher()
        let publishing = Task { try await call.session.publish(publisher) }
        await eventually("publish is sent") { !call.server.publishRequests.isEmpty }
        let leg = try #require(call.server.publishRequests.first).leg
        call.server.notify(.candidate(.init(leg: leg, mid: "0", lineIndex: 0, candidate: "candidate:early")))
        #expect(!call.server.received.contains { $0.type == "candidate" })
        let published = ServerMessage.Published(
            leg: leg, stream: FakeServer.stream("own", of: FakeServer.own), answer: "answer")
        call.server.socket?.deliver(ServerMessage(re: call.server.lastId, .published(published)))
        try await publishing.value
        call.server.notify(.candidate(.init(leg: leg, mid: "0", lineIndex: 0, candidate: "candidate:late")))
        let peer = try #require(call.engine.peers.first)
        await eventually("both candidates are with the engine") { peer.candidates.count == 2 }
        #expect(Set(peer.candidates.map(\.candidate)) == ["candidate:early", "candidate:late"])
        await eventually("all local candidates are sent") { call.server.candidates.count == 2 }
        #expect(call.server.candidates.map(\.candidate) == ["candidate:local 1", ""])
        await call.session.disconnect()
    }

    @Test("Muting sends silence, no video sends none, and others are notified")
    func mutes() async throws {
        let call = Call()
        let (publisher, peer) = try await call.publish()
        let audio = try #require(peer.senders.first)
        let video = try #require(peer.senders.last)
        publisher.publishAudio = false
        publisher.publishVideo = false
        #expect(!audio.isEnabled)
        #expect(!video.hasSource)
        await eventually("the server is notified") { call.server.updates.last?.content.hasVideo == false }
        #expect(call.server.updates.last?.content.hasAudio == false)
        await eventually("the own stream shows it") { publisher.stream?.hasVideo == false }
        publisher.publishVideo = true
        #expect(video.hasSource)
        await eventually("the server is notified again") {
            call.server.updates.last?.content.hasVideo == true
        }
        await call.session.disconnect()
    }

    @Test("A change that the server refuses is an event, not a crash")
    func refusedUpdate() async throws {
        let call = Call()
        let publisher = Publisher()
        var events = publisher.events().makeAsyncIterator()
        _ = try await call.publish(publisher)
        call.server.refuse("update", ServerError(.forbidden, "no"))
        publisher.publishAudio = false
        #expect(await first(&events) { $0 == .didFailWithError(SightlineError(.forbidden, "no")) } != nil)
        await call.session.disconnect()
    }

    @Test("Unpublishing ends the stream here and there")
    func unpublishes() async throws {
        let call = Call()
        let (publisher, peer) = try await call.publish()
        try await call.session.unpublish(publisher)
        #expect(peer.isClosed)
        #expect(call.session.streams.isEmpty)
        #expect(call.server.received.contains { $0.type == "unpublish" })
        let error = await #expect(throws: SightlineError.self) { try await call.session.unpublish(publisher) }
        #expect(error?.code == .notPublished)
        await #expect(throws: SightlineError.self) { try await publisher.rtcStatsReport() }
        await call.session.disconnect()
    }

    @Test("A stream that the server ends is over for its publisher")
    func endedByServer() async throws {
        let call = Call()
        let (publisher, peer) = try await call.publish()
        let events = publisher.events()
        let stream = try #require(publisher.stream)
        call.server.notify(.streamDestroyed(.init(id: stream.streamId, reason: "forced")))
        let heard = await all(of: events)
        #expect(heard == [.streamDestroyed(stream)])
        #expect(peer.isClosed)
        await call.session.disconnect()
    }

    @Test("Whatever makes publishing fail has its own code, leaves nothing behind, and can be tried again")
    func failures() async throws {
        let call = Call()
        let publisher = Publisher()
        func code() async -> SightlineError.Code? {
            do {
                try await call.session.publish(publisher)
                return nil
            } catch {
                return (error as? SightlineError)?.code
            }
        }
        #expect(await code() == .notConnected)
        try await call.session.connect()
        call.engine.fail(with: MediaEngineError(.internal, "out of threads"))
        #expect(await code() == .mediaEngine)
        call.engine.fail(with: MediaEngineError(.unsupported, "no such codec"))
        #expect(await code() == .unsupported)
        call.engine.fail(with: nil)
        for (refusal, expected) in [
            (ServerError.Code.forbidden, SightlineError.Code.forbidden),
            (.unsupportedMedia, .unsupportedMedia),
            (.routerUnavailable, .routerUnavailable), (.tooMany, .tooMany), (.internal, .server),
        ] {
            call.server.refuse("publish", ServerError(refusal, "no"))
            #expect(await code() == expected)
        }
        call.server.refuse("publish", nil)
        #expect(call.engine.peers.allSatisfy { $0.isClosed })
        try await call.session.publish(publisher)
        #expect(await code() == .alreadyPublished)
        await call.session.disconnect()
        #expect(await code() == .notConnected)
    }

    @Test("Settings that contradict themselves are refused with a reason")
    func badSettings() async throws {
        let call = Call()
        try await call.session.connect()
        var nothing = PublisherSettings()
        nothing.audio = nil
        nothing.video = nil
        var twins = PublisherSettings()
        twins.simulcast = .layers([Encoding(rid: "a"), Encoding(rid: "a")])
        var missing = PublisherSettings()
        missing.video = .file(path: "/nowhere.y4m")
        for (settings, code) in [
            (nothing, SightlineError.Code.invalidArgument), (twins, .invalidArgument),
            (missing, .mediaEngine),
        ] {
            let error = await #expect(throws: SightlineError.self) {
                try await call.session.publish(Publisher(settings: settings))
            }
            #expect(error?.code == code)
        }
        await call.session.disconnect()
    }

    @Test("An emulated network can be changed in the call, if there is one")
    func networkConditions() async throws {
        let call = Call()
        var settings = PublisherSettings()
        settings.networkConditions = NetworkConditions()
        let (publisher, peer) = try await call.publish(Publisher(settings: settings))
        var bad = NetworkConditions()
        bad.up.loss = 5
        try publisher.setNetworkConditions(bad)
        #expect((peer.configuration.conditioner as? FakeConditioner)?.present == bad)
        #expect(publisher.networkCounters(.up) == NetworkCounters())
        let (plain, plainPeer) = try await call.publish()
        #expect(plainPeer.configuration.conditioner == nil)
        #expect(plain.networkCounters(.up) == nil)
        #expect(throws: SightlineError.self) { try plain.setNetworkConditions(bad) }
        await call.session.disconnect()
    }

    @Test("The raw report is a JSON array for the one connection of a routed session")
    func rawReport() async throws {
        let call = Call()
        let (publisher, peer) = try await call.publish()
        let reports = try await publisher.rtcStatsReport()
        #expect(reports.map(\.jsonArrayOfReports) == ["[]"])
        #expect(reports.first?.connectionId == nil)
        peer.setStatistics { _ in throw MediaEngineError(.closed, "gone") }
        let error = await #expect(throws: SightlineError.self) { try await publisher.rtcStatsReport() }
        #expect(error?.code == .mediaEngine)
        await call.session.disconnect()
    }

    @Test("Statistics arrive once a tick, to the delegate and to sequences alike")
    func statistics() async throws {
        final class Listener: PublisherNetworkStatsDelegate, Sendable {
            let heard = Journal<PublisherNetworkStatsEvent>()
            func publisher(
                _ publisher: Publisher, videoNetworkStatsUpdated stats: [PublisherVideoNetworkStats]
            ) {
                heard.add(.videoNetworkStatsUpdated(stats))
            }
            func publisher(
                _ publisher: Publisher, audioNetworkStatsUpdated stats: [PublisherAudioNetworkStats]
            ) {
                heard.add(.audioNetworkStatsUpdated(stats))
            }
            func publisher(_ publisher: Publisher, mediaLinkStatsUpdated stats: [PublisherMediaLinkStats]) {
                heard.add(.mediaLinkStatsUpdated(stats))
            }
        }
        let call = Call()
        let publisher = Publisher()
        let listener = Listener()
        publisher.networkStatsDelegate = listener
        let events = publisher.networkStats()
        var observations = publisher.observations().makeAsyncIterator()
        let (_, peer) = try await call.publish(publisher)
        for tick in 1...5 {
            _ = await observations.next()
            #expect(peer.reads == tick)
            await call.pass(.seconds(1), sleepers: 1)
        }
        _ = await observations.next()
        await call.session.disconnect()
        let heard = await all(of: events)
        // The reports have no audio, and there is no empty array about it.
        #expect(heard.count == 12)
        for event in heard {
            switch event {
            case .videoNetworkStatsUpdated(let stats): #expect(stats.count == 1)
            case .mediaLinkStatsUpdated(let stats): #expect(stats.count == 1)
            default: Issue.record("\(event)")
            }
        }
        await eventually("the delegate has heard all") { listener.heard.entries.count == heard.count }
        #expect(listener.heard.entries == heard)
    }
}

extension FakeServer {
    var publishRequests: [ClientMessage.Publish] {
        received.compactMap { if case .publish(let request) = $0 { request } else { nil } }
    }
    var updates: [ClientMessage.UpdateStream] {
        received.compactMap { if case .update(let request) = $0 { request } else { nil } }
    }
    var candidates: [LegCandidate] {
        received.compactMap { if case .candidate(let candidate) = $0 { candidate } else { nil } }
    }
    var replacements: [ClientMessage.Replace] {
        received.compactMap { if case .replace(let request) = $0 { request } else { nil } }
    }
    var offers: [ClientMessage.Offer] {
        received.compactMap { if case .offer(let request) = $0 { request } else { nil } }
    }
    var preferences: [VideoPreference] {
        received.compactMap { if case .prefer(let request) = $0 { request.preference } else { nil } }
    }
    /// Completed as a server does.
    var telemetry: [MeasuredEvent] {
        var bases = TelemetryBases()
        let events = received.flatMap { body -> [TelemetryEvent] in
            if case .telemetry(let telemetry) = body { telemetry.events } else { [] }
        }
        return events.compactMap { try? bases.complete($0) }
    }
}
