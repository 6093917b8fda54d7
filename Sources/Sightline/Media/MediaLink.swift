// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionProtocol

/// Keeps the media of one publisher or subscriber connected to the other side, over as many peer connections
/// as that takes, one after the other.
actor MediaLink: StreamLink {
    /// What the server knows of the link.
    enum Standing {
        /// Its legs.
        case known
        /// Nothing: it was started anew, and what the link is for is not there yet.
        case forgotten
        /// Nothing; the link may be opened again.
        case reopening
    }

    let owner: any LinkOwner
    let signaling: any LinkSignaling
    let engine: any MediaEngine
    let clock: SessionClock
    let timeout: Duration
    let plan: RecoveryPlan
    let restartPlan = RecoveryPlan.restarts

    var legs: [String: PeerLeg] = [:]
    /// The leg that carries the media.
    var current: String?
    /// The leg by which the server knows the link: the current one, or the one that is to take over.
    var acknowledged: String?
    var isClosed = false
    var isReplacing = false
    var standing = Standing.known
    var recovery: Task<Void, Never>?
    /// Looks for another path for the current leg.
    var restarting: Task<Void, Never>?
    /// A loss that came while a replacement was being made.
    var pendingLoss: String?
    private var loops: [Task<Void, Never>] = []
    private nonisolated let changed: AsyncStream<Void>.Continuation
    private let changeSignal: AsyncStream<Void>
    private nonisolated let inbox: AsyncStream<LinkMessage>.Continuation
    private let messages: AsyncStream<LinkMessage>

    init(
        owner: any LinkOwner, signaling: any LinkSignaling, engine: any MediaEngine,
        configuration: SessionConfiguration
    ) {
        self.owner = owner
        self.signaling = signaling
        self.engine = engine
        clock = configuration.clock
        timeout = configuration.requestTimeout
        plan = configuration.recovery
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
            let reply = try await signaling.request(owner.openRequest(leg: leg, offer: offer))
            acknowledged = leg
            owner.opened(reply)
            try await accept(reply.answer, leg)
            try begin(leg)
            // What was wished meanwhile.
            noteChange()
            return reply
        } catch {
            if legs[leg]?.isOffered == true, let request = owner.closeRequest(leg: leg) {
                signaling.tell([request])
            }
            await drop(leg)
            throw error
        }
    }

    /// Says that the owner's wishes may have changed.
    nonisolated func noteChange() { changed.yield() }

    /// Ends the link; idempotent.
    ///
    /// Tells the server if asked to, and gives its refusal.
    ///
    /// Everything of the link is gone when it returns.
    func close(tellingServer: Bool) async throws {
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
        guard isFirst, tellingServer, let leg, let request = owner.closeRequest(leg: leg) else { return }
        _ = try await signaling.request(request)
    }

    /// A message of the server about one of its legs.
    nonisolated func receive(_ message: LinkMessage) { inbox.yield(message) }

    // MARK: - Legs

    func makeLeg() async throws -> String {
        let name = await signaling.nextLeg(owner.legPrefix)
        guard !isClosed else { throw SightlineError(.cancelled, "the call ended meanwhile") }
        let peer = try engine.makePeerConnection(owner.peerConfiguration)
        do { try owner.prepare(peer, leg: name) } catch {
            peer.close()
            throw error
        }
        var leg = PeerLeg(name: name, peer: peer)
        leg.reader = Task { [weak self] in
            for await event in peer.events { await self?.handle(event, of: name) }
        }
        legs[name] = leg
        await signaling.route(name, to: self)
        return name
    }

    func makeOffer(_ name: String) async throws -> String {
        let peer = try peer(name)
        let offer = try await peer.createOffer(iceRestart: false)
        try await peer.setLocalDescription(offer)
        _ = try self.peer(name)
        legs[name]?.isOffered = true
        return offer.sdp
    }

    func accept(_ answer: String?, _ name: String) async throws {
        guard let answer else {
            throw SightlineError(.protocolViolation, "the server's answer carries no session description")
        }
        try await peer(name).setRemoteDescription(SessionDescription(.answer, sdp: answer))
        guard var leg = legs[name] else { throw SightlineError(.cancelled, "the call ended meanwhile") }
        let step = leg.negotiation.answered()
        legs[name] = leg
        await perform(step, leg.peer)
    }

    /// Makes a leg the one that carries the media.
    func begin(_ name: String) throws {
        let peer = try peer(name)
        current = name
        pendingLoss = nil
        owner.activate(peer, leg: name)
        if legs[name]?.state == .connected { owner.handle(.connected) }
    }

    /// Closes a leg and waits until nothing of it is left.
    func drop(_ name: String) async {
        guard var leg = legs.removeValue(forKey: name) else { return }
        leg.resolve(.failure(SightlineError(.cancelled, "the peer connection was closed")))
        leg.peer.close()
        await leg.reader?.value
        owner.handle(.dropped(leg: name))
        await signaling.route(name, to: nil)
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

    private func peer(_ name: String) throws -> any MediaPeerConnection {
        guard let leg = legs[name] else { throw SightlineError(.cancelled, "the call ended meanwhile") }
        return leg.peer
    }

    private func sendChanges() async {
        guard let leg = acknowledged, let request = owner.changeRequest(leg: leg) else { return }
        do { _ = try await signaling.request(request) } catch {
            if !isClosed { owner.handle(.changeRefused(SightlineError(cause: error))) }
        }
    }
}
