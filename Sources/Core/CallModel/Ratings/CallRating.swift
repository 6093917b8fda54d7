// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What someone who took part says of a call: one to five, and why.
public struct CallRating: Sendable, Hashable {
    /// What is wrong with a rating.
    public enum Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        /// The score is not one of ``CallRating/scores``.
        case score
        /// The reason is longer than ``CallRating/reasonBytes``, or has a NUL.
        case reason
        /// The comment is longer than ``CallRating/commentBytes``, or has a NUL.
        case comment

        /// In a sentence.
        public var description: String {
            switch self {
            case .score:
                "the score must be a whole number, \(CallRating.scores.lowerBound) to \(CallRating.scores.upperBound)"
            case .reason: "the reason may have \(CallRating.reasonBytes) bytes at most, and no NUL"
            case .comment: "the comment may have \(CallRating.commentBytes) bytes at most, and no NUL"
            }
        }
    }

    /// What a score may be: 1 is the worst, 5 the best, as with a mean opinion score.
    public static let scores = 1...5
    /// Longest reason, bytes of UTF-8.
    public static let reasonBytes = 64
    /// Longest comment, bytes of UTF-8.
    public static let commentBytes = 1000

    /// One of ``scores``.
    public let score: Int
    /// Why, in one of the app's own words, such as `echo`; `nil` if no one said.
    ///
    /// Whoever may read calls sees it: no names of people.
    public let reason: String?
    /// What else there is to say, in the person's own words; `nil` if nothing.
    ///
    /// Only those who may see names see it.
    public let comment: String?

    /// Rates a call; an empty reason or comment is none.
    ///
    /// - Throws: ``Refusal``.
    public init(_ score: Int, reason: String? = nil, comment: String? = nil) throws(Refusal) {
        guard Self.scores.contains(score) else { throw .score }
        guard reason?.utf8.count ?? 0 <= Self.reasonBytes else { throw .reason }
        guard comment?.utf8.count ?? 0 <= Self.commentBytes else { throw .comment }
        // Where texts end at their first NUL, the rest would be lost.
        guard reason?.utf8.contains(0) != true else { throw .reason }
        guard comment?.utf8.contains(0) != true else { throw .comment }
        self.score = score
        self.reason = reason.flatMap { $0.isEmpty ? nil : $0 }
        self.comment = comment.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension CallRating: Codable {
    private enum Key: String, CodingKey { case score, reason, comment }

    /// Reads a rating.
    ///
    /// - Throws: `DecodingError` if it is none, or not in order.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let (score, reason, comment) = (
            try container.decode(Int.self, forKey: .score),
            try container.decodeIfPresent(String.self, forKey: .reason),
            try container.decodeIfPresent(String.self, forKey: .comment)
        )
        do throws(Refusal) { try self.init(score, reason: reason, comment: comment) } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: error.description))
        }
    }

    /// Writes what there is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(score, forKey: .score)
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encodeIfPresent(comment, forKey: .comment)
    }
}
