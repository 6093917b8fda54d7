// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import NIOCore
import SessionCore
import SessionWire

/// Takes the messages of a session's client to the hub.
actor ClientSocket: SocketUser {
    private let hub: ServerHub
    private let verifier: TokenVerifier
    /// `nil` unless the server is one of several that clients are sent to.
    private let directory: ClusterDirectory?
    private let socket: SocketID
    private var limiter: RateLimiter

    init(
        _ hub: ServerHub, _ verifier: TokenVerifier, _ limits: SessionServerLimits,
        _ directory: ClusterDirectory?
    ) {
        self.hub = hub
        self.directory = directory
        self.verifier = verifier
        socket = hub.nextSocket()
        limiter = RateLimiter(perSecond: limits.messagesPerSecond)
    }

    /// Passes a socket's events to the hub, not faster than its rate limit allows.
    func take(_ work: [SocketWork]) async {
        for item in work {
            switch item {
            case .opened(let outlet): await hub.open(socket, outlet)
            case .closed: await hub.handle(.closed(socket))
            case .event(let event):
                await hub.handle(await input(event))
                let delay = limiter.delay(bytes: event.bytes, at: ContinuousClock.now)
                if let delay { try? await Task.sleep(for: delay) }
            }
        }
    }

    private func input(_ event: SocketEvent) async -> CoreInput {
        switch event {
        case .tooLarge: return .unreadable(socket, id: nil, .tooLarge)
        case .unreadable:
            return .unreadable(
                socket, id: nil, ServerError(.malformed, "messages are text frames, one JSON object each"))
        case .text(let buffer):
            do {
                return await input(try ClientMessage(json: buffer.readableBytesView))
            } catch {
                return .unreadable(socket, id: error.id, seq: error.seq, error.error)
            }
        }
    }

    private func input(_ message: ClientMessage) async -> CoreInput {
        guard case .join(let join) = message.body else { return .message(socket, message) }
        do throws(ServerError) {
            let grant = try await verifier.grant(for: join.token)
            switch await directory?.find(grant.session) {
            case .at(let node)?:
                throw ServerError(
                    .elsewhere, "the session is at another server of the cluster: \(node.url)", url: node.url)
            case .unknown?: throw ServerError.unknownPlace
            case .here?, nil: break
            }
            return .join(socket, id: message.id, join, .success(grant))
        } catch {
            return .join(socket, id: message.id, join, .failure(error))
        }
    }
}
