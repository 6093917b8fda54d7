// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why someone left or a stream ended.
package enum EndReason: String, VocabularyWord {
    /// They left.
    case left
    /// The connection was lost, and did not come back in time.
    case lost
    /// The publisher took the stream back.
    case unpublished
    /// A moderator removed it.
    case forced
    /// The media connection could not be established.
    case failed
    /// The application ended the session.
    case ended
    /// The server was stopped.
    case shutdown
    /// The server was killed.
    case serverLost
    /// It did not join in time.
    case idle

    /// What people are given of it; `nil` where there is nothing to say.
    package var label: String? {
        switch self {
        case .left, .unpublished: nil
        case .lost: "connection lost"
        case .forced: "removed by a moderator"
        case .failed: "media failed"
        case .ended: "the session was ended"
        case .shutdown: "the server was stopped"
        case .serverLost: "the server was lost"
        case .idle: "did not join in time"
        }
    }

    /// What people are given of a reason that a newer peer may have given.
    package static func label(of name: String) -> String? { Self(name: name).map(\.label) ?? name }
}
