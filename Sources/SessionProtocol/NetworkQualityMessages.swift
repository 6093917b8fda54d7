// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Asks for the network quality of the session's other participants.
public struct AskNetworkQuality: Sendable, Equatable, Codable {
    /// How much to tell of each; `none` ends it.
    public var remote: NetworkQualityVerbosity

    /// Makes a request.
    public init(remote: NetworkQualityVerbosity) { self.remote = remote }
}

/// Network quality of other participants.
///
/// With `minimal` and `moderate` a participant is told of when a level that is told changed, with `detailed`
/// about once a second.
public struct NetworkQualityUpdate: Sendable, Equatable, Codable {
    /// Those that there is news about; the others are as they were.
    public var participants: [Participant]

    /// Makes an update.
    public init(participants: [Participant]) { self.participants = participants }

    /// One participant.
    public struct Participant: Sendable, Equatable, Codable {
        /// Its connection.
        public var connection: String
        /// As much as was asked for.
        public var quality: NetworkQualityStats

        /// Describes a participant.
        public init(connection: String, quality: NetworkQualityStats) {
            self.connection = connection
            self.quality = quality
        }
    }
}
