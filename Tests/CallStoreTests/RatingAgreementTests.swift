// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallHistory

@Suite("How ratings agree with scores")
struct RatingAgreementTests {
    @Test("agreement is the correlation of ranks, with how sure it is; of too few it is unknown")
    func agreement() throws {
        // Ranks with ties: 1, 2.5, 2.5, 4.
        #expect(RatingAgreement.ranks([10, 20, 20, 30]) == [1, 2.5, 2.5, 4])
        let ratings = [1, 2, 2, 3, 3, 3, 4, 4, 5, 5]
        let scores = [20.0, 35, 30, 50, 45, 70, 60, 80, 75, 95]
        let agreement = RatingAgreement(zip(ratings, scores).map { ($0, $1) })
        // As Python's statistics.correlation has it of these ranks.
        #expect(agreement.count == 10)
        #expect(abs((agreement.correlation ?? 0) - 0.922817) < 1e-5)
        let (low, high) = (try #require(agreement.low), try #require(agreement.high))
        #expect(low > 0.5 && low < 0.92 && high > 0.93 && high < 1)
        let reversed = RatingAgreement(zip(ratings, scores).map { ($0, 100 - $1) })
        #expect(abs((reversed.correlation ?? 0) + 0.922817) < 1e-5)
        let exact = RatingAgreement((0..<50).map { ($0 % 5 + 1, Double($0 % 5)) })
        #expect(exact.correlation == 1 && exact.low == 1 && exact.high == 1)
        let few = RatingAgreement(zip(ratings, scores).dropLast().map { ($0, $1) })
        #expect(few.count == 9 && few.correlation == nil && few.low == nil)
        #expect(RatingAgreement((0..<20).map { (3, Double($0)) }).correlation == nil)
        #expect(RatingAgreement((0..<20).map { ($0 % 5 + 1, 50) }).correlation == nil)
        #expect(RatingAgreement([(1, .nan), (2, .infinity)]).count == 0)
    }
}
