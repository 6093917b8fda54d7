// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket

/// Reassembles fragments.
///
/// Pure.
struct MessageAssembler {
    fileprivate enum State {
        case idle
        case collecting(ByteBuffer, fragments: Int, isPacked: Bool)
        /// A binary message's fragments.
        case skipping(fragments: Int, isPacked: Bool)
        /// After a message over the limit.
        case failed
    }

    /// Longest message in bytes, as it comes.
    var limit: Int
    /// Most fragments of a message.
    private let fragmentLimit: Int
    private var state = State.idle

    init(limit: Int, fragments: Int) {
        self.limit = limit
        fragmentLimit = fragments
    }

    /// Handles a data frame.
    ///
    /// Returns what is complete with it.
    mutating func take(_ frame: WebSocketFrame) -> SocketMessage? {
        // No one needs such a fragment, and endlessly they would cost time and never be a message.
        if frame.opcode == .continuation, frame.length == 0, !frame.fin { return fail() }
        switch (state, frame.opcode) {
        case (.failed, _): return nil
        case (.idle, .text): return append(frame, to: ByteBuffer(), fragments: 1, isPacked: frame.rsv1)
        case (.collecting(let buffer, let count, let isPacked), .continuation):
            return append(frame, to: buffer, fragments: count + 1, isPacked: isPacked)
        case (.idle, .binary): return skip(frame, fragments: 1, isPacked: frame.rsv1)
        case (.skipping(let count, let isPacked), .continuation):
            return skip(frame, fragments: count + 1, isPacked: isPacked)
        default:
            let isPacked = frame.rsv1 || state.isPacked
            state = frame.fin ? .idle : .skipping(fragments: 1, isPacked: isPacked)
            return isPacked ? .unreadablePacked : .unreadable
        }
    }

    /// Notes that a message is over a limit.
    mutating func fail() -> SocketMessage? {
        if case .failed = state { return nil }
        state = .failed
        return .tooLarge
    }

    private mutating func skip(_ frame: WebSocketFrame, fragments: Int, isPacked: Bool) -> SocketMessage? {
        guard fragments <= fragmentLimit else { return fail() }
        state = frame.fin ? .idle : .skipping(fragments: fragments, isPacked: isPacked)
        guard frame.fin else { return nil }
        return isPacked ? .unreadablePacked : .unreadable
    }

    private mutating func append(
        _ frame: WebSocketFrame, to buffer: ByteBuffer, fragments: Int, isPacked: Bool
    ) -> SocketMessage? {
        guard buffer.readableBytes + frame.length <= limit, fragments <= fragmentLimit else { return fail() }
        var buffer = buffer
        // Else writing would copy what the state still holds.
        state = .idle
        var data = frame.data
        if let key = frame.maskKey { data.unmask(Array(key)) }
        if buffer.readableBytes == 0 { buffer = data } else { buffer.writeBuffer(&data) }
        guard frame.fin else {
            state = .collecting(buffer, fragments: fragments, isPacked: isPacked)
            return nil
        }
        return isPacked ? .packed(buffer) : .text(buffer)
    }
}

extension MessageAssembler.State {
    /// Whether a packed message has begun and is not complete.
    fileprivate var isPacked: Bool {
        switch self {
        case .collecting(_, _, let isPacked), .skipping(_, let isPacked): isPacked
        case .idle, .failed: false
        }
    }
}

extension ByteBuffer {
    /// Unmasks eight bytes at a time; NIO's own way takes several times as long.
    mutating func unmask(_ key: [UInt8]) {
        guard key.count == 4 else { return }
        let pattern = UInt64(littleEndian: (0..<8).reduce(0) { $0 | UInt64(key[$1 % 4]) << (8 * UInt64($1)) })
        withUnsafeMutableReadableBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                bytes.storeBytes(of: word ^ pattern, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            while offset < bytes.count {
                bytes[offset] ^= key[offset % 4]
                offset += 1
            }
        }
    }
}
