// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

/// Legs that publishers offer to a subscriber.
extension RouteSet {
    /// Answers an offer: on a peer connection that there is, or on a new one.
    func answer(_ offered: ServerMessage.Offered) async {
        let name = offered.leg
        advance(.offered(leg: name))
        do {
            let peer = try await peer(for: name)
            // Candidates are of no use to the other end before it has the answer, nor are its own to this one.
            legs[name]?.negotiation = LegNegotiation(leg: name)
            try await peer.setRemoteDescription(SessionDescription(.offer, sdp: offered.offer))
            let answer = try await peer.createAnswer()
            try await peer.setLocalDescription(answer)
            guard legs[name] != nil, !isClosed else { return }
            endpoint.negotiated(hasVideoCodec: !answer.rejectsVideo)
            signaling.send([.answer(.init(leg: name, answer: answer.sdp))])
            await negotiate(name) { $0.answered() }
            advance(.answered(leg: name))
        } catch {
            guard !isClosed else { return }
            let message = String(SightlineError(cause: error).message.prefix(200))
            signaling.send([.answer(.init(leg: name, answer: nil, message: message))])
            if legs[name]?.state != .connected { await drop(name) }
        }
    }

    private func peer(for name: LegName) async throws -> any MediaPeerConnection {
        if let leg = legs[name] { return leg.peer }
        let peer = try context.engine.makePeerConnection(endpoint.peerConfiguration)
        await hold(peer, as: name)
        return peer
    }

    func changed(_ state: PeerConnectionState, of name: LegName) {
        legs[name]?.state = state
        let event: RouteEvent? =
            switch state {
            case .connected: .connected
            case .disconnected: .interrupted
            case .failed: .lost(RouteConnection.noPath)
            default: nil
            }
        if let event { input.yield(.event(.offeredReported(leg: name, event))) }
    }
}
