// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore

/// What frames of a client's socket consist of together, before it is unpacked: see ``MessageUnpacker``.
enum SocketMessage: Sendable, Equatable {
    /// A whole text message.
    case text(ByteBuffer)
    /// A whole text message as it came, packed.
    case packed(ByteBuffer)
    /// A message that is none of the protocol's: binary, or not in order.
    case unreadable
    /// Such a message, which was packed: what builds on it cannot be unpacked.
    case unreadablePacked
    /// A message over the limit. What comes after it is not read.
    case tooLarge
}
