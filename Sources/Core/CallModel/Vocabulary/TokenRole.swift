// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Rights of a token.
public enum TokenRole: String, Hashable, Codable, Sendable, CaseIterable {
    /// To subscribe.
    case subscriber
    /// To subscribe and publish.
    case publisher
    /// Everything, and to end others' streams and connections.
    case moderator

    /// Whether the role may publish.
    public var canPublish: Bool { self != .subscriber }
}
