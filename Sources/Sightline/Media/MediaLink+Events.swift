// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionProtocol

extension MediaLink {
    static let noPath = "no path to the other side was found: is UDP blocked, or a TURN server missing?"

    /// What happens on a peer connection.
    func handle(_ event: PeerConnectionEvent, of name: String) async {
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
        case .track(let track): owner.handle(.track(track, leg: name))
        case .iceState, .dataChannel: break
        }
    }

    /// Sends and adds candidates.
    func perform(_ step: LegNegotiation.Step, _ peer: any MediaPeerConnection) async {
        if !step.send.isEmpty { signaling.tell(step.send.map { .candidate($0) }) }
        for candidate in step.add {
            // A candidate that cannot be used is one path less; the connection's state tells if it mattered.
            try? await peer.addCandidate(candidate)
        }
    }

    /// What the server says about a leg.
    func handle(_ message: LinkMessage) async {
        switch message {
        case .candidate(let candidate):
            guard var leg = legs[candidate.leg] else { return }
            let step = leg.negotiation.received(candidate)
            legs[candidate.leg] = leg
            await perform(step, leg.peer)
        case .mediaLost(let name, let message):
            legs[name]?.resolve(.failure(SightlineError(.mediaLost, message)))
            if name == current { recover(message) }
        case .restartICE(let name):
            if name == current { restart() }
        case .routes, .offered: break
        }
    }

    private func pathIsLost() {
        owner.handle(.interrupted)
        restart()
    }

    private func changed(_ state: PeerConnectionState, of name: String) {
        legs[name]?.state = state
        switch state {
        case .connected:
            legs[name]?.resolve(.success(()))
            if name == current { owner.handle(.connected) }
        case .disconnected:
            if name == current { pathIsLost() }
        case .failed:
            legs[name]?.resolve(.failure(SightlineError(.mediaLost, Self.noPath)))
            if name == current { pathIsLost() }
        default: break
        }
    }
}
