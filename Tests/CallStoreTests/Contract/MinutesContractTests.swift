// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire
import Testing

/// What every store promises of a session's minutes that several have measured.
@Suite("The contract of stores: minutes")
struct MinutesContractTests {
    /// Ten samples of a minute, some of them with a condition and its cause, the others excellent.
    private static func ten(_ condition: String, _ cause: String, _ count: Int) -> [StreamSample] {
        Array(repeating: StoreScenario.sample(condition, cause: cause), count: count)
            + Array(repeating: StoreScenario.sample("excellent"), count: 10 - count)
    }

    /// Eight minutes: what alice and bob measured in each, and in the last two the router at bob's end of the path.
    private static func call(_ history: TestedHistory) async throws -> StoreScenario {
        var scenario = try await history.scenario()
        try await scenario.begin()
        let good = ten("excellent", "none", 0)
        let (alice, bob) = (scenario.alice, scenario.bob)
        let minutes: [[(FlowKey, Observer, [StreamSample])]] = [
            [(bob, .client, ten("critical", "bandwidth", 2)), (alice, .client, good)],
            [(bob, .client, ten("critical", "jitter", 4)), (alice, .client, good)],
            [(bob, .client, ten("warning", "packetLoss", 5)), (alice, .client, good)],
            [(bob, .client, good), (alice, .client, ten("fair", "bandwidth", 3))],
            [(bob, .client, ten("fair", "latency", 6)), (alice, .client, ten("fair", "latency", 6))],
            [(bob, .client, good), (alice, .client, ten("fair", "cpu", 1))],
            // The person's own figures count; where there are none, the router's.
            [
                (bob, .client, good), (alice, .client, good),
                (bob, .router, ten("critical", "connection", 10)),
            ],
            [(bob, .router, ten("critical", "packetLoss", 5))],
        ]
        for (minute, flows) in minutes.enumerated() {
            scenario.now = StoreScenario.start + Double(minute) * 60_000
            var records: [StoreRecord] = []
            for (flow, observer, samples) in flows {
                for sample in samples { records.append(scenario.record(flow, sample, observer: observer)) }
            }
            _ = try await scenario.store.write(records)
        }
        // Where minutes are put together in memory, the last two stay there: they may not be over.
        try await scenario.store.maintenance(now: scenario.now)
        return scenario
    }

    @Test(
        "the five worst come, each with whose they were and what was wrong in it, as clients measured it",
        arguments: TestedHistory.allCases)
    func worst(history: TestedHistory) async throws {
        let scenario = try await Self.call(history)
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: false))
        let worst = summary.worstMinutes
        #expect(worst.map { ($0.time - StoreScenario.start) / 60_000 } == [7, 1, 0, 2, 4])
        #expect(worst.map(\.worstCondition) == [.critical, .critical, .critical, .warning, .fair])
        #expect(worst.map(\.badSamples) == [5, 4, 2, 5, 12])
        #expect(worst.map(\.samples) == [10, 20, 20, 20, 20])
        #expect(worst.map(\.cause) == [.packetLoss, .jitter, .bandwidth, .packetLoss, .latency])
        let bob = ["s-bob"]
        #expect(worst.map(\.connections) == [bob, bob, bob, bob, ["s-alice", "s-bob"]])
    }

    @Test("a flow's sums are of each of those who measured it", arguments: TestedHistory.allCases)
    func observers(history: TestedHistory) async throws {
        let scenario = try await Self.call(history)
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: false))
        let bob = try #require(summary.flows.first { $0.flow.connection == "s-bob" })
        #expect(bob.judgements.map(\.observer) == [.client, .router])
        #expect(bob.judgements.map(\.samples) == [70, 20])
        #expect(bob.judgements.map(\.worstCondition) == [.critical, .critical])
        #expect(bob.judgements.last?.causes == [.connection: 10, .packetLoss: 5])
        #expect(bob.judgements.first?.conditions == [.critical: 6, .warning: 5, .fair: 6, .excellent: 53])
    }

    @Test(
        "each has its own words, whatever is asked for, and on whatever page it is",
        arguments: TestedHistory.allCases, [1, 3, 100])
    func pages(history: TestedHistory, limit: Int) async throws {
        let scenario = try await Self.call(history)
        func minutes(_ change: (inout WindowQuery) -> Void) async throws -> [FlowMinute] {
            var query = WindowQuery(session: "s")
            query.limit = limit
            change(&query)
            var (found, pages): ([FlowMinute], Int) = ([], 0)
            repeat {
                let page = try #require(try await scenario.store.minutes(query))
                found += page.items
                pages += 1
                query.cursor = page.next
            } while query.cursor != nil && pages < 100
            return found
        }
        let start = StoreScenario.start
        let all = try await minutes { _ in }
        #expect(all.count == 16)
        #expect(all.map(\.judgement.samples) == Array(repeating: 10, count: 16))
        let bad = all.filter { $0.flow.connection == "s-bob" && $0.judgement.causes != [:] }
        #expect(bad.map { ($0.time - start) / 60_000 } == [0, 1, 2, 4, 6, 7])
        let causes = bad.map { $0.judgement.causes.sorted.map { "\($0.word.name) \($0.count)" } }
        #expect(
            causes == [
                ["bandwidth 2"], ["jitter 4"], ["packetLoss 5"], ["latency 6"], ["connection 10"],
                ["packetLoss 5"],
            ])
        let two = try await minutes {
            $0.from = start + 120_000
            $0.to = start + 180_000
            $0.observer = .client
        }
        #expect(two == all.filter { (start + 120_000...start + 180_000).contains($0.time) })
        let router = try await minutes { $0.observer = .router }
        #expect(router == all.filter { $0.judgement.observer == .router } && router.count == 2)
        let alone = try await minutes { $0.connection = "s-alice" }
        #expect(alone == all.filter { $0.flow.connection == "s-alice" } && alone.count == 7)
    }
}
