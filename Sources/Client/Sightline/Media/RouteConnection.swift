// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

/// Keeps a stream connected to one destination, over as many peer connections as that takes, one after the
/// other.
actor RouteConnection: StreamTransport, LegHolder {
    /// What the server knows of the connection.
    enum ServerRegistration {
        /// Its legs.
        case registered
        /// Nothing: it was started over, and what the stream needs is not there yet.
        case forgotten
        /// Nothing; the stream may be opened again.
        case reopening
    }

    let endpoint: any StreamEndpoint
    let context: MediaContext
    /// `nil` for the stream's only connection, which it is known by to the server.
    let membership: RouteMembership?
    let restartPlan = RecoveryPlan.restarts

    var legs: [LegName: PeerLeg] = [:]
    /// The leg that carries the media.
    var current: LegName?
    /// The leg by which the server knows the connection: the current one, or the one that is to take over.
    var acknowledged: LegName?
    var isClosed = false
    var isReplacing = false
    var registration = ServerRegistration.registered
    var recovery: Task<Void, Never>?
    /// Looks for another path for the current leg.
    var restarting: Task<Void, Never>?
    /// A loss that came while a replacement was being made.
    var pendingLoss: String?
    private var loops: [Task<Void, Never>] = []
    private nonisolated let changed: AsyncStream<Void>.Continuation
    private let changeSignal: AsyncStream<Void>
    private nonisolated let inbox: AsyncStream<LegMessage>.Continuation
    private let messages: AsyncStream<LegMessage>

    init(_ endpoint: any StreamEndpoint, _ context: MediaContext, _ membership: RouteMembership? = nil) {
        self.endpoint = endpoint
        self.context = context
        self.membership = membership
        (changeSignal, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (messages, inbox) = AsyncStream.makeStream()
    }

    deinit {
        changed.finish()
        inbox.finish()
    }

    /// Makes the first leg; gives the server's answer.
    func open() async throws -> ServerMessage.Body {
        listen()
        let leg = try await makeLeg()
        do {
            let offer = try await makeOffer(leg)
            let reply = try await signaling.request(openRequest(leg: leg, offer: offer))
            acknowledged = leg
            opened(reply)
            try await accept(reply.answer, leg)
            try begin(leg)
            // What was changed meanwhile.
            noteChange()
            return reply
        } catch {
            if legs[leg]?.isOffered == true, let request = closeRequest(leg: leg) {
                signaling.send([request])
            }
            await drop(leg)
            throw error
        }
    }

    /// Says that the endpoint's preferences may have changed.
    nonisolated func noteChange() { changed.yield() }

    /// Ends the connection; idempotent.
    ///
    /// Tells the server if asked to, and gives its refusal.
    ///
    /// Everything of it is gone when it returns.
    func close(notifyingServer: Bool) async throws {
        let isFirst = !isClosed
        isClosed = true
        changed.finish()
        inbox.finish()
        recovery?.cancel()
        restarting?.cancel()
        for loop in loops { loop.cancel() }
        let leg = acknowledged
        current = nil
        acknowledged = nil
        for name in Array(legs.keys) { await drop(name) }
        await recovery?.value
        await restarting?.value
        for loop in loops { await loop.value }
        guard isFirst, notifyingServer, let leg, let request = closeRequest(leg: leg) else { return }
        _ = try await signaling.request(request)
    }

    /// A message of the server about one of its legs.
    nonisolated func receive(_ message: LegMessage) { inbox.yield(message) }

    // MARK: - Legs

    func makeLeg() async throws -> LegName {
        let name = await signaling.nextLeg(endpoint.legPrefix)
        guard !isClosed else { throw SightlineError(.cancelled, "the call ended meanwhile") }
        let peer = try context.engine.makePeerConnection(endpoint.peerConfiguration)
        do { try endpoint.prepare(peer, leg: name, destination) } catch {
            peer.close()
            throw error
        }
        await hold(peer, as: name)
        return name
    }

    func makeOffer(_ name: LegName) async throws -> String {
        let peer = try peer(name)
        let offer = try await peer.createOffer(iceRestart: false)
        try await peer.setLocalDescription(offer)
        _ = try self.peer(name)
        legs[name]?.isOffered = true
        return offer.sdp
    }

    func accept(_ answer: String?, _ name: LegName) async throws {
        guard let answer else {
            throw SightlineError(.protocolViolation, "the server's answer carries no session description")
        }
        let description = SessionDescription(.answer, sdp: answer)
        try await peer(name).setRemoteDescription(description)
        endpoint.negotiated(hasVideoCodec: !description.rejectsVideo)
        _ = try self.peer(name)
        await negotiate(name) { $0.answered() }
    }

    /// Makes a leg the one that carries the media.
    func begin(_ name: LegName) throws {
        let peer = try peer(name)
        current = name
        pendingLoss = nil
        activate(MediaSource(peer: peer, leg: name, connection: destination.connection))
        if legs[name]?.state == .connected { emit(.connected) }
    }

    private func listen() {
        loops = [
            Task { [weak self, changeSignal] in
                for await _ in changeSignal { await self?.sendChanges() }
            },
            Task { [weak self, messages] in
                for await message in messages { await self?.handle(message) }
            },
        ]
    }

    private func peer(_ name: LegName) throws -> any MediaPeerConnection {
        guard let leg = legs[name] else { throw SightlineError(.cancelled, "the call ended meanwhile") }
        return leg.peer
    }

    private func sendChanges() async {
        guard let leg = acknowledged, let request = changeRequest(leg: leg) else { return }
        do { _ = try await signaling.request(request) } catch {
            if !isClosed { emit(.changeRefused(SightlineError(cause: error))) }
        }
    }
}
