// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import HistoryWriter
import SessionWire
import Testing

/// What every store promises of summaries and pages.
@Suite("The contract of stores: summaries and pages")
struct SummaryContractTests {
    private static func minutes(_ condition: String, _ count: Int, cause: String? = nil) -> [StreamSample] {
        Array(repeating: StoreScenario.sample(condition, cause: cause, source: "local"), count: count)
    }

    /// A minute of excellent, one with 20 s of warning, one with 5 s of critical.
    private static func call(_ history: TestedHistory) async throws -> StoreScenario {
        var scenario = try await history.scenario()
        try await scenario.begin()
        try await scenario.write(
            scenario.bob,
            minutes("excellent", 59) + minutes("warning", 20, cause: "packetLoss") + minutes("excellent", 40)
                + minutes("critical", 5, cause: "bandwidth") + minutes("excellent", 55))
        try await scenario.store.maintenance(now: scenario.now)
        return scenario
    }

    @Test("a session's samples are counted by condition, cause and blame", arguments: TestedHistory.allCases)
    func histograms(history: TestedHistory) async throws {
        let scenario = try await Self.call(history)
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: false))
        let flow = try #require(summary.flows.first { $0.flow.role == .subscriber })
        let judgement = try #require(flow.judgements.first)
        #expect(judgement.samples == 179)
        #expect(judgement.conditions == [.excellent: 154, .warning: 20, .critical: 5])
        #expect(judgement.causes == [.packetLoss: 20, .bandwidth: 5])
        #expect(judgement.sources == [.local: 179])
        #expect(flow.alerts == 2)
        #expect(summary.overview.worstCondition == .critical && summary.overview.alerts == 2)
        #expect(summary.flows.first { $0.flow.role == .publisher }?.judgements.isEmpty == true)
    }

    @Test(
        "the worst minutes come first, with what was wrong and whose they were",
        arguments: TestedHistory.allCases)
    func worstMinutes(history: TestedHistory) async throws {
        let scenario = try await Self.call(history)
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: false))
        #expect(summary.worstMinutes.map(\.worstCondition) == [.critical, .warning])
        #expect(summary.worstMinutes.map(\.cause) == [.bandwidth, .packetLoss])
        #expect(summary.worstMinutes.map(\.badSamples) == [5, 20])
        #expect(summary.worstMinutes.allSatisfy { $0.connections == ["s-bob"] })
    }

    @Test(
        "a name that is used again is what it was used for last, and a client that is named later has its name",
        arguments: TestedHistory.allCases)
    func usedAgain(history: TestedHistory) async throws {
        let scenario = try await history.scenario()
        try await scenario.begin()
        let bob = ConnectionRecord(
            name: scenario.bob.connection, session: "s", participant: "p-bob", role: .subscriber,
            client: "browser", joinedAt: scenario.now)
        _ = try await scenario.store.write([
            .sessionEnded(name: "s", at: scenario.now + 1),
            .session(name: "s", kind: .observed, createdAt: scenario.now + 2), .connection(bob),
        ])
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: false))
        #expect(summary.overview.mediaMode == .observed)
        #expect(summary.connections.compactMap(\.client).sorted() == ["browser", "test"])
    }

    @Test("a sample that comes late is in its minute", arguments: TestedHistory.allCases)
    func lateSample(history: TestedHistory) async throws {
        var scenario = try await Self.call(history)
        let mark = EventMark(time: StoreScenario.start + 10_500, capturedAt: 1, eventId: "late")
        _ = try await scenario.store.write([
            .sample(
                .init(flow: scenario.bob, observer: .client, mark: mark, sample: StoreScenario.sample("fair"))
            )
        ])
        try await scenario.store.maintenance(now: scenario.now)
        let minutes = try #require(try await scenario.store.minutes(.init(session: "s"))).items
        #expect(minutes.map(\.judgement.samples).reduce(0, +) == 180)
        #expect(minutes.first?.judgement.conditions[.fair] == 1)
        scenario.now += 1
    }

    @Test(
        "minutes come by pages, each one once, and the last page says that it is the last",
        arguments: TestedHistory.allCases, [1, 2, 100])
    func minutePages(history: TestedHistory, limit: Int) async throws {
        let scenario = try await Self.call(history)
        try await scenario.store.maintenance(now: scenario.now)
        let all = try #require(try await scenario.store.minutes(.init(session: "s"))).items
        #expect(all.count > 2)
        var query = WindowQuery(session: "s")
        query.limit = limit
        var (found, pages): ([FlowMinute], Int) = ([], 0)
        repeat {
            let page = try #require(try await scenario.store.minutes(query))
            #expect(page.items.count <= limit)
            found += page.items
            pages += 1
            query.cursor = page.next
        } while query.cursor != nil && pages < 1000
        #expect(found == all)
    }

    @Test("names are shown only to those who may see them", arguments: TestedHistory.allCases)
    func names(history: TestedHistory) async throws {
        let scenario = try await Self.call(history)
        let shown = try await scenario.store.summary(session: "s", showsNames: true)
        let hidden = try await scenario.store.summary(session: "s", showsNames: false)
        #expect(shown?.connections.map(\.name) == ["Alice", nil])
        #expect(hidden?.connections.map(\.name) == [nil, nil])
        #expect(hidden?.streams.map(\.name) == [nil])
    }

    @Test("freezes are the flow's total, and absent if no one counted", arguments: TestedHistory.allCases)
    func freezes(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        var sample = StreamSample()
        sample.video = .init()
        sample.video?.freezeCount = 3
        sample.video?.totalFreezesDuration = 900
        try await scenario.write(scenario.bob, [sample, sample])
        try await scenario.write(scenario.alice, [StreamSample()])
        try await scenario.store.maintenance(now: scenario.now)
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: false))
        let judgements = summary.flows.compactMap(\.judgements.first)
        #expect(judgements.map(\.freezes) == [nil, 3])
        #expect(judgements.map(\.freezesDuration) == [nil, 900])
    }

    @Test(
        "samples come in pages that join without a gap, and later ones after them",
        arguments: TestedHistory.allCases)
    func pages(history: TestedHistory) async throws {
        var scenario = try await Self.call(history)
        var query = WindowQuery(session: "s")
        query.limit = 50
        var times: [Double] = []
        while let page = try await scenario.store.samples(query), !page.items.isEmpty {
            times += page.items.map(\.time)
            query.cursor = page.next
        }
        #expect(times.count == 179 && times == times.sorted())
        try await scenario.write(scenario.bob, Self.minutes("good", 1))
        let later = try #require(try await scenario.store.samples(query))
        #expect(later.items.map(\.sample.networkCondition) == [.good])
    }

    @Test(
        "samples are narrowed by time, connection, participant, role and observer",
        arguments: TestedHistory.allCases)
    func windows(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        try await scenario.write(scenario.bob, Self.minutes("good", 10))
        try await scenario.write(scenario.alice, Self.minutes("fair", 5))
        func count(_ change: (inout WindowQuery) -> Void) async throws -> Int? {
            var query = WindowQuery(session: "s")
            change(&query)
            return try await scenario.store.samples(query)?.items.count
        }
        let start = StoreScenario.start
        #expect(try await count { $0.from = start + 9000 } == 7)
        #expect(try await count { $0.to = start + 3000 } == 3)
        #expect(try await count { $0.connection = "s-alice" } == 5)
        #expect(try await count { $0.participant = "p-bob" } == 10)
        #expect(try await count { $0.role = .publisher } == 5)
        #expect(try await count { $0.observer = .router } == 0)
        #expect(try await count { $0.session = "other" } == nil)
    }

    @Test(
        "sessions are found by time, participant and worst condition, the newest first, in pages",
        arguments: TestedHistory.allCases)
    func sessions(history: TestedHistory) async throws {
        let first = try await history.scenario()
        let store = first.store
        for number in 0..<5 {
            var scenario = first.beside(session: "s\(number)")
            scenario.now += Double(number) * 100_000
            try await scenario.begin()
            try await scenario.write(
                scenario.bob, [StoreScenario.sample(number == 2 ? "critical" : "excellent")])
            if number < 4 { _ = try await store.write([.sessionEnded(name: "s\(number)", at: scenario.now)]) }
        }
        try await store.maintenance(now: StoreScenario.start)
        func names(_ change: (inout SessionQuery) -> Void) async throws -> [String] {
            var query = SessionQuery()
            change(&query)
            return try await store.sessions(query).items.map(\.session)
        }
        #expect(try await names { _ in } == ["s4", "s3", "s2", "s1", "s0"])
        #expect(try await names { $0.condition = .warning } == ["s2"])
        #expect(try await names { $0.isLive = true } == ["s4"])
        #expect(try await names { $0.from = StoreScenario.start + 250_000 } == ["s4", "s3"])
        #expect(try await names { $0.to = StoreScenario.start + 150_000 } == ["s1", "s0"])
        #expect(try await names { $0.participant = "p-alice" }.count == 5)
        #expect(try await names { $0.participant = "p-nobody" }.isEmpty)
        var query = SessionQuery()
        query.limit = 2
        query.cursor = try await store.sessions(query).next
        #expect(try await store.sessions(query).items.map(\.session) == ["s2", "s1"])
    }

    @Test(
        "events keep their order and are narrowed to a connection with what is the session's",
        arguments: TestedHistory.allCases)
    func timeline(history: TestedHistory) async throws {
        let scenario = try await history.scenario()
        try await scenario.begin()
        func event(_ type: String, _ connection: String?, _ flow: Int64? = nil) -> StoreRecord {
            let mark = EventMark(time: scenario.now, capturedAt: scenario.now, eventId: type)
            return .event(
                .init(
                    session: "s", connection: connection, flow: flow, mark: mark, type: type,
                    isAlarm: type == "callQuality", detail: ["reason": "highInboundJitter"]))
        }
        _ = try await scenario.store.write([
            event("sessionCreated", nil), event("connectionCreated", "s-alice"),
            event("callQuality", "s-bob", 2), event("callQuality", "s-bob", 2),
        ])
        var query = WindowQuery(session: "s")
        let all = try #require(try await scenario.store.timeline(query))
        #expect(all.items.map(\.type) == ["sessionCreated", "connectionCreated", "callQuality"])
        #expect(all.items.last?.stream == "s-stream" && all.items.last?.isAlarm == true)
        query.participant = "p-bob"
        let own = try #require(try await scenario.store.timeline(query))
        #expect(own.items.map(\.type) == ["sessionCreated", "callQuality"])
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: false))
        #expect(summary.flows.last?.warnings == [.highInboundJitter: 1])
    }

    @Test(
        "a cursor that is none of its own is refused, whatever it says",
        arguments: TestedHistory.allCases,
        [
            "x", "-", ".", "..", "...", "-1", "1.2.x", "1.2.3.4", "9999999999999999999",
            "9999999999999999999.1.1", "1.9999999999999999999", "0x10", " 1", "1 ", "\u{661}", "\0",
            "1'; DROP TABLE samples; --",
        ])
    func foreignCursors(history: TestedHistory, text: String) async throws {
        let scenario = try await history.scenario()
        try await scenario.begin()
        let store = scenario.store
        let cursor = try #require(PageCursor(rawValue: text))
        var window = WindowQuery(session: "s")
        window.cursor = cursor
        var sessions = SessionQuery()
        sessions.cursor = cursor
        var alerts = AlertQuery()
        alerts.cursor = cursor
        await #expect(throws: ForeignCursor.self) { _ = try await store.samples(window) }
        await #expect(throws: ForeignCursor.self) { _ = try await store.timeline(window) }
        await #expect(throws: ForeignCursor.self) { _ = try await store.reports(window) }
        await #expect(throws: ForeignCursor.self) { _ = try await store.minutes(window) }
        await #expect(throws: ForeignCursor.self) { _ = try await store.sessions(sessions) }
        await #expect(throws: ForeignCursor.self) { _ = try await store.alerts(alerts) }
    }

    @Test("a cursor is short, and not empty")
    func cursorLength() {
        #expect(PageCursor(rawValue: "") == nil)
        #expect(PageCursor(rawValue: String(repeating: "1", count: PageCursor.limit)) != nil)
        #expect(PageCursor(rawValue: String(repeating: "1", count: PageCursor.limit + 1)) == nil)
    }

    @Test("an empty page of what comes has a cursor all the same", arguments: TestedHistory.allCases)
    func emptyPages(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        var query = WindowQuery(session: "s")
        let empty = try #require(try await scenario.store.samples(query))
        #expect(empty.items.isEmpty && empty.next != nil)
        query.cursor = empty.next
        try await scenario.write(scenario.bob, Self.minutes("good", 2))
        #expect(try await scenario.store.samples(query)?.items.count == 2)
        #expect(try await scenario.store.timeline(.init(session: "s"))?.next != nil)
        #expect(try await scenario.store.reports(.init(session: "s"))?.next != nil)
        #expect(try await scenario.store.minutes(.init(session: "nobody")) == nil)
        #expect(try await scenario.store.summary(session: "nobody", showsNames: true) == nil)
        #expect(try await scenario.store.reports(.init(session: "nobody")) == nil)
        #expect(try await scenario.store.lastReports(.init(session: "nobody")).isEmpty)
    }

    @Test(
        "what a raw report was judged with is kept in it, and numbers that JSON has no form for are not",
        arguments: TestedHistory.allCases)
    func reportContext(history: TestedHistory) async throws {
        let scenario = try await history.scenario()
        try await scenario.begin()
        var remote = RemoteMetrics(queueDirection: Aged(.uplink, age: 1.5))
        let intent = MediaIntent(role: .publisher)
        let known = ReportContext(leg: "camera", intent: intent, remote: remote)
        remote.queueDirection = Aged(.uplink, age: .infinity)
        let odd = ReportContext(leg: "camera", intent: intent, remote: remote)
        let json = Array(#"[{"id":"a","timestamp":1,"type":"b"}]"#.utf8)
        let cases = [(json, known), (Array("[]".utf8), known), (json, nil), (json, odd)]
        let records = cases.enumerated().map { number, one in
            let time = StoreScenario.start + Double(number)
            let mark = EventMark(time: time, capturedAt: time, eventId: "\(number)")
            return StoreRecord.report(.init(flow: scenario.bob, mark: mark, json: one.0, context: one.1))
        }
        _ = try await scenario.store.write(records)
        struct Entry: Decodable {
            var type: String
            var leg: LegName?
            var intent: MediaIntent?
            var remote: RemoteMetrics?
        }
        let kept = try #require(try await scenario.store.reports(.init(session: "s"))).items
        let entries = try kept.map { try JSONDecoder().decode([Entry].self, from: Data($0.json)) }
        #expect(
            entries.map { $0.map(\.type) } == [["b", ContextEntry.type], [ContextEntry.type], ["b"], ["b"]])
        let contexts = entries.compactMap(\.last).compactMap { entry in
            entry.leg.map { ReportContext(leg: $0, intent: entry.intent, remote: entry.remote) }
        }
        #expect(contexts == [known, known])
        #expect(try await scenario.store.lastReports(.init(session: "s")).map(\.json) == [json])
    }

    @Test(
        "a page of raw reports ends when it is long enough, and the pages join without a gap",
        arguments: TestedHistory.allCases)
    func reportBytes(history: TestedHistory) async throws {
        let scenario = try await history.scenario()
        try await scenario.begin()
        let json = [UInt8](repeating: 32, count: 1 << 20)
        let records = (0..<10).map { number in
            let time = StoreScenario.start + Double(number)
            let mark = EventMark(time: time, capturedAt: time, eventId: "\(number)")
            return StoreRecord.report(.init(flow: scenario.bob, mark: mark, json: json))
        }
        _ = try await scenario.store.write(records)
        var query = WindowQuery(session: "s")
        query.limit = 1000
        var pages: [Int] = []
        while let page = try await scenario.store.reports(query), !page.items.isEmpty {
            pages.append(page.items.count)
            query.cursor = page.next
        }
        #expect(pages == [4, 4, 2])
        #expect(try await scenario.store.lastReports(.init(session: "s")).count == 1)
    }
}
