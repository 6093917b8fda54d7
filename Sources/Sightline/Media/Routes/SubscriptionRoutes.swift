// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionProtocol

/// Connects a subscription in a session that may be relayed: takes its publishers' offers, or connects to the media
/// router when the server says so.
///
/// Whatever is new stands beside what is there until media arrives by it; then the old goes.
actor SubscriptionRoutes: StreamLink {
    enum Input {
        case message(LinkMessage)
        /// A picture has arrived by a leg that is not the current one.
        case picture(leg: String)
        /// A leg that has connected was given its time.
        case due(leg: String)
        case routerActivated(any MediaPeerConnection, leg: String)
        case routerEvent(LinkEvent)
        case routerFailed(SightlineError)
        /// The server was started anew; the stream may be there again.
        case forgotten(String, mayReopen: Bool)
    }

    /// How long pictures are waited for by a leg that has connected, before it is taken without.
    static let pictureLimit: Duration = .seconds(3)

    let subscription: Subscription
    let signaling: any LinkSignaling
    private let inbox: AsyncStream<Input>
    nonisolated let input: AsyncStream<Input>.Continuation
    private let changeSignal: AsyncStream<Void>
    private nonisolated let changed: AsyncStream<Void>.Continuation
    var handle: String?
    /// What publishers have offered.
    var legs: [String: PeerLeg] = [:]
    var router: RouteLink?
    var routerLeg: (name: String, peer: any MediaPeerConnection)?
    /// The leg that media is taken from.
    var current: String?
    var isClosed = false
    private var loops: [Task<Void, Never>] = []
    var endings = TaskChain()
    /// Legs that were given time for their first picture.
    private var waits: [String: Task<Void, Never>] = [:]

    init(_ subscription: Subscription) {
        self.subscription = subscription
        signaling = subscription.media.context.signaling
        (inbox, input) = AsyncStream.makeStream()
        (changeSignal, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        input.finish()
        changed.finish()
    }

    nonisolated func receive(_ message: LinkMessage) { input.yield(.message(message)) }

    nonisolated func noteChange() { changed.yield() }

    /// A picture has arrived by a leg that is not the current one.
    nonisolated func notePicture(_ leg: String) { input.yield(.picture(leg: leg)) }

    func open() async throws -> ServerMessage.Body {
        let reply = try await takeUp()
        listen()
        noteChange()
        return reply
    }

    /// Asks the server for the stream, under a new handle.
    private func takeUp() async throws -> ServerMessage.Body {
        let name = await signaling.nextLeg(subscription.legPrefix)
        handle = name
        subscription.media.handle = name
        await signaling.route(name, to: self)
        do {
            return try await signaling.request(subscription.openRequest(leg: name, offer: nil))
        } catch {
            await signaling.route(name, to: nil)
            throw error
        }
    }

    nonisolated func serverForgot(_ message: String, mayReopen: Bool) {
        input.yield(.forgotten(message, mayReopen: mayReopen))
    }

    /// Lets go of everything, and subscribes again when the stream is there.
    private func reopen(_ message: String, mayReopen: Bool) async {
        subscription.handle(.lost(message))
        current = nil
        routerLeg = nil
        if let router {
            self.router = nil
            endings.add { await router.close() }
        }
        for name in Array(legs.keys) { await drop(name) }
        if let handle { await signaling.route(handle, to: nil) }
        guard mayReopen else { return }
        let configuration = subscription.media.context.configuration
        do {
            try await configuration.recovery.attempt(configuration.clock, signaling) {
                _ = try await self.takeUp()
            }
            noteChange()
        } catch {
            guard !isClosed else { return }
            subscription.handle(.failed(SightlineError(cause: error)))
            await signaling.linkFailed(self)
        }
    }

    func close(tellingServer: Bool) async throws {
        let isFirst = !isClosed
        isClosed = true
        input.finish()
        changed.finish()
        for task in loops + waits.values { task.cancel() }
        current = nil
        await router?.close()
        router = nil
        for name in Array(legs.keys) { await drop(name) }
        for task in loops + waits.values { await task.value }
        await endings.finished()
        guard isFirst, let handle else { return }
        await signaling.route(handle, to: nil)
        if tellingServer { _ = try await signaling.request(.unsubscribe(.init(leg: handle))) }
    }

    func replace() async throws {
        guard let current, current == routerLeg?.name, let router else {
            throw SightlineError(
                .mediaLost, "the publisher makes the peer connections of a relayed stream, not the subscriber"
            )
        }
        try await router.replace()
    }

    private func listen() {
        loops = [
            Task { [weak self, inbox] in
                for await input in inbox { await self?.take(input) }
            },
            Task { [weak self, changeSignal] in
                for await _ in changeSignal { await self?.sendChanges() }
            },
        ]
    }

    private func take(_ input: Input) async {
        guard !isClosed else { return }
        switch input {
        case .message(.offered(let offered)): await answer(offered)
        case .message(.candidate(let candidate)): await add(candidate)
        case .message(.routes(let routes)): apply(routes)
        // Whoever makes the offers restarts; here that is the publisher.
        case .message(.mediaLost), .message(.restartICE): break
        case .forgotten(let message, let mayReopen): await reopen(message, mayReopen: mayReopen)
        case .picture(let leg), .due(let leg): settle(leg)
        case .routerActivated(let peer, let leg): takeRouter(peer, leg)
        case .routerEvent(let event): takeRouter(event)
        case .routerFailed(let error): subscription.handle(.failed(error))
        }
    }

    private func sendChanges() async {
        guard let handle, let request = subscription.changeRequest(leg: handle) else { return }
        do { _ = try await signaling.request(request) } catch {
            if !isClosed { subscription.handle(.changeRefused(SightlineError(cause: error))) }
        }
    }

    /// Gives a connected leg some time for its first picture.
    func wait(for leg: String) {
        guard subscription.expectsVideo else { return settle(leg) }
        let clock = subscription.media.context.configuration.clock
        let input = self.input
        stopWaiting(for: leg)
        waits[leg] = Task {
            do { try await clock.sleep(for: Self.pictureLimit) } catch { return }
            input.yield(.due(leg: leg))
        }
    }

    /// A leg was taken, or is over.
    func stopWaiting(for leg: String) { waits.removeValue(forKey: leg)?.cancel() }
}
