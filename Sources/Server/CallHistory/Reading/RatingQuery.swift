// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A stored rating, and what the rules say of the same call for the same participant.
package struct RatedCall: Sendable, Equatable, Codable {
    /// The session, or observed call.
    package var session: String
    /// The connection that gave it.
    package var connection: String
    /// Pseudonym of the person or device; `nil` if it has no name.
    package var participant: String?
    /// The person's name; `nil` unless names are kept and may be shown.
    package var name: String?
    /// When it was given last, Unix ms.
    package var time: Double
    /// 1 to 5, the best.
    package var score: Int
    /// Why, in the app's words; `nil` if no one said.
    package var reason: String?
    /// In the person's own words; `nil` if nothing, and unless names may be shown.
    package var comment: String?
    /// The score of the call for the participant by the rules, 0 to 100; `nil` while it continues, and if nothing could be
    /// judged.
    package var judged: Double?

    /// Creates a rated call.
    package init(
        session: String, connection: String, participant: String?, name: String?, time: Double, score: Int,
        reason: String?, comment: String?, judged: Double?
    ) {
        self.session = session
        self.connection = connection
        self.participant = participant
        self.name = name
        self.time = time
        self.score = score
        self.reason = reason
        self.comment = comment
        self.judged = judged
    }
}

/// Which ratings are asked for; what is `nil` does not narrow.
package struct RatingQuery: Sendable, Equatable {
    /// Those of one session.
    package var session: String?
    /// Those that were given from then on, Unix ms.
    package var from: Double?
    /// Those that were given up to then, Unix ms.
    package var to: Double?
    /// Whether names and comments are in it.
    package var showsNames = false
    /// At most this many, the newest first.
    package var limit = 200
    /// Where an earlier page ended.
    package var cursor: PageCursor?

    /// Everything.
    package init() {}
}

/// A session with ratings that the rules have not judged yet.
package struct UnjudgedSession: Sendable, Equatable {
    /// The session.
    package var session: String
    /// When it was last active, Unix ms.
    package var lastTime: Double

    /// Creates one.
    package init(session: String, lastTime: Double) {
        self.session = session
        self.lastTime = lastTime
    }
}
