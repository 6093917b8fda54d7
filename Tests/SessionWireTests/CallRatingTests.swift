// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import Testing

@Suite("Ratings")
struct CallRatingTests {
    @Test("a rating is 1 to 5, with a word and a comment of bounded length; an empty one is none")
    func bounds() throws {
        for score in CallRating.scores { #expect(try CallRating(score).score == score) }
        for score in [0, 6, -1, .max, .min] {
            #expect(throws: CallRating.Refusal.score) { try CallRating(score) }
        }
        let longest = try CallRating(
            3, reason: String(repeating: "r", count: 64), comment: String(repeating: "ä", count: 500))
        #expect(longest.reason?.count == 64 && longest.comment?.count == 500)
        #expect(throws: CallRating.Refusal.reason) {
            try CallRating(3, reason: String(repeating: "ä", count: 33))
        }
        #expect(throws: CallRating.Refusal.comment) {
            try CallRating(3, comment: String(repeating: "c", count: 1001))
        }
        #expect(try CallRating(3, reason: "", comment: "") == CallRating(3))
        #expect(throws: CallRating.Refusal.reason) { try CallRating(3, reason: "a\0b") }
        #expect(throws: CallRating.Refusal.comment) { try CallRating(3, comment: "\0") }
    }

    @Test(
        "what is no rating is not read as one",
        arguments: [
            "{}", #"{"score":0}"#, #"{"score":6}"#, #"{"score":3.5}"#, #"{"score":"3"}"#, #"{"score":1e99}"#,
            #"{"score":3,"reason":7}"#, "[]", "3",
        ])
    func refused(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CallRating.self, from: Data(json.utf8))
        }
    }
}
