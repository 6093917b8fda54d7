// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The server's own number for a client's socket.
struct SocketID: Hashable, Sendable {
    let rawValue: UInt64
}
