// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire
import Testing

/// What every store promises of what is written.
@Suite("The contract of stores: writing")
struct WritingContractTests {
    @Test(
        "a sample is read as it was written, and what was absent is absent", arguments: TestedHistory.allCases
    )
    func roundTrip(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        try await scenario.write(scenario.bob, [StoreScenario.full, StreamSample()])
        let page = try #require(try await scenario.store.samples(.init(session: "s")))
        #expect(page.items.map(\.sample) == [StoreScenario.full, StreamSample()])
        #expect(
            page.items.first?.flow
                == .init(session: "s", connection: "s-bob", stream: "s-stream", role: .subscriber))
    }

    @Test(
        "numbers that no integer can hold, and names that no one knows, are absent",
        arguments: TestedHistory.allCases)
    func nonsense(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        var sample = StreamSample()
        sample.networkCondition = nil
        sample.roundTripTime = .nan
        sample.connectionEstimatedBandwidth = .infinity
        sample.bandwidthDemand = 1e300
        var video = MediaFigures()
        video.packets = .max
        video.width = -5
        video.layers = [.init(width: -5, height: 5, frameRate: .nan, bitrate: -1e300)]
        sample.video = video
        let outcome = try await scenario.write(scenario.bob, [sample])
        #expect(outcome.samples == 1)
        let read = try #require(try await scenario.store.samples(.init(session: "s"))?.items.first?.sample)
        #expect(read.networkCondition == nil && read.roundTripTime == nil && read.bandwidthDemand == nil)
        // What it could be is not known: nothing is invented.
        #expect(read.video?.packets == nil && read.video?.width == nil)
        #expect(read.video?.layers == [LayerFigures()])
    }

    @Test(
        "what comes twice is stored once, also if the person sends it again from a new connection",
        arguments: TestedHistory.allCases)
    func duplicates(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        let record = scenario.record(scenario.bob, StoreScenario.full)
        guard case .sample(let sample) = record else {
            Issue.record("no sample")
            return
        }
        let again = FlowKey(connection: "again", number: 1)
        _ = try await scenario.store.write([
            .connection(
                .init(name: "again", session: "s", participant: "p-bob", role: .subscriber, joinedAt: 0)),
            .flow(.init(key: again, session: "s", stream: "s-stream", role: .subscriber, createdAt: 0)),
        ])
        var resent = sample
        resent.flow = again
        resent.mark.time += 5000
        let outcome = try await scenario.store.write([record, record, .sample(resent)])
        #expect(outcome.samples == 1 && outcome.duplicates == 2)
        #expect(try await scenario.store.samples(.init(session: "s"))?.items.count == 1)
    }

    @Test("no one takes the place of someone else's event by its id", arguments: TestedHistory.allCases)
    func othersMarks(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        let record = scenario.record(scenario.bob, StoreScenario.full)
        guard case .sample(var forged) = record else {
            Issue.record("no sample")
            return
        }
        forged.flow = scenario.alice
        var event = EventRecord(
            session: "s", connection: scenario.alice.connection, flow: scenario.alice.number,
            mark: forged.mark,
            type: "callQuality")
        let forgedEvent = StoreRecord.event(event)
        event.connection = scenario.bob.connection
        event.flow = scenario.bob.number
        let outcome = try await scenario.store.write([.sample(forged), record, forgedEvent, .event(event)])
        #expect(outcome.samples == 2 && outcome.duplicates == 0 && outcome.rejected == 0)
    }

    @Test(
        "a record that the schema refuses is counted, and those beside it are stored",
        arguments: TestedHistory.allCases)
    func rejected(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        var orphan = scenario.record(.init(connection: "nobody", number: 1), StoreScenario.full)
        let first = scenario.record(scenario.bob, StoreScenario.full)
        let outcome = try await scenario.store.write([first, orphan])
        #expect(outcome.samples == 1 && outcome.rejected == 1)
        let long = String(repeating: "x", count: 500)
        orphan = .connection(.init(name: long, session: "s", participant: nil, role: .publisher, joinedAt: 0))
        #expect(try await scenario.store.write([orphan]).rejected == 1)
    }

    @Test(
        "a participant who is deleted leaves nothing, and takes nothing of others along",
        arguments: TestedHistory.allCases)
    func deletion(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        try await scenario.write(scenario.alice, [StoreScenario.full])
        try await scenario.write(scenario.bob, [StoreScenario.full])
        #expect(try await scenario.store.deleteParticipant("p-alice") == 1)
        let samples = try #require(try await scenario.store.samples(.init(session: "s"))).items
        #expect(samples.map(\.flow.connection) == ["s-bob"])
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: true))
        #expect(summary.connections.map(\.connection) == ["s-bob"])
        #expect(summary.streams.map(\.name) == [nil] && summary.streams.map(\.connection) == [nil])
        // What is still on its way is refused, and not stored with someone else.
        #expect(try await scenario.write(scenario.alice, [StoreScenario.full]).rejected == 1)
    }

    @Test(
        "an alert that lasts is stored with what it began with, until it is over",
        arguments: TestedHistory.lasting)
    func growingAlert(history: TestedHistory) async throws {
        func bad(_ count: Int, _ cause: String, _ source: String) -> [StreamSample] {
            Array(repeating: StoreScenario.sample("critical", cause: cause, source: source), count: count)
        }
        var scenario = try await history.scenario()
        try await scenario.begin()
        let began = try await scenario.write(scenario.bob, bad(3, "packetLoss", "local")).alerts
        #expect(began.map(\.alert.reason) == [.packetLoss])
        let grown = try await scenario.write(scenario.bob, bad(5, "bandwidth", "server")).alerts
        #expect(grown.map(\.alert.reason) == [.bandwidth] && grown.map(\.alert.source) == [.server])
        try await scenario.write(scenario.alice, bad(3, "packetLoss", "local"))
        try await scenario.write(
            scenario.alice, bad(5, "bandwidth", "local") + [StoreScenario.sample("excellent")])
        try await scenario.reopen()
        let ended = try await scenario.store.endOpenAlerts()
        #expect(ended.map(\.reason) == [.packetLoss] && ended.map(\.source) == [.local])
        let all = try await scenario.store.alerts(.init()).items
        #expect(all.first { $0.flow.connection == "s-alice" }?.reason == .bandwidth)
    }

    @Test(
        "what a killed server left open is ended when it was last heard of", arguments: TestedHistory.lasting)
    func recovery(history: TestedHistory) async throws {
        var scenario = try await history.scenario()
        try await scenario.begin()
        try await scenario.write(scenario.bob, Array(repeating: StoreScenario.sample("critical"), count: 3))
        try await scenario.reopen()
        let reopened = scenario.store
        let summary = try #require(try await reopened.summary(session: "s", showsNames: false))
        #expect(summary.overview.endTime == scenario.now)
        #expect(summary.overview.worstCondition == .critical)
        #expect(summary.connections.allSatisfy { $0.leaveTime == scenario.now && $0.reason == .serverLost })
        let ended = try await reopened.endOpenAlerts()
        #expect(ended.map(\.isOver) == [true] && ended.map(\.flow.connection) == ["s-bob"])
        #expect(try await reopened.alerts(.init()).items == ended)
        #expect(try await reopened.endOpenAlerts().isEmpty)
        // Who comes back under the old names continues.
        #expect(try await reopened.write(scenario.beginning).rejected == 0)
        let again = try #require(try await reopened.summary(session: "s", showsNames: false))
        #expect(again.overview.endTime == nil && again.connections.allSatisfy { $0.leaveTime == nil })
        #expect(again.streams.allSatisfy { $0.endTime == nil } && again.flows.count == 2)
        #expect(again.flows.allSatisfy { $0.endTime == nil })
    }
}
