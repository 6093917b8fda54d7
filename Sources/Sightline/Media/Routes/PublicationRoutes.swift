// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionProtocol

/// Connects a stream in a session that may be relayed: to the media router, to its subscribers directly, or for a
/// while to both, as the server says.
actor PublicationRoutes: StreamLink {
    /// One end, and what keeps it connected.
    private struct Way {
        let turn: Int
        let link: RouteLink
    }

    private enum Input {
        case message(LinkMessage)
        case failed(RouteEnd, RouteLink, SightlineError)
        /// The server was started anew.
        case forgotten(String)
    }

    private let publication: Publication
    private let signaling: any LinkSignaling
    private let inbox: AsyncStream<Input>
    private nonisolated let input: AsyncStream<Input>.Continuation
    private let changeSignal: AsyncStream<Void>
    private nonisolated let changed: AsyncStream<Void>.Continuation
    private var handle: String?
    private var ways: [RouteEnd: Way] = [:]
    private var loops: [Task<Void, Never>] = []
    private var endings = TaskChain()
    private var isClosed = false

    init(_ publication: Publication) {
        self.publication = publication
        signaling = publication.media.context.signaling
        (inbox, input) = AsyncStream.makeStream()
        (changeSignal, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        input.finish()
        changed.finish()
    }

    nonisolated func receive(_ message: LinkMessage) { input.yield(.message(message)) }

    nonisolated func noteChange() { changed.yield() }

    func open() async throws -> ServerMessage.Body {
        let reply = try await takeUp()
        listen()
        noteChange()
        return reply
    }

    /// Asks the server for the stream, under a new handle.
    private func takeUp() async throws -> ServerMessage.Body {
        let name = await signaling.nextLeg(publication.legPrefix)
        handle = name
        publication.media.handle = name
        await signaling.route(name, to: self)
        do {
            let reply = try await signaling.request(publication.openRequest(leg: name, offer: nil))
            publication.opened(reply)
            return reply
        } catch {
            await signaling.route(name, to: nil)
            throw error
        }
    }

    func serverForgot(_ message: String, mayReopen: Bool) { input.yield(.forgotten(message)) }

    /// Publishes again, on a server that was started anew.
    private func reopen(_ message: String) async {
        publication.handle(.lost(message))
        for way in ways.values { endings.add { await way.link.close() } }
        ways = [:]
        if let handle { await signaling.route(handle, to: nil) }
        let configuration = publication.media.context.configuration
        do {
            try await configuration.recovery.attempt(configuration.clock, signaling) {
                _ = try await self.takeUp()
            }
            noteChange()
        } catch {
            guard !isClosed else { return }
            publication.handle(.failed(SightlineError(cause: error)))
            await signaling.linkFailed(self)
        }
    }

    func close(tellingServer: Bool) async throws {
        let isFirst = !isClosed
        isClosed = true
        input.finish()
        changed.finish()
        for loop in loops { loop.cancel() }
        let links = ways.values.map(\.link)
        ways = [:]
        for link in links { await link.close() }
        for loop in loops { await loop.value }
        await endings.finished()
        guard isFirst, let handle else { return }
        await signaling.route(handle, to: nil)
        if tellingServer { _ = try await signaling.request(.unpublish(.init(leg: handle))) }
    }

    func replace() async throws {
        for way in ways.values { try await way.link.replace() }
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
        case .message(.routes(let routes)): apply(routes.wanted)
        case .message: break
        case .failed(let end, let link, let error): failed(end, link, error)
        case .forgotten(let message): await reopen(message)
        }
    }

    private func apply(_ wanted: [RouteEnd: ServerMessage.Routes.Wanted]) {
        for (end, way) in ways where wanted[end]?.turn != way.turn {
            ways[end] = nil
            endings.add { await way.link.close() }
        }
        for (end, wish) in wanted {
            publication.note(end, subscribesToVideo: wish.subscribesToVideo)
            if ways[end] == nil { connect(end, turn: wish.turn) }
        }
        publication.forget { wanted[$0] == nil }
    }

    private func connect(_ end: RouteEnd, turn: Int) {
        guard let handle else { return }
        let input = self.input
        let publication = publication
        let link = RouteLink(publication.media.context, isEndless: end == .router) { report in
            publication.media.makeLink(PublisherRoute(end, publication, handle: handle, report: report))
        } onFailure: { link, error in
            input.yield(.failed(end, link, error))
        }
        ways[end] = Way(turn: turn, link: link)
        Task { await link.start() }
    }

    /// An end that cannot be reached: the server knows another way to a subscriber, or ends its subscription.
    private func failed(_ end: RouteEnd, _ link: RouteLink, _ error: SightlineError) {
        guard ways[end]?.link === link, let handle else { return }
        guard case .subscriber(let connection) = end else {
            return publication.handle(.failed(error))
        }
        let message = String(error.message.prefix(200))
        signaling.tell([
            .giveUp(
                .init(publication: handle, subscriberId: connection.subscriberId, message: message))
        ])
    }

    private func sendChanges() async {
        guard let handle, let request = publication.changeRequest(leg: handle) else { return }
        do { _ = try await signaling.request(request) } catch {
            if !isClosed { publication.handle(.changeRefused(SightlineError(cause: error))) }
        }
    }
}
