// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Subscribes to the network quality of the session's participants.
package struct AskNetworkQuality: Sendable, Equatable, Codable {
    /// How much to report of each of the others; `none` ends it.
    package var remote: NetworkQualityVerbosity
    /// How much to report of the client itself; `nil` is `none`, for those that judge themselves.
    package var local: NetworkQualityVerbosity?

    /// Creates a request.
    package init(remote: NetworkQualityVerbosity, local: NetworkQualityVerbosity? = nil) {
        self.remote = remote
        self.local = local
    }

    /// How much to report of another participant, or of the client itself.
    package func verbosity(isOwn: Bool) -> NetworkQualityVerbosity { isOwn ? local ?? .none : remote }

    /// Whether anything is to be reported.
    package var asksForAnything: Bool { max(remote, local ?? .none) > .none }
}

/// Network quality of participants.
///
/// With `minimal` and `moderate` a participant is notified when a reported level changed, with `detailed`
/// about once a second.
package struct NetworkQualityUpdate: Sendable, Equatable, Codable {
    /// Those that have changed; the others are as they were.
    package var participants: [Participant]

    /// Creates an update.
    package init(participants: [Participant]) { self.participants = participants }

    /// One participant.
    package struct Participant: Sendable, Equatable, Codable {
        /// Its connection.
        package var connection: String
        /// As much as was asked for.
        package var quality: NetworkQualityStats

        /// Describes a participant.
        package init(connection: String, quality: NetworkQualityStats) {
            self.connection = connection
            self.quality = quality
        }
    }
}
