// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel

/// `GET /v1/sessions`.
struct SessionList: Codable, Sendable, Equatable {
    var sessions: [SessionOverview]
    /// Cursor of the next page; `nil` on the last.
    var next: String?
}

/// `GET /v1/sessions/{session}/timeline`.
struct Timeline: Codable, Sendable, Equatable {
    var events: [TimelineEntry]
    /// Cursor of what comes later.
    var next: String?
}

/// `GET /v1/sessions/{session}/minutes`.
struct Minutes: Codable, Sendable, Equatable {
    var minutes: [FlowMinute]
    /// Cursor of the next page; `nil` on the last.
    var next: String?
}

/// `GET /v1/sessions/{session}/samples`.
struct Samples: Codable, Sendable, Equatable {
    var samples: [SampleEntry]
    /// Cursor of what comes later.
    var next: String?
}

/// `GET /v1/alerts`.
struct AlertList: Codable, Sendable, Equatable {
    var alerts: [Alert]
    /// Cursor of the next page; `nil` on the last.
    var next: String?
}

/// `POST /v1/calls/{call}/ratings`.
struct GiveRating: Codable, Sendable, Equatable {
    /// A whole number, 1 to 5.
    var score: Double
    var reason: String?
    var comment: String?
    /// Whose it is; that of a participant's token if `nil`.
    var participant: String?

    /// What it says.
    func rating() throws(CallRating.Refusal) -> CallRating {
        try CallRating(Int(exactly: score) ?? 0, reason: reason, comment: comment)
    }
}

/// `GET /v1/ratings`.
struct RatingList: Codable, Sendable, Equatable {
    var ratings: [RatedCall]
    /// Of all that were asked for, on whatever page.
    var agreement: RatingAgreement
    /// Cursor of the next page; `nil` on the last.
    var next: String?
}

/// `DELETE /v1/participants/{participant}`.
struct ParticipantDeleted: Codable, Sendable, Equatable {
    var participant: String
    /// Connections that were deleted with all that was measured at them.
    var connections: Int
}

/// `POST /v1/sessions/{session}/reports`.
struct KeepReports: Codable, Sendable, Equatable {
    /// From now on; 0 to keep none any more.
    var seconds: Double
}

/// The answer to it.
struct ReportsKept: Codable, Sendable, Equatable {
    /// Unix ms.
    var until: Double
}

/// `POST /v1/login`.
struct Login: Codable, Sendable, Equatable {
    var token: String
}

/// The answer to it.
struct LoggedIn: Codable, Sendable, Equatable {
    var scopes: [APIScope]
}
