// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOHTTP1
import Packing
import SessionCore
import SessionWire

/// Who deals with a new socket: by the path that it was asked for at.
struct SocketUsers: Sendable {
    /// What the sockets of a path are for.
    private enum Purpose {
        case session
        case rtcstats
        /// Reports of a call of that name.
        case reports(call: String)

        init?(_ head: HTTPRequestHead) {
            let path = head.uri.prefix { $0 != "?" }
            switch path {
            case SessionProtocol.path: self = .session
            case RTCStatsAddress.path:
                guard RTCStatsAddress.speaks(head) else { return nil }
                self = .rtcstats
            default:
                guard let call = ObservedPath.reports(path) else { return nil }
                self = .reports(call: call)
            }
        }
    }

    let hub: ServerHub
    let verifier: TokenVerifier
    let observers: ObserverSockets

    var limits: SessionServerLimits { observers.limits }
    let timeouts: SessionServerTimeouts
    /// `nil` unless the server is one of several that clients are sent to.
    let directory: ClusterDirectory?

    /// Whether sockets begin at the path of a request, with what it asks for.
    static func isPath(_ head: HTTPRequestHead) -> Bool { Purpose(head) != nil }

    /// What the answer to a request that gets its socket has beside the usual.
    static func answer(to head: HTTPRequestHead) -> HTTPHeaders {
        var fields = HTTPHeaders()
        if case .rtcstats? = Purpose(head) { fields = RTCStatsAddress.answer(to: head) }
        if let packing = packing(head) { fields.add(name: DeflateParameters.field, value: packing.answer) }
        return fields
    }

    /// How the messages of a socket may be packed; `nil` if they may not.
    static func packing(_ head: HTTPRequestHead) -> DeflateAgreement? {
        DeflateAgreement(offers: head.headers[canonicalForm: DeflateParameters.field])
    }

    /// Who deals with the socket of a request.
    func user(for head: HTTPRequestHead) -> any SocketUser {
        switch Purpose(head) {
        case .rtcstats: RTCStatsSocket(observers, head)
        case .reports(let call): ReportSocket(observers, call: call, tokenTimeout: timeouts.join)
        case .session, nil: ClientSocket(hub, verifier, limits, directory)
        }
    }
}
