// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The server's own number for a client's socket.
package struct SocketID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
