// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOHTTP1

/// Makes a plain request of one that asks for an upgrade that it does not get, and so has it answered like any other.
///
/// Before NIO's own handler, which loses the head of such a request.
final class SocketFilter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let isWanted: (HTTPRequestHead) -> Bool
    /// Only a connection's first request may ask; what follows an upgrade is no request any more.
    private var hasDecided = false

    /// - Parameter isWanted: Whether a request gets the upgrade that it asks for.
    init(isWanted: @escaping (HTTPRequestHead) -> Bool) { self.isWanted = isWanted }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasDecided, case .head(var head) = unwrapInboundIn(data) else {
            return context.fireChannelRead(data)
        }
        hasDecided = true
        guard head.headers.contains(name: "Upgrade"), !isWanted(head) else {
            return context.fireChannelRead(data)
        }
        head.headers.remove(name: "Upgrade")
        // The parser reads no further: it takes what comes next for the other protocol.
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

extension HTTPRequestHead {
    /// Whether it asks for a WebSocket as RFC 6455 wants it.
    var asksForWebSocket: Bool {
        method == .GET && headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
            && headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
            && headers["Sec-WebSocket-Version"] == ["13"] && headers["Sec-WebSocket-Key"].count == 1
            && !headers.contains(name: "Transfer-Encoding")
            && (headers.first(name: "Content-Length") ?? "0") == "0"
    }
}
