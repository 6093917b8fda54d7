// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallStore
import SessionWire
import Testing

@testable import CallStore

@Suite("What those who took part say")
struct RatingTests {
    private static func call() async throws -> StoreScenario {
        let scenario = try StoreScenario()
        try await scenario.begin()
        return scenario
    }

    private static func ratings(_ store: SQLiteCallStore, showsNames: Bool = true) async throws -> [RatedCall]
    {
        var query = RatingQuery()
        query.showsNames = showsNames
        return try await store.ratings(query).items
    }

    @Test("a participant has one rating for a session, the last one, whichever way it came")
    func lastOneCounts() async throws {
        let scenario = try await Self.call()
        let store = scenario.store
        let first = try CallRating(2, reason: "echo", comment: "I heard myself.")
        #expect(try await store.rate(session: "s", participant: "p-alice", first, at: scenario.now))
        var rated = try #require(try await Self.ratings(store).first)
        #expect(rated.session == "s" && rated.connection == "s-alice" && rated.participant == "p-alice")
        #expect(rated.name == "Alice" && rated.time == scenario.now && rated.judged == nil)
        #expect(rated.score == 2 && rated.reason == "echo" && rated.comment == "I heard myself.")
        let hidden = try #require(try await Self.ratings(store, showsNames: false).first)
        #expect(hidden.comment == nil && hidden.name == nil && hidden.reason == "echo")
        // The same person on a new connection.
        let again = ConnectionRecord(
            name: "again", session: "s", participant: "p-alice", role: .publisher, joinedAt: scenario.now)
        let outcome = try await store.write([
            .connection(again),
            .rating(.init(connection: "again", rating: try CallRating(5), time: scenario.now + 1)),
            .rating(.init(connection: "no one's", rating: first, time: scenario.now)),
        ])
        #expect(outcome.rejected == 1)
        rated = try #require(try await Self.ratings(store).first)
        #expect(try await Self.ratings(store).count == 1)
        #expect(rated.connection == "again" && rated.score == 5 && rated.reason == nil)
        #expect(try await store.rate(session: "s", participant: "p-bob", first, at: scenario.now))
        #expect(try await store.summary(session: "s", showsNames: false)?.ratings.map(\.score) == [2, 5])
        #expect(try await store.rate(session: "s", participant: "p-carol", first, at: 1) == false)
        #expect(try await store.rate(session: "t", participant: "p-alice", first, at: 1) == false)
    }

    @Test("a rating is deleted with its participant, and with its session")
    func deletion() async throws {
        let scenario = try await Self.call()
        let store = scenario.store
        for participant in ["p-alice", "p-bob"] {
            #expect(
                try await store.rate(
                    session: "s", participant: participant, try CallRating(4), at: scenario.now))
        }
        #expect(try await store.deleteParticipant("p-alice") == 1)
        #expect(try await Self.ratings(store).map(\.participant) == ["p-bob"])
        _ = try await store.write([.sessionEnded(name: "s", at: scenario.now)])
        var settings = StoreConfiguration()
        settings.maximumAge = .seconds(60)
        let young = try SQLiteCallStore.inMemory(configuration: settings)
        let other = try StoreScenario(store: young)
        try await other.begin()
        #expect(
            try await young.rate(session: "s", participant: "p-bob", try CallRating(4), at: other.now))
        _ = try await young.write([.sessionEnded(name: "s", at: other.now)])
        try await young.maintenance(now: other.now + 30_000, uptime: .seconds(1))
        #expect(try await Self.ratings(young).count == 1)
        try await young.maintenance(now: other.now + 120_000, uptime: .seconds(91))
        #expect(try await Self.ratings(young).isEmpty)
    }

    @Test("a rated session is judged once it is over, and again when more came of it")
    func judging() async throws {
        var scenario = try await Self.call()
        let store = scenario.store
        #expect(
            try await store.rate(session: "s", participant: "p-bob", try CallRating(4), at: scenario.now))
        try await scenario.write(scenario.bob, [StoreScenario.sample("good")])
        #expect(try await store.unjudgedSessions(before: .greatestFiniteMagnitude).isEmpty)
        _ = try await store.write([.sessionEnded(name: "s", at: scenario.now)])
        #expect(try await store.unjudgedSessions(before: scenario.now - 1).isEmpty)
        let due = try await store.unjudgedSessions(before: scenario.now)
        #expect(due == [.init(session: "s", lastTime: scenario.now)])
        try await store.judge(due[0], ["s-bob": 71.5, "s-alice": 3])
        #expect(try await Self.ratings(store).first?.judged == 71.5)
        #expect(try await store.unjudgedSessions(before: .greatestFiniteMagnitude).isEmpty)
        // It continues, and ends again.
        _ = try await store.write([
            .session(name: "s", kind: .observed, createdAt: scenario.now + 1000),
            .sessionEnded(name: "s", at: scenario.now + 5000),
        ])
        let again = try await store.unjudgedSessions(before: .greatestFiniteMagnitude)
        #expect(again.map(\.session) == ["s"])
        for absurd in [Double.nan, .infinity, -.infinity] {
            try await store.judge(again[0], ["s-bob": absurd])
            #expect(try await Self.ratings(store).first?.judged == nil)
        }
        try await store.judge(again[0], ["s-bob": 1e300])
        #expect(try await Self.ratings(store).first?.judged == 100)
        #expect(try await store.unjudgedSessions(before: .greatestFiniteMagnitude).isEmpty)
    }

    @Test("ratings come in pages, the newest first, and of a time or a session alone")
    func pages() async throws {
        let store = try await Self.call().store
        for index in 0..<5 {
            let name = "c\(index)"
            _ = try await store.write([
                .connection(
                    .init(
                        name: name, session: "s", participant: name, role: .publisher,
                        joinedAt: StoreScenario.start)),
                .rating(
                    .init(connection: name, rating: try CallRating(index + 1), time: 1000 * Double(index))),
            ])
        }
        var query = RatingQuery()
        query.limit = 2
        var scores: [Int] = []
        repeat {
            let page = try await store.ratings(query)
            scores += page.items.map(\.score)
            query.cursor = page.next.flatMap(PageCursor.init)
        } while query.cursor != nil
        #expect(scores == [5, 4, 3, 2, 1])
        var part = RatingQuery()
        (part.from, part.to) = (1000, 3000)
        #expect(try await store.ratings(part).items.map(\.score) == [4, 3, 2])
        part.session = "another"
        #expect(try await store.ratings(part).items.isEmpty)
        (part.from, part.to, part.session) = (-.infinity, .infinity, nil)
        #expect(try await store.ratings(part).items.count == 5)
    }

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

    @Test("the agreement is of what was judged")
    func storedAgreement() async throws {
        let store = try await Self.call().store
        for index in 0..<12 {
            let name = "c\(index)"
            _ = try await store.write([
                .session(name: name, kind: .observed, createdAt: StoreScenario.start),
                .connection(
                    .init(
                        name: name, session: name, participant: name, role: .publisher,
                        joinedAt: StoreScenario.start)),
                .rating(.init(connection: name, rating: try CallRating(index % 5 + 1), time: 1000)),
            ])
            guard index < 11 else { continue }
            try await store.judge(
                .init(session: name, lastTime: StoreScenario.start), [name: Double(index % 5) * 20])
        }
        let agreement = try await store.agreement(RatingQuery())
        #expect(agreement.count == 11 && agreement.correlation == 1)
        var later = RatingQuery()
        later.from = 2000
        #expect(try await store.agreement(later) == RatingAgreement([]))
    }
}
