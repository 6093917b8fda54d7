// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

extension RouteConnection {
    static let noPath = "no path to the other side was found: is UDP blocked, or a TURN server missing?"

    /// What the server says about a leg.
    func handle(_ message: LegMessage) async {
        switch message {
        case .candidate(let candidate): await add(candidate)
        case .mediaLost(let name, let message):
            legs[name]?.resolve(.failure(SightlineError(.mediaLost, message)))
            if name == current { recover(message) }
        case .restartICE(let name):
            if name == current { restart() }
        case .routes, .offered: break
        }
    }

    func changed(_ state: PeerConnectionState, of name: LegName) {
        legs[name]?.state = state
        switch state {
        case .connected:
            legs[name]?.resolve(.success(()))
            if name == current { emit(.connected) }
        case .disconnected:
            if name == current { pathIsLost() }
        case .failed:
            legs[name]?.resolve(.failure(SightlineError(.mediaLost, Self.noPath)))
            if name == current { pathIsLost() }
        default: break
        }
    }

    private func pathIsLost() {
        emit(.interrupted)
        restart()
    }
}
