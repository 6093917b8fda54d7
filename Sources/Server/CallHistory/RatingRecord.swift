// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What a participant says of a call.
package struct RatingRecord: Sendable, Equatable {
    /// The id of the participant's connection.
    package var connection: String
    /// What is said.
    package var rating: CallRating
    /// When, Unix ms by the server's clock.
    package var time: Double

    /// Creates a record.
    package init(connection: String, rating: CallRating, time: Double) {
        self.connection = connection
        self.rating = rating
        self.time = time
    }
}
