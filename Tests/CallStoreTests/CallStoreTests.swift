// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import GRDB
import SessionWire
import Testing

@testable import CallStore

@Suite("The store")
struct CallStoreTests {
    private static var full: StreamSample {
        var sample = StoreScenario.sample("fair", cause: "packetLoss", source: "local")
        sample.connectionEstimatedBandwidth = 1_500_000
        sample.roundTripTime = 0.0425
        sample.fractionLost = 0.025
        sample.bandwidthDemand = 1_000_000
        sample.remoteNetworkCondition = .excellent
        sample.remoteNetworkConditionReason = NetworkReason.none
        sample.diagnosis = .init(
            cause: .packetLoss, direction: .downlink, side: .local, severity: .disturbing,
            since: 1_700_000_000_123,
            evidence: .init(
                fractionLost: 0.025, roundTripTime: 0.0425, jitter: 0.0035, estimatedBandwidth: 1_500_000,
                demand: 1_000_000))
        var audio = MediaFigures()
        audio.packets = 50
        audio.packetsLost = -1
        audio.bytes = 6000
        audio.bitrate = 48000
        audio.jitter = 0.0035
        audio.audioLevel = 0.25
        audio.mos = 4.123
        audio.codec = "opus"
        audio.fractionLost = 0.025
        audio.concealment = 0.0125
        audio.jitterBufferDelay = 0.085
        sample.audio = audio
        var video = MediaFigures()
        video.codec = "VP8"
        video.maximumBitrate = 2_500_000
        video.residualFractionLost = 0.0025
        video.capturedFrameRate = 29.97
        video.packets = 5000
        video.packetsLost = 100
        video.bytes = 5_000_000_000
        video.bitrate = 900_000
        video.jitter = 0.012
        video.width = 640
        video.height = 360
        video.frameRate = 29.97
        video.framesSent = 300
        video.freezeCount = 2
        video.totalFreezesDuration = 800
        video.pauseCount = 1
        video.totalPausesDuration = 6000
        video.qualityLimitationReason = .bandwidth
        video.mos = 3.5
        video.layers = [
            .init(
                rid: "l", enabled: true, sending: true, width: 320, height: 180, frameRate: 29.97,
                bitrate: 150_000),
            .init(rid: "m", enabled: true, sending: false, frameRate: 0),
            .init(enabled: false),
        ]
        sample.video = video
        return sample
    }

