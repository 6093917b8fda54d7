// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire
import Testing

/// What every store that lasts promises of sessions that continue.
@Suite("The contract of stores: sessions that may return after a restart")
struct ReturningSessionsContractTests {
    private static func session(_ name: String, _ mediaMode: MediaMode = .routed) -> StoreRecord {
        .session(name: name, kind: .hosted(mediaMode), createdAt: StoreScenario.start)
    }

    @Test(
        "are those that were live when the server was killed or shut down, until no one comes back any more",
        arguments: TestedHistory.lasting)
    func live(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        // No one knows what was before a new store.
        #expect(try await scenario.store.sessionsThatMayReturn() == nil)
        let end = StoreScenario.start + 1000
        _ = try await scenario.store.write([
            Self.session("killed", .relayed), Self.session("shut down", .adaptive), Self.session("ended"),
            .sessionEnded(name: "shut down", at: end, mayReturn: true), .sessionEnded(name: "ended", at: end),
        ])
        try await scenario.reopen()
        #expect(
            try await scenario.store.sessionsThatMayReturn() == ["killed": .relayed, "shut down": .adaptive])
        // Back, and over.
        _ = try await scenario.store.write([
            Self.session("killed"), .sessionEnded(name: "killed", at: end), Self.session("live"),
        ])
        try await scenario.reopen()
        #expect(
            try await scenario.store.sessionsThatMayReturn() == ["shut down": .adaptive, "live": .routed])
        _ = try await scenario.store.write([Self.session("live"), .restorationOver])
        #expect(try await scenario.store.sessionsThatMayReturn() == [:])
        try await scenario.reopen()
        #expect(try await scenario.store.sessionsThatMayReturn() == ["live": .routed])
    }
}
