// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import SessionCore
import SessionWire

/// Handles the events of clients' sockets.
struct ClientSocket: Sendable {
    /// An event of a socket.
    enum SocketWork: Sendable {
        case opened(ClientOutlet)
        case event(SocketEvent)
        case closed
    }

    let hub: ServerHub
    let verifier: TokenVerifier
    let limits: SessionServerLimits
    let timeouts: SessionServerTimeouts

    /// Passes a socket's events to the hub, not faster than its rate limit allows.
    ///
    /// Returns the pace for what comes next.
    func take(_ work: [SocketWork], on socket: SocketID, _ limiter: RateLimiter) async -> RateLimiter {
        var limiter = limiter
        for item in work {
            switch item {
            case .opened(let outlet): await hub.open(socket, outlet)
            case .closed: await hub.handle(.closed(socket))
            case .event(let event):
                await hub.handle(await input(event, socket))
                let delay = limiter.delay(bytes: event.bytes, at: ContinuousClock.now)
                if let delay { try? await Task.sleep(for: delay) }
            }
        }
        return limiter
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
