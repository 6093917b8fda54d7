// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore

/// An event of a client's socket.
enum SocketEvent: Sendable, Equatable {
    /// A whole text message.
    case text(ByteBuffer)
    /// A message that is none of the protocol's: binary, or not in order.
    case unreadable
    /// A message over the limit. What comes after it is not read.
    case tooLarge

    /// Length of the message.
    var bytes: Int {
        if case .text(let buffer) = self { buffer.readableBytes } else { 0 }
    }
}
