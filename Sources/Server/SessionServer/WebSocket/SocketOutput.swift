// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket

/// What is written to a client's socket: see ``ClientOutlet``.
enum SocketOutput: Sendable {
    case text(OutgoingText)
    case close(WebSocketErrorCode)

    /// - Parameter mayPack: Whether the client takes packed messages.
    func frame(mayPack: Bool) -> WebSocketFrame {
        switch self {
        case .text(let text): return text.frame(mayPack: mayPack)
        case .close(let code):
            var data = ByteBuffer()
            data.write(webSocketErrorCode: code)
            return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        }
    }
}
