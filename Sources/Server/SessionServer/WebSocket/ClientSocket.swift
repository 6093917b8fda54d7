// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import SessionCore
import SessionWire

/// What the server does with what clients' sockets bring.
struct ClientSocket: Sendable {
    /// What happened to a socket.
    enum Happening: Sendable {
        case opened(ClientOutlet)
        case event(SocketEvent)
        case closed
    }

    let hub: ServerHub
    let verifier: TokenVerifier
    let limits: SessionServerLimits
    let timeouts: SessionServerTimeouts

    /// Takes what happened to a socket to the hub, not faster than the socket's pace allows.
    ///
    /// Returns the pace for what comes next.
    func take(_ happenings: [Happening], on socket: SocketID, _ pace: Pace) async -> Pace {
        var pace = pace
        for happening in happenings {
            switch happening {
            case .opened(let outlet): await hub.open(socket, outlet)
            case .closed: await hub.handle(.closed(socket))
            case .event(let event):
                await hub.handle(await input(event, socket))
                let delay = pace.delay(bytes: event.bytes, at: ContinuousClock.now)
                if let delay { try? await Task.sleep(for: delay) }
            }
        }
        return pace
    }

    private func input(_ event: SocketEvent, _ socket: SocketID) async -> CoreInput {
        switch event {
        case .tooLarge: return .unreadable(socket, id: nil, .tooLarge)
        case .unreadable:
            return .unreadable(
                socket, id: nil, ServerError(.malformed, "messages are text frames, one JSON object each"))
        case .text(let buffer):
            do {
                return await input(try ClientMessage(json: buffer.readableBytesView), socket)
            } catch {
                return .unreadable(socket, id: error.id, seq: error.seq, error.error)
            }
        }
    }

    private func input(_ message: ClientMessage, _ socket: SocketID) async -> CoreInput {
        guard case .join(let join) = message.body else { return .message(socket, message) }
        do throws(ServerError) {
            return .join(socket, id: message.id, join, .success(try await verifier.grant(for: join.token)))
        } catch {
            return .join(socket, id: message.id, join, .failure(error))
        }
    }
}
