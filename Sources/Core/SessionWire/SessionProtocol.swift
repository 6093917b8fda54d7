// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How clients and the session server talk.
///
/// One WebSocket per client at ``path``, one JSON object per text message. A client's message has a `type`
/// and an `id` that it has not used before on this socket; the server's answer to it has that number as `re`.
/// Messages of the server without `re` are events. The first message is `join`, or `resume` to continue with a
/// session whose socket was lost; see ``Resumption``.
package enum SessionProtocol {
    /// Raised with every change that the other side would misread: a server serves clients of all versions since the first.
    package static let version = 1
    /// Those that a server serves.
    package static let servedVersions = 1...version
    /// Where the WebSocket is.
    package static let path = "/v1/session"
    /// Largest id or number of a message, and largest count in a sample: the last integer up to which every
    /// reader of JSON tells each from the next.
    package static let numberLimit = (1 << 53) - 1
    /// Latest time, Unix ms: the last that a browser's `Date` holds.
    package static let timeLimit = 8.64e15
    /// Most entries of a raw report.
    package static let reportLimit = 512
    /// Longest message in bytes, either way.
    package static let messageLimit = 1 << 20
    /// Longest name or id that a client may choose, in UTF-8 bytes.
    package static let nameLimit = 128
    /// Longest SDP description in bytes.
    package static let descriptionLimit = 1 << 17
    /// Longest sentence for people in a client's message, bytes.
    package static let reasonLimit = 1 << 10
    /// Longest candidate in bytes.
    package static let candidateLimit = 1 << 12
    /// Longest token in bytes.
    package static let tokenLimit = 1 << 13
    /// Largest frame rate that a client may name, frames a second.
    package static let frameRateLimit = 1000.0
    /// Largest width or height that a client may name, pixels.
    package static let dimensionLimit = 1 << 14
    /// Largest rate in bps.
    package static let rateLimit = 1e9
}
