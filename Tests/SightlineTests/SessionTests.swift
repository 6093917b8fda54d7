// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import SessionWire
import Sightline
import Synchronization
import Testing
import WebRTCStats

@Suite("Session", .timeLimit(.minutes(1)))
struct SessionTests {
    /// Writes down what a delegate hears.
    private final class Listener: SessionDelegate, Sendable {
        let heard = Journal<SessionEvent>()

        func sessionDidConnect(_ session: Session) { heard.add(.sessionDidConnect) }
        func sessionDidDisconnect(_ session: Session) { heard.add(.sessionDidDisconnect) }
        func session(_ session: Session, didFailWithError error: SightlineError) {
            heard.add(.didFailWithError(error))
        }
        func session(_ session: Session, connectionCreated connection: Connection) {
            heard.add(.connectionCreated(connection))
        }
        func session(_ session: Session, connectionDestroyed connection: Connection) {
            heard.add(.connectionDestroyed(connection))
        }
        func session(_ session: Session, streamCreated stream: MediaStream) {
            heard.add(.streamCreated(stream))
        }
        func session(
            _ session: Session, streamPropertyChanged stream: MediaStream, changes: Set<StreamProperty>
        ) {
            heard.add(.streamPropertyChanged(stream, changes))
        }
        func session(_ session: Session, streamDestroyed stream: MediaStream) {
            heard.add(.streamDestroyed(stream))
        }
    }

    /// The same report again and again.
    private struct ConstantReport: StatsSource {
        func statistics() async throws -> StatsReport { .audio(packets: 50, at: 1000) }
    }

    /// Has a state of the main actor's, which no other thread may touch.
    @MainActor private final class Screen: @MainActor SessionDelegate {
        var streams: [String] = []

        func session(_ session: Session, streamCreated stream: MediaStream) {
            MainActor.preconditionIsolated()
            streams.append(stream.streamId)
        }
    }

    @Test("A delegate of an actor is called there, in order, until another takes its place") @MainActor
    func delegateOfActor() async throws {
        let call = Call()
        let (screen, other) = (Screen(), Screen())
        call.session.setDelegate(screen)
        try await call.session.connect()
        let names = (0..<20).map { "stream \($0)" }
        for name in names { call.server.notify(.streamCreated(FakeServer.stream(name))) }
        await eventually("all streams") { screen.streams.count == names.count }
        #expect(screen.streams == names)
        #expect(call.session.delegate == nil)
        call.session.setDelegate(other)
        call.server.notify(.streamCreated(FakeServer.stream("late")))
        await eventually("the late stream") { other.streams == ["late"] }
        #expect(screen.streams == names)
        await call.session.disconnect()
    }

