// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire
import Testing

/// What every store promises of calls that the application has ended.
@Suite("The contract of stores: ended calls")
struct EndedCallContractTests {
    private static let day = 86_400_000.0

    @Test(
        "are known by their last end, whether or not anything is stored of them",
        arguments: TestedHistory.allCases)
    func lastEnd(history: TestedHistory) async throws {
        let scenario = try await history.scenario()
        let start = StoreScenario.start
        #expect(try await scenario.store.endedCalls().isEmpty)
        let outcome = try await scenario.store.write([
            .callEnded(name: "a", at: start + 2), .callEnded(name: "b", at: start),
            .callEnded(name: "a", at: start + 1), .callEnded(name: "", at: start),
        ])
        #expect(outcome.rejected == 1)
        #expect(try await scenario.store.endedCalls() == ["a": start + 2, "b": start])
    }

    @Test(
        "outlast the server, and are forgotten when no token of before is left",
        arguments: TestedHistory.lasting)
    func lasting(history: TestedHistory) async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        var scenario = try await history.scenario(configuration)
        let start = StoreScenario.start
        _ = try await scenario.store.write([
            .session(name: "live", kind: .observed, createdAt: start + 40 * Self.day),
            .callEnded(name: "old", at: start), .callEnded(name: "young", at: start + 20 * Self.day),
        ])
        try await scenario.reopen()
        #expect(try await scenario.store.endedCalls().count == 2)
        try await scenario.store.maintenance(now: start + 40 * Self.day, uptime: .seconds(1))
        #expect(try await scenario.store.endedCalls().keys.sorted() == ["young"])
    }

    @Test("are as many as are remembered, and no more", arguments: TestedHistory.allCases)
    func many(history: TestedHistory) async throws {
        let scenario = try await history.scenario()
        let start = StoreScenario.start
        let limit = EndedCallMemory.limit
        _ = try await scenario.store.write(
            (0..<limit + 5).map { .callEnded(name: "\($0)", at: start + Double($0)) })
        try await scenario.store.maintenance(now: start, uptime: .seconds(1))
        let ends = try await scenario.store.endedCalls()
        #expect(ends.count == limit && ends["4"] == nil && ends["5"] == start + 5)
    }

    @Test("a session is known by its kind", arguments: TestedHistory.allCases)
    func kinds(history: TestedHistory) async throws {
        let store = try await history.scenario().store
        _ = try await store.write([
            .session(name: "hosted", kind: .hosted(.adaptive), createdAt: StoreScenario.start),
            .session(name: "observed", kind: .observed, createdAt: StoreScenario.start),
        ])
        #expect(try await store.kind(ofSession: "hosted") == .hosted(.adaptive))
        #expect(try await store.kind(ofSession: "observed") == .observed)
        #expect(try await store.kind(ofSession: "none") == nil)
    }
}
