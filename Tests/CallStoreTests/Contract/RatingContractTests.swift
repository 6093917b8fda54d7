// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire
import Testing

/// What every store promises of ratings.
@Suite("The contract of stores: what those who took part say")
struct RatingContractTests {
    private static func call(_ history: TestedHistory) async throws -> StoreScenario {
        let scenario = try await history.scenario()
        try await scenario.begin()
        return scenario
    }

    private static func ratings(
        _ store: any HistoryStore, showsNames: Bool = true
    ) async throws -> [RatedCall] {
        var query = RatingQuery()
        query.showsNames = showsNames
        return try await store.ratings(query).items
    }

    @Test(
        "a participant has one rating for a session, the last one, whichever way it came",
        arguments: TestedHistory.allCases)
    func lastOneCounts(history: TestedHistory) async throws {
        let scenario = try await Self.call(history)
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

    @Test("a rating is deleted with its participant, and with its session", arguments: TestedHistory.allCases)
    func deletion(history: TestedHistory) async throws {
        let scenario = try await Self.call(history)
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
        let other = try await history.scenario(settings)
        let young = other.store
        try await other.begin()
        #expect(
            try await young.rate(session: "s", participant: "p-bob", try CallRating(4), at: other.now))
        _ = try await young.write([.sessionEnded(name: "s", at: other.now)])
        try await young.maintenance(now: other.now + 30_000, uptime: .seconds(1))
        #expect(try await Self.ratings(young).count == 1)
        try await young.maintenance(now: other.now + 120_000, uptime: .seconds(91))
        #expect(try await Self.ratings(young).isEmpty)
    }

    @Test(
        "a rated session is judged once it is over, and again when more came of it",
        arguments: TestedHistory.allCases)
    func judging(history: TestedHistory) async throws {
        var scenario = try await Self.call(history)
        let store = scenario.store
        #expect(
            try await store.rate(session: "s", participant: "p-bob", try CallRating(4), at: scenario.now))
        try await scenario.write(scenario.bob, [StoreScenario.sample("good")])
        #expect(try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9).isEmpty)
        _ = try await store.write([.sessionEnded(name: "s", at: scenario.now)])
        #expect(try await store.unjudgedSessions(before: scenario.now - 1, limit: 9).isEmpty)
        let due = try await store.unjudgedSessions(before: scenario.now, limit: 9)
        #expect(due == [.init(session: "s", lastTime: scenario.now)])
        try await store.judge(due[0], ["s-bob": 71.5, "s-alice": 3])
        #expect(try await Self.ratings(store).first?.judged == 71.5)
        #expect(try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9).isEmpty)
        // It continues, and ends again.
        _ = try await store.write([
            .session(name: "s", kind: .observed, createdAt: scenario.now + 1000),
            .sessionEnded(name: "s", at: scenario.now + 5000),
        ])
        let again = try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9)
        #expect(again.map(\.session) == ["s"])
        for absurd in [Double.nan, .infinity, -.infinity] {
            try await store.judge(again[0], ["s-bob": absurd])
            #expect(try await Self.ratings(store).first?.judged == nil)
        }
        try await store.judge(again[0], ["s-bob": 1e300])
        #expect(try await Self.ratings(store).first?.judged == 100)
        #expect(try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9).isEmpty)
    }

    @Test(
        "a rating that is due stays so when samples come while it is judged, and is due again when they come late",
        arguments: TestedHistory.allCases)
    func late(history: TestedHistory) async throws {
        var scenario = try await Self.call(history)
        let store = scenario.store
        #expect(
            try await store.rate(session: "s", participant: "p-bob", try CallRating(4), at: scenario.now))
        _ = try await store.write([.sessionEnded(name: "s", at: scenario.now)])
        var due = try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9)
        try await scenario.write(scenario.bob, [StoreScenario.sample("good")])
        try await store.maintenance(now: scenario.now, uptime: .seconds(1))
        try await store.judge(try #require(due.first), ["s-bob": 10])
        #expect(try await Self.ratings(store).first?.judged == nil)
        due = try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9)
        try await store.judge(try #require(due.first), ["s-bob": 20])
        #expect(try await Self.ratings(store).first?.judged == 20)
        #expect(try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9).isEmpty)
        scenario.now -= 1000
        try await scenario.write(scenario.bob, [StoreScenario.sample("fair")])
        try await store.maintenance(now: scenario.now, uptime: .seconds(2))
        #expect(
            try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9).map(\.session)
                == ["s"])
    }

    @Test(
        "ratings come in pages, the newest first, and of a time or a session alone",
        arguments: TestedHistory.allCases)
    func pages(history: TestedHistory) async throws {
        let store = try await Self.call(history).store
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
            query.cursor = page.next
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

    @Test("the agreement is of what was judged", arguments: TestedHistory.allCases)
    func storedAgreement(history: TestedHistory) async throws {
        let store = try await Self.call(history).store
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
