// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

/// Has peer connections that the server knows as legs.
protocol LegHolder: Actor, LegReceiver {
    var endpoint: any StreamEndpoint { get }
    var context: MediaContext { get }
    var legs: [LegName: PeerLeg] { get set }
    /// A leg's connection is in another state.
    func changed(_ state: PeerConnectionState, of name: LegName)
    /// A leg is closed.
    func wasDropped(_ name: LegName)
}

extension LegHolder {
    var signaling: any MediaSignaling { context.signaling }

    /// Takes a peer connection as a leg.
    func hold(_ peer: any MediaPeerConnection, as name: LegName) async {
        var leg = PeerLeg(name: name, peer: peer)
        leg.reader = Task { [weak self] in
            for await event in peer.events { await self?.handle(event, of: name) }
        }
        legs[name] = leg
        await signaling.route(name, to: self)
    }

    /// Closes a leg and waits until nothing of it is left.
    func drop(_ name: LegName) async {
        guard var leg = legs.removeValue(forKey: name) else { return }
        leg.resolve(.failure(SightlineError(.cancelled, "the peer connection was closed")))
        leg.peer.close()
        await leg.reader?.value
        wasDropped(name)
        await signaling.route(name, to: nil)
    }

    /// The other end has found a candidate.
    func add(_ candidate: LegCandidate) async {
        await negotiate(candidate.leg) { $0.received(candidate) }
    }

    /// Takes a step of a leg's negotiation.
    func negotiate(
        _ name: LegName, _ change: (inout LegNegotiation) -> LegNegotiation.Step
    ) async {
        guard var leg = legs[name] else { return }
        let step = change(&leg.negotiation)
        legs[name] = leg
        if !step.send.isEmpty { signaling.send(step.send.map { .candidate($0) }) }
        for candidate in step.add {
            // A candidate that cannot be used is one path less; the connection's state shows whether it
            // mattered.
            try? await leg.peer.addCandidate(candidate)
        }
    }

    private func handle(_ event: PeerConnectionEvent, of name: LegName) async {
        guard legs[name] != nil else { return }
        switch event {
        case .candidate(let candidate): await negotiate(name) { $0.found(candidate) }
        case .gatheringComplete: await negotiate(name) { $0.gatheringCompleted() }
        case .connectionState(let state): changed(state, of: name)
        case .track(let track): endpoint.attach(track, leg: name)
        case .iceState, .dataChannel: break
        }
    }
}
