// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire
import Testing

@testable import CallStore

@Suite("Retention")
struct RetentionTests {
    @Test("what is older than it may be goes, with sessions that have ended, and nothing else")
    func age() async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = .seconds(3600)
        let store = try SQLiteCallStore.inMemory(configuration: configuration)
        var old = StoreScenario(session: "old", store: store)
        try await old.begin()
        try await old.write(old.bob, Array(repeating: StoreScenario.sample("critical"), count: 10))
        _ = try await store.write([.sessionEnded(name: "old", at: old.now)])
        var young = StoreScenario(session: "young", store: store)
        young.now += 3_600_000
        try await young.begin()
        try await young.write(young.bob, [StoreScenario.sample("good")])
        try await store.maintenance(now: young.now)
        #expect(try await store.sessions(.init()).items.count == 2)
        try await store.maintenance(now: young.now + 60_000)
        #expect(try await store.sessions(.init()).items.map(\.session) == ["young"])
        #expect(try await store.alerts(.init()).items.isEmpty)
        #expect(try await store.samples(.init(session: "young"))?.items.count == 1)
    }

    @Test("of a session that continues, who left it and what they published go with their age")
    func livesOfALongSession() async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = .seconds(3600)
        let store = try SQLiteCallStore.inMemory(configuration: configuration)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        try await scenario.write(scenario.bob, Array(repeating: StoreScenario.sample("good"), count: 10))
        _ = try await store.write([
            .flowEnded(scenario.bob, at: scenario.now),
            .connectionLeft(name: scenario.bob.connection, at: scenario.now, reason: .left),
        ])
        func counts() async throws -> [Int] {
            let summary = try #require(try await store.summary(session: "s", showsNames: false))
            return [summary.connections.count, summary.streams.count, summary.flows.count]
        }
        let before = try await counts()
        #expect(before.prefix(2) == [2, 1])
        try await store.maintenance(now: scenario.now, uptime: .zero)
        try await store.maintenance(now: scenario.now + 3_000_000, uptime: .seconds(3000))
        #expect(try await counts() == before, "it is not old enough")
        try await store.maintenance(now: scenario.now + 3_700_000, uptime: .seconds(3700))
        let summary = try #require(try await store.summary(session: "s", showsNames: false))
        #expect(summary.connections.map(\.connection) == [scenario.alice.connection])
        #expect(summary.streams.count == 1, "who is still there stays")
        #expect(try await store.sessions(.init()).items.map(\.session) == ["s"])
    }

    @Test("the oldest goes first when there is too much, until it is not")
    func size() async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        configuration.maximumBytes = 3 << 20
        let store = try SQLiteCallStore.inMemory(configuration: configuration)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        for _ in 0..<8 {
            try await scenario.write(
                scenario.bob, Array(repeating: StoreScenario.sample("excellent"), count: 8000))
        }
        #expect(try await store.bytes() > 3 << 20)
        try await store.maintenance(now: scenario.now)
        #expect(try await store.bytes() <= 3 << 20)
        var query = WindowQuery(session: "s")
        query.limit = 100_000
        let left = try #require(try await store.samples(query)).items
        #expect(left.last?.time == scenario.now)
        #expect(left.count > 1000 && left.count < 64_000)
    }

    @Test("events, reports, alerts and sessions that have ended are under the limit too")
    func sizeWithoutSamples() async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        configuration.maximumBytes = 1 << 20
        let store = try SQLiteCallStore.inMemory(configuration: configuration)
        let scenario = StoreScenario(store: store)
        try await scenario.begin()
        for batch in 0..<10 {
            var records: [StoreRecord] = []
            for number in 0..<2000 {
                let time = scenario.now + Double(batch * 2000 + number)
                let mark = EventMark(time: time, capturedAt: time, event: Int64(number))
                records.append(
                    .event(
                        .init(
                            session: "s", connection: scenario.alice.connection, mark: mark,
                            type: "streamPropertyChanged", detail: ["to": "\(batch)"])))
            }
            _ = try await store.write(records)
        }
        #expect(try await store.bytes() > 2 << 20)
        try await store.maintenance(now: scenario.now, uptime: .zero)
        #expect(try await store.bytes() <= 1 << 20)
        // The newest are left.
        var query = WindowQuery(session: "s")
        query.limit = 100_000
        let left = try #require(try await store.timeline(query)).items
        #expect(left.count > 1000 && left.last?.time == scenario.now + 19_999)
        #expect(left.map(\.time) == left.map(\.time).sorted())

        for number in 0..<3000 {
            let name = "ended\(number)"
            _ = try await store.write([
                .session(name: name, kind: .hosted(.routed), createdAt: scenario.now + 30_000),
                .connection(
                    .init(
                        name: name, session: name, participant: String(repeating: "x", count: 100),
                        role: .subscriber, joinedAt: scenario.now + 30_000)),
                .sessionEnded(name: name, at: scenario.now + 30_000 + Double(number)),
            ])
        }
        try await store.maintenance(now: scenario.now, uptime: .zero)
        #expect(try await store.bytes() <= 1 << 20)
        // Who is still there stays.
        #expect(try await store.summary(session: "s", showsNames: false)?.connections.count == 2)
    }

    @Test("sessions that no one ever joined go as others do, by age and by size", arguments: [true, false])
    func neverUsed(byAge: Bool) async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = byAge ? .seconds(3600) : nil
        configuration.maximumBytes = byAge ? nil : 512 << 10
        let store = try SQLiteCallStore.inMemory(configuration: configuration)
        let start = StoreScenario.start
        var records: [StoreRecord] = []
        let filler = String(repeating: "-", count: 100)
        for number in 0..<4000 {
            let name = "never used \(filler) \(number)"
            records.append(.session(name: name, kind: .hosted(.routed), createdAt: start + Double(number)))
            records.append(.sessionEnded(name: name, at: start + Double(number)))
        }
        _ = try await store.write(records)
        let before = try await store.bytes()
        try await store.maintenance(now: start + 30_000, uptime: .zero)
        if byAge { try await store.maintenance(now: start + 7_200_000, uptime: .seconds(7170)) }
        let left = try await store.sessions(.init()).items
        #expect(byAge ? left.isEmpty : left.first?.session.hasSuffix(" 3999") == true)
        #expect(try await store.bytes() <= (byAge ? before / 2 : 512 << 10))
    }

    @Test("of a session that continues, who left it is under the limit too, and goes before younger samples")
    func livesOfExcess() async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        configuration.maximumBytes = 1 << 20
        let store = try SQLiteCallStore.inMemory(configuration: configuration)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        var records: [StoreRecord] = []
        for number in 0..<6000 {
            let name = "gone\(number)"
            records.append(
                .connection(
                    .init(
                        name: name, session: "s", participant: String(repeating: "x", count: 100),
                        role: .subscriber, joinedAt: scenario.now)))
            records.append(.connectionLeft(name: name, at: scenario.now, reason: .left))
        }
        _ = try await store.write(records)
        scenario.now += 60_000
        try await scenario.write(scenario.bob, Array(repeating: StoreScenario.sample("good"), count: 100))
        #expect(try await store.bytes() > 1 << 20)
        try await store.maintenance(now: scenario.now, uptime: .zero)
        #expect(try await store.bytes() <= 1 << 20)
        #expect(try await store.summary(session: "s", showsNames: false)?.connections.count ?? 0 < 5000)
        #expect(try await store.samples(.init(session: "s"))?.items.count == 100)
    }

    @Test("minutes go with the last of their samples, and no others")
    func minutesOfExcess() async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        configuration.maximumBytes = 2 << 20
        let store = try SQLiteCallStore.inMemory(configuration: configuration)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        for _ in 0..<5 {
            try await scenario.write(
                scenario.bob, Array(repeating: StoreScenario.sample("excellent"), count: 6000))
        }
        try await store.maintenance(now: scenario.now, uptime: .zero)
        var query = WindowQuery(session: "s")
        query.limit = 100_000
        let samples = try #require(try await store.samples(query)).items
        let minutes = try #require(try await store.minutes(query)).items
        #expect(
            Set(minutes.map { $0.time }) == Set(samples.map { ($0.time / 60_000).rounded(.down) * 60_000 }))
    }

    @Test(
        "a wall clock that steps deletes nothing for a day",
        arguments: [3_600_000, 31 * 86_400_000, 10 * 365 * 86_400_000] as [Double], [1, -1] as [Double])
    func clockStep(size: Double, sign: Double) async throws {
        let store = try SQLiteCallStore.inMemory()
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        try await scenario.write(scenario.bob, Array(repeating: StoreScenario.sample("good"), count: 100))
        _ = try await store.write([.sessionEnded(name: "s", at: scenario.now)])
        var uptime: Duration = .seconds(5)
        #expect(try await store.maintenance(now: scenario.now, uptime: uptime).clockStep == nil)
        let stepped = scenario.now + sign * size
        uptime += .seconds(5)
        let outcome = try await store.maintenance(now: stepped + 5000, uptime: uptime)
        #expect(outcome.clockStep == sign * size)
        #expect(try await store.samples(.init(session: "s"))?.items.count == 100)
        // New calls are stored, read and sorted, whatever the clock says.
        var later = StoreScenario(session: "later", store: store)
        later.now = max(0, stepped)
        try await later.begin()
        try await later.write(later.bob, Array(repeating: StoreScenario.sample("good"), count: 100))
        // It is put right again before the day is over: nothing was lost.
        uptime += .seconds(3600)
        let back = try await store.maintenance(now: scenario.now + 3_610_000, uptime: uptime)
        #expect(back.clockStep != nil)
        for session in ["s", "later"] {
            let times = try #require(try await store.samples(.init(session: session))).items.map(\.time)
            #expect(times.count == 100 && times == times.sorted())
            let minutes = try #require(try await store.minutes(.init(session: session))).items
            #expect(minutes.map(\.judgement.samples).reduce(0, +) == 100)
        }
        // After a day without another step what is old goes as ever.
        for day in 1...40 {
            uptime += .seconds(86_400)
            let now = scenario.now + 3_610_000 + Double(day) * 86_400_000
            #expect(try await store.maintenance(now: now, uptime: uptime).clockStep == nil)
        }
        #expect(try await store.summary(session: "s", showsNames: false) == nil)
    }

    @Test("samples of a clock that was ahead do not keep those behind them for ever")
    func clockAhead() async throws {
        let store = try SQLiteCallStore.inMemory()
        var ahead = StoreScenario(session: "ahead", store: store)
        ahead.now += 20 * 365 * 86_400_000
        try await ahead.begin()
        try await ahead.write(ahead.bob, Array(repeating: StoreScenario.sample("good"), count: 10_000))
        var call = StoreScenario(store: store)
        try await call.begin()
        try await call.write(call.bob, Array(repeating: StoreScenario.sample("good"), count: 100))
        var uptime: Duration = .zero
        for day in 0...40 {
            let now = call.now + Double(day) * 86_400_000
            try await store.maintenance(now: now, uptime: uptime)
            uptime += .seconds(86_400)
            if day == 20 { #expect(try await store.samples(.init(session: "s"))?.items.count == 100) }
        }
        #expect(try await store.samples(.init(session: "s"))?.items.isEmpty == true)
        #expect(try await store.samples(.init(session: "ahead"))?.items.isEmpty == true)
    }
}