    @Test("Publishers, subscribers, their statistics and monitors call a delegate of an actor there")
    @MainActor
    func delegatesOfActor() async throws {
        final class Screen: @MainActor PublisherDelegate, @MainActor PublisherNetworkStatsDelegate,
            @MainActor SubscriberDelegate, @MainActor SubscriberNetworkStatsDelegate,
            @MainActor CallMonitorDelegate
        {
            let heard = Journal<String>()
            func publisher(_ publisher: Publisher, streamCreated stream: MediaStream) { note("publisher") }
            func publisher(_ publisher: Publisher, mediaLinkStatsUpdated stats: [PublisherMediaLinkStats]) {
                note("published")
            }
            func subscriber(_ subscriber: Subscriber, didEnd end: SubscriptionEnd) { note("subscriber") }
            func subscriber(_ subscriber: Subscriber, mediaLinkStatsUpdated stats: SubscriberMediaLinkStats) {
                note("received")
            }
            func callMonitor(_ monitor: CallMonitor, didObserve event: CallMonitorEvent) { note("monitor") }
            private func note(_ what: String) {
                MainActor.preconditionIsolated()
                heard.add(what)
            }
        }
        let screen = Screen()
        let heard = screen.heard
        let call = Call()
        let publisher = Publisher()
        publisher.setDelegate(screen)
        publisher.setNetworkStatsDelegate(screen)
        let (_, sending) = try await call.publish(publisher)
        sending.setStatistics { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        let (subscriber, receiving) = try await call.subscribe()
        subscriber.setDelegate(screen)
        subscriber.setNetworkStatsDelegate(screen)
        receiving.setStatistics { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        await call.elapsed(until: "statistics") { @Sendable in
            Set(heard.entries).isSuperset(of: ["published", "received"])
        }
        let monitor = CallMonitor(ConstantReport())
        monitor.setDelegate(screen)
        monitor.start()
        await eventually("the monitor's") { heard.entries.contains("monitor") }
        monitor.stop()
        await call.session.disconnect()
        await eventually("all") { Set(heard.entries).count == 5 }
    }

    @Test("An actor that its session knows goes away with what it owns")
    func delegateKeepsNothing() async throws {
        actor Owner: SessionDelegate {
            let call = Call()
            func listen() { call.session.setDelegate(self) }
        }
        var owner: Owner? = Owner()
        await owner?.listen()
        weak let gone = owner
        owner = nil
        await eventually("its end") { gone == nil }
    }

    @Test("Connecting tells who and what is there, and the session knows it")
    func connects() async throws {
        let call = Call()
        call.server.add(FakeServer.stream("theirs"))
        try await call.session.connect()
        #expect(call.session.isConnected)
        #expect(call.session.sessionId == "s")
        #expect(call.session.role == .publisher)
        #expect(call.session.connection?.connectionId == "me")
        #expect(call.session.connections.map(\.name) == ["Bob"])
        let stream = try #require(call.session.streams.first)
        #expect(stream.connection != call.session.connection)
        #expect(stream.videoType == .camera)
        await call.session.disconnect()
        #expect(!call.session.isConnected)
        #expect(call.session.streams.isEmpty)
    }

    @Test("A change of a stream says which of its properties have changed")
    func properties() async throws {
        let call = Call()
        call.server.add(FakeServer.stream("theirs"))
        try await call.session.connect()
        var events = call.session.events().makeAsyncIterator()
        var changed = FakeServer.stream("theirs", hasVideo: false)
        changed.content.name = "another"
        call.server.notify(.streamUpdated(changed))
        let stream = call.session.streams.first
        guard case .streamPropertyChanged(let new, let changes) = await events.next() else {
            Issue.record("no change of \(String(describing: stream))")
            return
        }
        #expect(changes == [.name, .hasVideo, .videoDimensions])
        #expect(new.name == "another" && !new.hasVideo)
        await call.session.disconnect()
    }

    @Test("A moderator's requests reach the server, and its refusals come back with their codes")
    func moderation() async throws {
        let call = Call()
        call.server.add(FakeServer.stream("theirs"))
        try await call.session.connect()
        let stream = try #require(call.session.streams.first)
        let connection = try #require(call.session.connections.first)
        try await call.session.forceUnpublish(stream)
        try await call.session.forceDisconnect(connection)
        #expect(call.server.received.suffix(2).map(\.type) == ["forceUnpublish", "forceDisconnect"])
        call.server.refuse("forceUnpublish", ServerError(.forbidden, "no"))
        call.server.refuse("forceDisconnect", ServerError(.unknownConnection, "gone"))
        let errors = [
            await #expect(throws: SightlineError.self) { try await call.session.forceUnpublish(stream) },
            await #expect(throws: SightlineError.self) { try await call.session.forceDisconnect(connection) },
        ]
        #expect(errors.map { $0?.code } == [.forbidden, .unknownConnection])
        await call.session.disconnect()
    }

    @Test("A rating reaches the server, and its refusal comes back")
    func rating() async throws {
        let call = Call()
        let rating = try CallRating(2, reason: "echo")
        let early = await #expect(throws: SightlineError.self) { try await call.session.rate(rating) }
        #expect(early?.code == .notConnected)
        try await call.session.connect()
        try await call.session.rate(rating)
        #expect(call.server.received.last == .rate(rating))
        call.server.refuse("rate", ServerError(.tooMany, "too often"))
        let error = await #expect(throws: SightlineError.self) { try await call.session.rate(rating) }
        #expect(error?.code == .tooMany)
        await call.session.disconnect()
    }

    @Test("A client that was forced out is notified")
    func putOut() async throws {
        let call = Call()
        let events = call.session.events()
        try await call.session.connect()
        call.server.notify(.goodbye(.init(reason: "forced")))
        call.server.socket?.closeByServer()
        let codes: [SightlineError.Code] = await all(of: events).compactMap { event in
            if case .didFailWithError(let error) = event { error.code } else { nil }
        }
        #expect(codes.contains(.forceDisconnected))
    }

    @Test("The delegate and every sequence hear the same events in the same order")
    func sameOrder() async throws {
        let call = Call()
        let listener = Listener()
        call.session.delegate = listener
        let streams = [call.session.events(), call.session.events()]
        try await call.session.connect()
        for number in 0..<50 {
            call.server.notify(.streamCreated(FakeServer.stream("\(number)")))
            call.server.notify(.streamUpdated(FakeServer.stream("\(number)", hasVideo: false)))
            if number.isMultiple(of: 2) {
                call.server.notify(.streamDestroyed(.init(id: "\(number)", reason: "unpublished")))
            }
        }
        await eventually("all have arrived") { call.session.streams.count == 25 }
        await call.session.disconnect()
        var heard: [[SessionEvent]] = []
        for stream in streams {
            heard.append(await all(of: stream))
        }
        #expect(heard[0] == heard[1])
        #expect(heard[0].first == .sessionDidConnect)
        #expect(heard[0].last == .sessionDidDisconnect)
        #expect(heard[0].count == 128)
        await eventually("the delegate has heard all") { listener.heard.entries.count == heard[0].count }
        #expect(listener.heard.entries == heard[0])
    }

    @Test("A refused token says which refusal it is, and connecting can be tried again")
    func refusedToken() async throws {
        let call = Call()
        call.server.refuse("join", ServerError(.expiredToken, "the token has expired: ask for another one"))
        let error = await #expect(throws: SightlineError.self) { try await call.session.connect() }
        #expect(error == SightlineError(.expiredToken, "the token has expired: ask for another one"))
        #expect(call.server.socket?.isClosed == true)
        call.server.refuse("join", nil)
        try await call.session.connect()
        #expect(call.session.isConnected)
        await call.session.disconnect()
    }

    @Test("A server that cannot be reached is what the transport says")
    func unreachable() async throws {
        let call = Call()
        let refused = SightlineError(.connectionFailed, "connection refused: is the server running?")
        call.server.refuseSockets(refused)
        await #expect(throws: refused) { try await call.session.connect() }
        await call.session.disconnect()
    }

    @Test(
        "An address that is none is refused before anything is opened",
        arguments: ["", "server", "ftp://a", "ws://"])
    func invalidURL(_ url: String) async throws {
        let server = FakeServer()
        let session = Session(url: url, token: "t", engine: FakeEngine(), signaling: server)
        let error = await #expect(throws: SightlineError.self) { try await session.connect() }
        #expect(error?.code == .invalidURL)
        #expect(server.socket == nil)
    }

    @Test("A socket that does not open, or a server that does not answer, takes no longer than the timeout")
    func timeouts() async throws {
        let silent = Call()
        silent.server.setSilent("join")
        let stuck = Call()
        stuck.server.neverOpen()
        for call in [silent, stuck] {
            let connecting = Task { try await call.session.connect() }
            if call.server.socket != nil || call.clock === silent.clock {
                await eventually("join is sent") { !call.server.received.isEmpty }
            }
            await call.pass(.seconds(10), sleepers: 1)
            let error = await #expect(throws: SightlineError.self) { try await connecting.value }
            #expect(error?.code == .timeout)
        }
        silent.server.setSilent("join", false)
        try await silent.session.connect()
        await silent.session.disconnect()
    }

    @Test("A session connects once")
    func connectsOnce() async throws {
        let call = Call()
        try await call.session.connect()
        let error = await #expect(throws: SightlineError.self) { try await call.session.connect() }
        #expect(error?.code == .alreadyConnected)
        await call.session.disconnect()
        let late = await #expect(throws: SightlineError.self) { try await call.session.connect() }
        #expect(late?.code == .alreadyConnected)
    }

    @Test("Disconnecting takes leave, closes the socket, ends the events, and can be repeated")
    func disconnects() async throws {
        let call = Call()
        let events = call.session.events()
        try await call.session.connect()
        async let first: Void = call.session.disconnect()
        async let second: Void = call.session.disconnect()
        _ = await (first, second)
        await call.session.disconnect()
        #expect(call.server.received.filter { $0 == .leave }.count == 1)
        #expect(call.server.socket?.isClosed == true)
        let heard = await all(of: events)
        #expect(heard.filter { $0 == .sessionDidDisconnect }.count == 1)
        #expect(await all(of: call.session.events()).isEmpty)
        #expect(call.clock.sleepers == 0)
    }

    @Test("A session that was never connected can be disconnected")
    func disconnectsIdle() async throws {
        let call = Call()
        let events = call.session.events()
        await call.session.disconnect()
        #expect(await all(of: events).isEmpty)
    }

    @Test("A server that does not say goodbye is waited for no longer than two seconds")
    func impoliteServer() async throws {
        let call = Call()
        try await call.session.connect()
        call.server.setSilent("leave")
        let leaving = Task { await call.session.disconnect() }
        await call.pass(.seconds(2), sleepers: 1)
        await leaving.value
        #expect(call.server.socket?.isClosed == true)
    }

    @Test("When the server ends the session, the app hears why, and waiting calls fail")
    func serverEnds() async throws {
        let call = Call()
        let events = call.session.events()
        try await call.session.connect()
        call.server.setSilent("publish")
        let publisher = Publisher()
        let publishing = Task { try await call.session.publish(publisher) }
        await eventually("publish is sent") { call.server.received.contains { $0.type == "publish" } }
        call.server.notify(.goodbye(.init(reason: "shutdown")))
        call.server.socket?.closeByServer()
        let error = await #expect(throws: SightlineError.self) { try await publishing.value }
        #expect(error?.code == .connectionEnded || error?.code == .cancelled)
        let heard = await all(of: events)
        let reason = SightlineError(.connectionEnded, "the server closed the socket: shutdown")
        #expect(Array(heard.suffix(2)) == [SessionEvent.didFailWithError(reason), .sessionDidDisconnect])
        #expect(call.engine.peers.allSatisfy { $0.isClosed })
    }

    @Test("A broken socket ends the session with an error")
    func socketBreaks() async throws {
        let call = Call()
        let events = call.session.events()
        try await call.session.connect()
        call.server.socket?.breakDown()
        let heard = await all(of: events)
        guard case .didFailWithError(let error) = heard.dropLast().last else {
            Issue.record("no error in \(heard)")
            return
        }
        #expect(error.code == .connectionLost)
        #expect(!call.session.isConnected)
    }

    @Test("Messages of a newer or confused server do no harm")
    func strangeMessages() async throws {
        let call = Call()
        try await call.session.connect()
        for text in [
            "", "{", "[]", "{\"type\":\"novelty\"}", "{\"type\":\"streamCreated\"}",
            "{\"type\":\"done\",\"re\":99}",
        ] {
            call.server.socket?.deliver(text: text)
        }
        call.server.notify(.streamDestroyed(.init(id: "nobody", reason: "left")))
        call.server.notify(.streamCreated(FakeServer.stream("theirs")))
        call.server.notify(.streamCreated(FakeServer.stream("theirs")))
        await eventually("the stream is there") { call.session.streams.count == 1 }
        await call.session.disconnect()
    }

    @Test("An answer that cannot be read fails the call that waits for it")
    func unreadableAnswer() async throws {
        let call = Call()
        try await call.session.connect()
        call.server.setSilent("publish")
        let publisher = Publisher()
        let publishing = Task { try await call.session.publish(publisher) }
        await eventually("publish is sent") { call.server.received.contains { $0.type == "publish" } }
        for id in 1...10 { call.server.socket?.deliver(text: "{\"type\":\"published\",\"re\":\(id)}") }
        let error = await #expect(throws: SightlineError.self) { try await publishing.value }
        #expect(error?.code == .protocolViolation)
        await call.session.disconnect()
    }

    @Test("The streams of someone who leaves are over")
    func orphans() async throws {
        let call = Call()
        call.server.add(FakeServer.stream("theirs"))
        let events = call.session.events()
        try await call.session.connect()
        call.server.notify(.connectionDestroyed(.init(id: "other", reason: "lost")))
        await eventually("no one is left") { call.session.connections.isEmpty }
        #expect(call.session.streams.isEmpty)
        await call.session.disconnect()
        let heard = await all(of: events)
        let destroyed = heard.firstIndex { if case .streamDestroyed = $0 { true } else { false } }
        let left = heard.firstIndex { if case .connectionDestroyed = $0 { true } else { false } }
        let (first, second) = (try #require(destroyed), try #require(left))
        #expect(first < second)
    }

    @Test("An error of the server that no one asked for reaches the app")
    func uninvitedError() async throws {
        let call = Call()
        var events = call.session.events().makeAsyncIterator()
        try await call.session.connect()
        call.server.notify(.error(ServerError(.routerUnavailable, "the media router is being started again")))
        let error = SightlineError(.routerUnavailable, "the media router is being started again")
        #expect(await first(&events) { $0 == .didFailWithError(error) } != nil)
        await call.session.disconnect()
    }
}
