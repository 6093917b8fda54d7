// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket

/// Decodes frames, with a limit that can be raised: clients that have not joined need no long ones.
///
/// Waits until a frame is whole and leaves the rest to NIO's decoder, whose limit is for good.
final class FrameDecoder: ByteToMessageDecoder {
    typealias InboundOut = WebSocketFrame

    /// Longest payload of a frame, bytes.
    var limit: Int
    private let decoder: WebSocketFrameDecoder

    /// - Parameters:
    ///   - limit: Longest payload of a frame for now, bytes.
    ///   - highest: What the limit may be raised to.
    init(limit: Int, upTo highest: Int) {
        self.limit = limit
        decoder = WebSocketFrameDecoder(maxFrameSize: highest)
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let length = try Self.length(of: buffer, limit: limit), buffer.readableBytes >= length else {
            return .needMoreData
        }
        return try decoder.decode(context: context, buffer: &buffer)
    }

    /// Bytes of the frame that a buffer begins with, head and payload; `nil` if that is not known yet (RFC
    /// 6455, 5.2).
    ///
    /// - Throws: `NIOWebSocketError.invalidFrameLength` for a payload over the limit.
    static func length(of buffer: ByteBuffer, limit: Int) throws -> Int? {
        let start = buffer.readerIndex
        guard let second: UInt8 = buffer.getInteger(at: start + 1) else { return nil }
        let payload: UInt64
        let lengthBytes: Int
        switch second & 0x7F {
        case 126:
            guard let length: UInt16 = buffer.getInteger(at: start + 2) else { return nil }
            (payload, lengthBytes) = (UInt64(length), 2)
        case 127:
            guard let length: UInt64 = buffer.getInteger(at: start + 2) else { return nil }
            (payload, lengthBytes) = (length, 8)
        case let length: (payload, lengthBytes) = (UInt64(length), 0)
        }
        guard payload <= UInt64(max(0, limit)) else { throw NIOWebSocketError.invalidFrameLength }
        return 2 + lengthBytes + (second & 0x80 == 0 ? 0 : 4) + Int(payload)
    }
}
