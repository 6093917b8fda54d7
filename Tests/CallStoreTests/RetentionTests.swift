// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol
import Testing

@testable import CallStore

@Suite("Retention")
struct RetentionTests {
    @Test("what is older than it may be goes, with sessions that have ended, and nothing else")
    func age() async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = .seconds(3600)
        let store = try CallStore.inMemory(configuration: configuration)
        var old = try StoreScenario(session: "old", store: store)
        try await old.begin()
        try await old.write(old.bob, Array(repeating: StoreScenario.sample("critical"), count: 10))
        _ = try await store.write([.sessionEnded(name: "old", at: old.now)])
        var young = try StoreScenario(session: "young", store: store)
        young.now += 3_600_000
        try await young.begin()
        try await young.write(young.bob, [StoreScenario.sample("good")])
        try await store.upkeep(now: young.now)
        #expect(try await store.sessions(.init()).items.count == 2)
        try await store.upkeep(now: young.now + 60_000)
        #expect(try await store.sessions(.init()).items.map(\.session) == ["young"])
        #expect(try await store.alerts(.init()).items.isEmpty)
        #expect(try await store.samples(.init(session: "young"))?.items.count == 1)
    }

    @Test("the oldest goes first when there is too much, until it is not")
    func size() async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        configuration.maximumBytes = 3 << 20
        let store = try CallStore.inMemory(configuration: configuration)
        var scenario = try StoreScenario(store: store)
        try await scenario.begin()
        for _ in 0..<8 {
            try await scenario.write(
                scenario.bob, Array(repeating: StoreScenario.sample("excellent"), count: 8000))
        }
        #expect(try await store.bytes() > 3 << 20)
        try await store.upkeep(now: scenario.now)
        #expect(try await store.bytes() <= 3 << 20)
        var query = WindowQuery(session: "s")
        query.limit = 100_000
        let left = try #require(try await store.samples(query)).items
        #expect(left.last?.time == scenario.now)
        #expect(left.count > 1000 && left.count < 64_000)
    }
}
