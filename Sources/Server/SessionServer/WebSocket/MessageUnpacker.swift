// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import Packing

/// Makes events of a socket's messages, each when its turn has come.
///
/// A packed message may be a thousand times as long when it is unpacked, and what was read at once may hold thousands of them.
struct MessageUnpacker {
    /// Longest message when it is unpacked, in bytes.
    var limit: Int
    /// `nil` if the client may not pack what it sends.
    private var inflater: MessageInflater?
    private var hasFailed = false

    /// - Parameters:
    ///   - limit: Longest message when it is unpacked, in bytes.
    ///   - packing: How the client may pack its messages; `nil` if it may not.
    init(limit: Int, packing: DeflateAgreement?) {
        self.limit = limit
        inflater = packing.map { MessageInflater(windowBits: $0.windowBits) }
    }

    /// The event that a message is; `nil` after one over the limit.
    mutating func event(_ message: SocketMessage) -> SocketEvent? {
        guard !hasFailed else { return nil }
        switch message {
        case .text(let text): return .text(text)
        case .packed(let packed): return unpack(packed)
        case .unreadable: return .unreadable
        case .unreadablePacked:
            inflater?.lose()
            return .unreadable
        case .tooLarge: return fail()
        }
    }

    private mutating func unpack(_ message: ByteBuffer) -> SocketEvent {
        do throws(MessageInflater.Failure) {
            guard let text = try inflater?.unpack(Array(buffer: message), limit: limit) else {
                return .unreadable
            }
            return .text(ByteBuffer(bytes: text))
        } catch {
            return error == .tooLong ? fail() : .unreadable
        }
    }

    private mutating func fail() -> SocketEvent {
        hasFailed = true
        return .tooLarge
    }
}
