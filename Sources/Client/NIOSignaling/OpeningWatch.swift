// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import NIOCore
import NIOTLS
import Sightline

/// Tells how far the opening of a socket has come; sits behind TLS.
final class OpeningWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let listener: @Sendable (SignalingProgress) -> Void

    init(_ listener: @escaping @Sendable (SignalingProgress) -> Void) {
        self.listener = listener
    }

    func channelActive(context: ChannelHandlerContext) {
        listener(.reached)
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(_)? = event as? TLSUserEvent { listener(.secured) }
        context.fireUserInboundEventTriggered(event)
    }
}
#endif
