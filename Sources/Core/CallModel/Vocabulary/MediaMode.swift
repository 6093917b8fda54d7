// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How media travels in a session.
public enum MediaMode: String, Hashable, Codable, Sendable, CaseIterable {
    /// Through the media router.
    case routed
    /// From client to client.
    case relayed
    /// From client to client while there are two, through the media router from three on.
    case adaptive
}
