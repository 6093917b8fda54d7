// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Subscribes to the network quality of the session's other participants.
package struct AskNetworkQuality: Sendable, Equatable, Codable {
    /// How much to report of each; `none` ends it.
    package var remote: NetworkQualityVerbosity

    /// Creates a request.
    package init(remote: NetworkQualityVerbosity) { self.remote = remote }
}

/// Network quality of other participants.
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
