// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How a session server and its media router talk.
///
/// One JSON object per line in each direction, over a connected local socket that the router finds as its
/// standard input. Each has a `type`. The server names legs and streams; the router takes names as they come.
/// The end of the socket ends the router.
package enum RouterProtocol {
    /// Raised with every change that the other side would misread.
    ///
    /// The router's first message says which it speaks.
    package static let version = 1
    /// Longest line in bytes.
    package static let lineLimit = 1 << 20
}
