// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore

/// Cuts bytes into lines.
///
/// A line over the limit ends the channel: the router never writes one.
struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// A line was too long.
    struct TooLong: Error {}

    /// Longest line in bytes.
    let limit: Int
    /// Bytes that hold no line end.
    private var searched = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let view = buffer.readableBytesView.dropFirst(searched)
        guard let end = view.firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.readableBytes
            guard searched <= limit else { throw TooLong() }
            return .needMoreData
        }
        searched = 0
        let length = end - buffer.readerIndex
        guard length <= limit else { throw TooLong() }
        if let line = buffer.readSlice(length: length) { context.fireChannelRead(wrapInboundOut(line)) }
        buffer.moveReaderIndex(forwardBy: 1)
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF _: Bool
    ) throws -> DecodingState {
        // What is left without a line end is of no use.
        try decode(context: context, buffer: &buffer)
    }
}