    @Test("a sample is read as it was written, and what was absent is absent")
    func roundTrip() async throws {
        var scenario = try StoreScenario()
        try await scenario.begin()
        try await scenario.write(scenario.bob, [Self.full, StreamSample()])
        let page = try #require(try await scenario.store.samples(.init(session: "s")))
        #expect(page.items.map(\.sample) == [Self.full, StreamSample()])
        #expect(
            page.items.first?.flow
                == .init(session: "s", connection: "s-bob", stream: "s-stream", role: "subscriber"))
    }

    @Test("numbers that no integer can hold, and names that no one knows, are absent")
    func nonsense() async throws {
        var scenario = try StoreScenario()
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

    @Test("what comes twice is stored once, also if the person sends it again from a new connection")
    func duplicates() async throws {
        var scenario = try StoreScenario()
        try await scenario.begin()
        let record = scenario.record(scenario.bob, Self.full)
        guard case .sample(let sample) = record else {
            Issue.record("no sample")
            return
        }
        let again = FlowKey(connection: "again", number: 1)
        _ = try await scenario.store.write([
            .connection(
                .init(name: "again", session: "s", participant: "p-bob", role: .subscriber, joinedAt: 0)),
            .flow(.init(key: again, session: "s", stream: "s-stream", isPublisher: false, createdAt: 0)),
        ])
        var resent = sample
        resent.flow = again
        resent.mark.time += 5000
        let outcome = try await scenario.store.write([record, record, .sample(resent)])
        #expect(outcome.samples == 1 && outcome.duplicates == 2)
        #expect(try await scenario.store.samples(.init(session: "s"))?.items.count == 1)
    }

    @Test("no one takes the place of someone else's event by its id")
    func othersMarks() async throws {
        var scenario = try StoreScenario()
        try await scenario.begin()
        let record = scenario.record(scenario.bob, Self.full)
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

    @Test("a record that the schema refuses is counted, and those beside it are stored")
    func rejected() async throws {
        var scenario = try StoreScenario()
        try await scenario.begin()
        var orphan = scenario.record(.init(connection: "nobody", number: 1), Self.full)
        let first = scenario.record(scenario.bob, Self.full)
        let outcome = try await scenario.store.write([first, orphan])
        #expect(outcome.samples == 1 && outcome.rejected == 1)
        let long = String(repeating: "x", count: 500)
        orphan = .connection(.init(name: long, session: "s", participant: nil, role: .publisher, joinedAt: 0))
        #expect(try await scenario.store.write([orphan]).rejected == 1)
    }

    @Test("a word's number in the store is its place among the cases, and stays")
    func codes() {
        #expect(NetworkCondition.allCases.allSatisfy { Int64($0.rawValue) == $0.code })
        #expect(NetworkReason.allCases.allSatisfy { Int64($0.rawValue) == $0.code })
        #expect(NetworkDegradationSource.allCases.allSatisfy { Int64($0.rawValue) == $0.code })
        #expect(
            Diagnosis.Cause.allCases.prefix(11).map(\.name) == [
                "none", "packetLoss", "bandwidth", "latency", "jitter", "connection", "cpu", "device",
                "media",
                "recovering", "unknown",
            ])
        #expect(NetworkDirection.allCases.prefix(3).map(\.name) == ["uplink", "downlink", "both"])
        #expect(
            QualityLimitationReason.allCases.prefix(7).map(\.name) == [
                "none", "bandwidth", "cpu", "codec", "resolution", "layerChange", "other",
            ])
        #expect(Diagnosis.Cause.allCases.allSatisfy { Diagnosis.Cause(code: $0.code) == $0 })
        #expect(Diagnosis.Cause(code: 200) == nil && Diagnosis.Cause(code: -1) == nil)
    }

    @Test("layers that are damaged are absent, whatever was done to them")
    func damagedLayers() throws {
        let layers = try #require(Self.full.video?.layers)
        let bytes = LayerBlob.bytes(layers)
        #expect(LayerBlob.layers(bytes) == layers && bytes.count < 40)
        for length in 0..<bytes.count { _ = LayerBlob.layers(Array(bytes.prefix(length))) }
        for position in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[position] ^= 1 << bit
                // What can be read is something that could have been written.
                if let read = LayerBlob.layers(damaged) {
                    #expect(LayerBlob.layers(LayerBlob.bytes(read)) == read)
                }
            }
        }
        #expect(LayerBlob.layers([0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) == nil)
        #expect(LayerBlob.layers([0, 0, 0, 0]) == nil)
        #expect(LayerBlob.layers(Array(repeating: 0xFF, count: 100)) == nil)
    }

    @Test("what a killed server left open is ended when it was last heard of")
    func recovery() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "calls.sqlite").path
        var scenario = try StoreScenario(store: try SQLiteCallStore(path: path))
        try await scenario.begin()
        try await scenario.write(scenario.bob, Array(repeating: StoreScenario.sample("critical"), count: 3))
        try scenario.store.close()
        let reopened = try SQLiteCallStore(path: path)
        let summary = try #require(try await reopened.summary(session: "s", showsNames: false))
        #expect(summary.overview.endTime == scenario.now)
        #expect(summary.overview.worstCondition == "critical")
        #expect(summary.connections.allSatisfy { $0.leaveTime == scenario.now && $0.reason == "serverLost" })
        #expect(try await reopened.alerts(.init()).items.map(\.isOver) == [true])
        // Who comes back under the old names continues.
        #expect(try await reopened.write(scenario.beginning).rejected == 0)
        let again = try #require(try await reopened.summary(session: "s", showsNames: false))
        #expect(again.overview.endTime == nil && again.connections.allSatisfy { $0.leaveTime == nil })
        #expect(again.streams.allSatisfy { $0.endTime == nil } && again.flows.count == 2)
        #expect(again.flows.allSatisfy { $0.endTime == nil })
        try reopened.close()
    }

    @Test("a participant who is deleted leaves nothing, and takes nothing of others along")
    func deletion() async throws {
        var scenario = try StoreScenario()
        try await scenario.begin()
        try await scenario.write(scenario.alice, [Self.full])
        try await scenario.write(scenario.bob, [Self.full])
        #expect(try await scenario.store.deleteParticipant("p-alice") == 1)
        let samples = try #require(try await scenario.store.samples(.init(session: "s"))).items
        #expect(samples.map(\.flow.connection) == ["s-bob"])
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: true))
        #expect(summary.connections.map(\.connection) == ["s-bob"])
        #expect(summary.streams.map(\.name) == [nil] && summary.streams.map(\.connection) == [nil])
        // What is still on its way is refused, and not stored with someone else.
        #expect(try await scenario.write(scenario.alice, [Self.full]).rejected == 1)
    }
}
