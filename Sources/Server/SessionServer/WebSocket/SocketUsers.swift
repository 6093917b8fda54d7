// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOHTTP1
import SessionCore
import SessionWire

/// Who deals with a new socket: by the path that it was asked for at.
struct SocketUsers: Sendable {
    let hub: ServerHub
    let verifier: TokenVerifier
    let observers: RTCStatsSockets

    var limits: SessionServerLimits { observers.limits }
    let timeouts: SessionServerTimeouts

    /// Whether sockets begin at the path of a request, with what it asks for.
    static func isPath(_ head: HTTPRequestHead) -> Bool {
        switch head.uri.prefix(while: { $0 != "?" }) {
        case SessionProtocol.path: true
        case RTCStatsSockets.path: RTCStatsSockets.speaks(head)
        default: false
        }
    }

    /// What the answer to a request that gets its socket has beside the usual.
    static func answer(to head: HTTPRequestHead) -> HTTPHeaders {
        isRTCStats(head) ? RTCStatsSockets.answer(to: head) : [:]
    }

    /// Who deals with the socket of a request.
    func user(for head: HTTPRequestHead) -> any SocketUser {
        Self.isRTCStats(head)
            ? RTCStatsSocket(observers, head) : ClientSocket(hub, verifier, limits)
    }

    private static func isRTCStats(_ head: HTTPRequestHead) -> Bool {
        head.uri.prefix { $0 != "?" } == RTCStatsSockets.path
    }
}
