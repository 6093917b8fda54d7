// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket
import Packing

/// A text on its way to a client, which may share most of it with others.
struct OutgoingText: Sendable {
    /// Shorter ones stay as they are, bytes: of those too little would be saved.
    static let leastPacked = 200

    /// What is this client's alone, and comes first.
    private let head: [UInt8]
    private let body: SharedText

    /// Bytes, before they are packed.
    var count: Int { head.count + body.bytes.count }

    init(_ body: SharedText, after head: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    /// What the client's socket is sent.
    ///
    /// - Parameter mayPack: Whether the client takes packed messages.
    func frame(mayPack: Bool) -> WebSocketFrame {
        if mayPack, count >= Self.leastPacked, let packed = body.packedBytes {
            var data = ByteBuffer()
            if !head.isEmpty { data.writeBytes(MessageDeflater.stored(head)) }
            data.writeImmutableBuffer(packed)
            return WebSocketFrame(fin: true, rsv1: true, opcode: .text, data: data)
        }
        return WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: head + body.bytes))
    }
}
