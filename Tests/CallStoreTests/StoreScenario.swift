// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire

/// A call of two, described second by second.
struct StoreScenario {
    static let start = 1_700_000_040_000.0

    var store: any HistoryStore
    /// Where the store lies, for opening it once more; `nil` where no one does.
    private let place: (any HistoryPlace)?
    /// Unix ms.
    var now = Self.start
    let session: String
    private var events = 0

    init(session: String = "s", store: any HistoryStore, place: (any HistoryPlace)? = nil) {
        self.session = session
        self.store = store
        self.place = place
    }

    /// Another call in the same store.
    func beside(session: String) -> StoreScenario {
        StoreScenario(session: session, store: store, place: place)
    }

    /// The same call in another run of its store.
    func continued(in store: any HistoryStore) -> StoreScenario {
        var scenario = self
        scenario.store = store
        return scenario
    }

    /// Ends the store, as its server does, and opens it as the next one does.
    mutating func reopen() async throws {
        try await store.close()
        if let place { store = try await place.open() }
    }

    var alice: FlowKey { FlowKey(connection: "\(session)-alice", number: 1) }
    var bob: FlowKey { FlowKey(connection: "\(session)-bob", number: 2) }

    /// alice publishes, bob subscribes.
    var beginning: [StoreRecord] {
        [
            .session(name: session, kind: .hosted(.routed), createdAt: now),
            .connection(
                .init(
                    name: alice.connection, session: session, participant: "p-alice", displayName: "Alice",
                    role: .publisher, client: "test", joinedAt: now)),
            .connection(
                .init(
                    name: bob.connection, session: session, participant: "p-bob", role: .subscriber,
                    joinedAt: now + 1)),
            .stream(
                .init(
                    name: "\(session)-stream", session: session, connection: alice.connection,
                    content: .init(name: "camera", hasAudio: true, hasVideo: true), createdAt: now + 2)),
            .flow(
                .init(
                    key: alice, session: session, stream: "\(session)-stream", role: .publisher,
                    createdAt: now + 2)),
            .flow(
                .init(
                    key: bob, session: session, stream: "\(session)-stream", role: .subscriber,
                    createdAt: now + 3)),
        ]
    }

    func begin() async throws { _ = try await store.write(beginning) }

    static func sample(_ condition: String?, cause: String? = nil, source: String? = nil) -> StreamSample {
        var sample = StreamSample()
        sample.networkCondition = condition.flatMap(NetworkCondition.init(name:))
        sample.networkConditionReason = cause.flatMap(NetworkReason.init(name:))
        sample.networkDegradationSource = source.flatMap(NetworkDegradationSource.init(name:))
        sample.diagnosis = cause.flatMap(Diagnosis.Cause.init(name:)).map { .init(cause: $0) }
        return sample
    }

    /// The next second's record of a flow.
    mutating func record(
        _ flow: FlowKey, _ sample: StreamSample, observer: Observer = .client
    ) -> StoreRecord {
        now += 1000
        events += 1
        let mark = EventMark(time: now, capturedAt: now, eventId: "\(session)-\(events)")
        return .sample(.init(flow: flow, observer: observer, mark: mark, sample: sample))
    }

    /// Writes a flow's seconds, one sample each, and says what happened to them.
    @discardableResult
    mutating func write(_ flow: FlowKey, _ samples: [StreamSample]) async throws -> WriteOutcome {
        var records: [StoreRecord] = []
        for sample in samples { records.append(record(flow, sample)) }
        return try await store.write(records)
    }
}

extension StoreScenario {
    /// A sample that says something of everything.
    static var full: StreamSample {
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
        audio.mouthToEarDelay = 0.19
        sample.audio = audio
        var video = MediaFigures()
        video.codec = "VP8"
        video.avSync = -0.0125
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
}
