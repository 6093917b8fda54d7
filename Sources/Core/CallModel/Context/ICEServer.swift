// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A STUN or TURN server.
public struct ICEServer: Sendable, Equatable, Codable {
    /// Such as `stun:host:port` or `turn:host:port?transport=udp`.
    public var urls: [String]
    /// Only TURN servers want one.
    public var username: String?
    /// The password that belongs to ``username``.
    public var credential: String?

    /// Names a server.
    public init(urls: [String], username: String? = nil, credential: String? = nil) {
        self.urls = urls
        self.username = username
        self.credential = credential
    }
}
