// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionProtocol

// MARK: - Legs that publishers offer

extension SubscriptionRoutes {
    /// Answers an offer: on a peer connection that there is, or on a new one.
    func answer(_ offered: ServerMessage.Offered) async {
        do {
            let peer = try await peer(for: offered.leg)
            // Candidates are of no use to the other end before it has the answer, nor are its own to this one.
            legs[offered.leg]?.negotiation = LegNegotiation(leg: offered.leg)
            try await peer.setRemoteDescription(SessionDescription(.offer, sdp: offered.offer))
            let answer = try await peer.createAnswer()
            try await peer.setLocalDescription(answer)
            guard var leg = legs[offered.leg], !isClosed else { return }
            signaling.tell([.answer(.init(leg: offered.leg, answer: answer.sdp))])
            let step = leg.negotiation.answered()
            legs[offered.leg] = leg
            await perform(step, peer)
            // The first has nothing beside it that could deliver media instead.
            if current == nil { settle(offered.leg) }
        } catch {
            guard !isClosed else { return }
            let message = String(SightlineError(cause: error).message.prefix(200))
            signaling.tell([.answer(.init(leg: offered.leg, answer: nil, message: message))])
            if legs[offered.leg]?.state != .connected { await drop(offered.leg) }
        }
    }

    private func peer(for name: String) async throws -> any MediaPeerConnection {
        if let leg = legs[name] { return leg.peer }
        return try await makeLeg(name)
    }

    private func makeLeg(_ name: String) async throws -> any MediaPeerConnection {
        let context = subscription.media.context
        let peer = try context.engine.makePeerConnection(subscription.peerConfiguration)
        var leg = PeerLeg(name: name, peer: peer)
        leg.reader = Task { [weak self] in
            for await event in peer.events { await self?.handle(event, of: name) }
        }
        legs[name] = leg
        await signaling.route(name, to: self)
        return peer
    }

    func add(_ candidate: Candidate) async {
        guard var leg = legs[candidate.leg] else { return }
        let step = leg.negotiation.received(candidate)
        legs[candidate.leg] = leg
        await perform(step, leg.peer)
    }

    private func perform(_ step: LegNegotiation.Step, _ peer: any MediaPeerConnection) async {
        if !step.send.isEmpty { signaling.tell(step.send.map { .candidate($0) }) }
        for candidate in step.add {
            // A candidate that cannot be used is one path less; the connection's state tells if it mattered.
            try? await peer.addCandidate(candidate)
        }
    }

    private func handle(_ event: PeerConnectionEvent, of name: String) async {
        guard var leg = legs[name] else { return }
        switch event {
        case .candidate(let candidate):
            let step = leg.negotiation.found(candidate)
            legs[name] = leg
            await perform(step, leg.peer)
        case .gatheringComplete:
            let step = leg.negotiation.gatheringCompleted()
            legs[name] = leg
            await perform(step, leg.peer)
        case .connectionState(let state): changed(state, of: name)
        case .track(let track): subscription.handle(.track(track, leg: name))
        case .iceState, .dataChannel: break
        }
    }

    private func changed(_ state: PeerConnectionState, of name: String) {
        legs[name]?.state = state
        switch state {
        case .connected: if name == current { subscription.handle(.connected) } else { wait(for: name) }
        case .disconnected: if name == current { subscription.handle(.interrupted) }
        case .failed:
            if name == current { subscription.handle(.lost(MediaLink.noPath)) }
            // Only the publisher can make another offer.
            signaling.tell([.legLost(.init(leg: name))])
        default: break
        }
    }

    /// Closes a leg and waits until nothing of it is left.
    func drop(_ name: String) async {
        stopWaiting(for: name)
        guard let leg = legs.removeValue(forKey: name) else { return }
        leg.peer.close()
        await leg.reader?.value
        subscription.handle(.dropped(leg: name))
        await signaling.route(name, to: nil)
    }
}

// MARK: - The router

extension SubscriptionRoutes {
    func apply(_ routes: ServerMessage.Routes) {
        if routes.router {
            // What the server heard before it changed its mind may have said otherwise.
            if let current, current == routerLeg?.name { return tellSettled(current) }
            if router == nil { connectRouter() }
        } else if let current, legs[current] != nil {
            closeRouter()
            tellSettled(current)
        }
    }

    private func connectRouter() {
        guard let handle else { return }
        let (input, subscription) = (self.input, self.subscription)
        let link = RouteLink(subscription.media.context, isEndless: true) { report in
            let route = SubscriberRoute(subscription, handle: handle) { event in
                report(event)
                input.yield(.routerEvent(event))
            } activated: { peer, leg in
                input.yield(.routerActivated(peer, leg: leg))
            }
            return subscription.media.makeLink(route)
        } onFailure: { _, error in
            input.yield(.routerFailed(error))
        }
        router = link
        Task { await link.start() }
    }

    private func closeRouter() {
        routerLeg = nil
        guard let link = router else { return }
        router = nil
        endings.add { await link.close() }
    }

    func takeRouter(_ peer: any MediaPeerConnection, _ leg: String) {
        guard router != nil else { return }
        let replaces = routerLeg?.name
        routerLeg = (leg, peer)
        if current == nil || current == replaces { settle(leg) }
    }

    func takeRouter(_ event: LinkEvent) {
        guard let leg = routerLeg?.name else { return }
        if current == leg { return subscription.handle(event) }
        if case .connected = event { wait(for: leg) }
    }
}

// MARK: - Taking over

extension SubscriptionRoutes {
    /// Takes the media from a leg from now on; what was there before goes.
    func settle(_ name: String) {
        guard name != current, !isClosed else { return }
        let isDirect: Bool
        if let leg = legs[name] {
            isDirect = true
            subscription.activate(leg.peer, leg: name, isRelayed: true)
        } else if let routerLeg, routerLeg.name == name {
            isDirect = false
            subscription.activate(routerLeg.peer, leg: name, isRelayed: false)
        } else {
            return
        }
        stopWaiting(for: name)
        let before = current
        current = name
        tellSettled(name)
        if before != nil, legs[name]?.state == .connected || !isDirect { subscription.handle(.connected) }
        let old = legs.keys.filter { $0 != name }
        endings.add { for name in old { await self.drop(name) } }
        if isDirect { closeRouter() }
    }

    private func tellSettled(_ leg: String) { signaling.tell([.settled(.init(leg: leg))]) }
}
