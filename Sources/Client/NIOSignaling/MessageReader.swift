// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import NIOCore
import NIOWebSocket
import Packing

/// Makes texts of a server's frames: joins fragments, and unpacks what is packed (RFC 7692).
///
/// NIO's aggregator forgets of fragments that they are packed. Pure; no text is longer than the limit, however little came.
struct MessageReader {
    /// Why the socket cannot continue.
    enum Failure: Error, Equatable {
        /// A message is longer than it may be, or has more fragments.
        case tooLong
        /// Fragments are not in order.
        case outOfOrder
        /// A frame is marked by an extension that was not agreed on, or not as it says.
        case notAgreed
        /// A packed message cannot be unpacked.
        case damaged
    }

    private struct Message {
        let isText: Bool
        let isPacked: Bool
        /// Joined when the last has come: each would copy what came before it.
        var fragments: [ByteBuffer] = []
        var length = 0

        /// All of it, as it came.
        var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(length)
            for fragment in fragments { bytes += fragment.readableBytesView }
            return bytes
        }
    }

    private enum State {
        case idle
        case collecting(Message)
        case failed
    }

    /// Most fragments of a message.
    private static let fragmentLimit = 1024

    private let limit: Int
    private var state = State.idle
    /// `nil` if the server may not pack what it sends.
    private var inflater: MessageInflater?

    /// - Parameters:
    ///   - limit: Longest message in bytes, packed or not.
    ///   - packing: What the server agreed to; `nil` if it does not pack.
    init(limit: Int, packing: DeflateAnswer?) {
        self.limit = limit
        inflater = packing.map { MessageInflater(windowBits: $0.serverWindowBits) }
    }

    /// Handles a frame that is no control frame.
    ///
    /// - Returns: The text that is complete with it; `nil` if none is, after a failure always.
    mutating func take(_ frame: WebSocketFrame) throws(Failure) -> String? {
        if case .failed = state { return nil }
        do throws(Failure) {
            guard let message = try collect(frame) else { return nil }
            return try text(of: message)
        } catch {
            state = .failed
            throw error
        }
    }

    /// The message that is complete with a frame.
    private mutating func collect(_ frame: WebSocketFrame) throws(Failure) -> Message? {
        var message: Message
        switch (state, frame.opcode) {
        case (.idle, .text), (.idle, .binary):
            // The first fragment alone says that a message is packed.
            guard frame.reservedBits.isEmpty || inflater != nil && frame.reservedBits == .rsv1 else {
                throw .notAgreed
            }
            message = Message(isText: frame.opcode == .text, isPacked: frame.rsv1)
        case (.collecting(let begun), .continuation):
            guard frame.reservedBits.isEmpty else { throw .notAgreed }
            message = begun
            // Else each fragment would copy the list that the state still holds.
            state = .idle
        default: throw .outOfOrder
        }
        message.fragments.append(frame.unmaskedData)
        message.length += frame.length
        guard message.length <= limit, message.fragments.count <= Self.fragmentLimit else { throw .tooLong }
        state = frame.fin ? .idle : .collecting(message)
        return frame.fin ? message : nil
    }

    /// What a message says; `nil` if it is no text.
    private mutating func text(of message: Message) throws(Failure) -> String? {
        guard message.isPacked else {
            return message.isText ? String(decoding: message.bytes, as: UTF8.self) : nil
        }
        do throws(MessageInflater.Failure) {
            // Others are unpacked as well: what follows may build on them.
            let text = try inflater?.unpack(message.bytes, limit: limit)
            return message.isText ? text.map { String(decoding: $0, as: UTF8.self) } : nil
        } catch {
            throw error == .tooLong ? .tooLong : .damaged
        }
    }
}
#endif
