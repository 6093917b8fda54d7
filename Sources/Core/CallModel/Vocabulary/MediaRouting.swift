// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How media travel between publisher and subscriber.
public enum MediaRouting: String, Hashable, Codable, Sendable, CaseIterable {
    /// From client to client, one peer connection per subscriber.
    case relayed
    /// Through the media router, one peer connection per published stream and one per subscription.
    case routed
}
