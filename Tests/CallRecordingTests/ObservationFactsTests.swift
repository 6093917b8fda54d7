// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Testing

@testable import CallRecording

@Suite("What observations tell of a stored call")
struct ObservationFactsTests {
    private static let start = 1_767_225_600_000.0

    private static func view(_ role: StreamRole, of participant: Int = 0) -> CallView.ID {
        CallView.ID(recording: participant, peerConnection: role.rawValue, role: role)
    }

    private static func received(_ second: Int, lost: Int64 = 0, frozen: Double = 0) -> CallObservation {
        let time = start + Double(second) * 1000
        var observation = SubscriberObservation(timestamp: time, diagnosis: Diagnosis(cause: .none))
        var audio = MediaFigures()
        audio.packets = UInt64(50 * second)
        audio.packetsLost = lost * Int64(second)
        audio.jitterBufferDelay = 0.08
        audio.concealment = lost > 0 ? 0.1 : 0
        observation.audio = audio
        var video = MediaFigures()
        video.packets = UInt64(100 * second)
        video.freezeCount = frozen > 0 ? second : 0
        video.totalFreezesDuration = frozen * Double(second)
        observation.video = video
        return CallObservation(time: time, content: .subscriber(observation))
    }

    private static func sent(
        _ second: Int, level: Double, limitation: QualityLimitationReason
    ) -> CallObservation {
        let time = start + Double(second) * 1000
        var observation = PublisherObservation(timestamp: time, diagnosis: Diagnosis(cause: .none))
        var leg = PublishedLeg(timestamp: time)
        var audio = MediaFigures()
        audio.packets = UInt64(50 * second)
        audio.audioLevel = level
        leg.audio = audio
        var video = MediaFigures()
        video.packets = UInt64(100 * second)
        video.qualityLimitationReason = limitation
        leg.video = video
        observation.legs = [leg]
        return CallObservation(time: time, content: .publisher(observation))
    }

    @Test("a call without a fault has no findings and the full score")
    func fine() {
        var facts = ObservationFacts()
        for second in 1...20 {
            facts.take(Self.received(second), of: Self.view(.subscriber))
            facts.take(
                Self.sent(second, level: Double(second) / 40, limitation: .none), of: Self.view(.publisher))
        }
        #expect(facts.findings == [])
        #expect(facts.score.score == 100 && facts.score.participants.count == 1)
        #expect(ObservationFacts().findings == [] && ObservationFacts().score.score == nil)
    }

    @Test("losses, freezes, gaps, a slow processor and a silent microphone are found, by whoever shows them")
    func faults() {
        var facts = ObservationFacts()
        for second in 1...20 {
            facts.take(
                Self.received(second, lost: 5, frozen: 300), of: Self.view(.subscriber, of: 1))
            facts.take(
                Self.sent(second, level: 0, limitation: second > 5 ? .cpu : .none), of: Self.view(.publisher))
        }
        let found = facts.findings.map {
            "\($0.recording) \($0.kind.rawValue) \($0.track?.kind.rawValue ?? "")"
        }
        #expect(
            Set(found) == [
                "0 silentMicrophone audio", "0 limitedByCPU video", "1 packetLoss audio",
                "1 videoFreezes video", "1 audioInterruptions audio",
            ])
        #expect(facts.score.participants.map(\.recording) == [0, 1])
        let share = facts.facts.clients.first?.connections.first?.tracks.last?.sent?.limitedByCPU
        #expect(share == 0.75)
        #expect(facts.facts.clients.last?.connections.first?.tracks.last?.received?.freezeTime == 6)
    }

    @Test(
        "a stored call's encoder is not limited by an estimate that has room for much more, whatever it is called",
        arguments: [1_000_000.0, 700_000], [1, 2])
    func limitedByBandwidth(estimate: Double, layers: Int) {
        var facts = ObservationFacts()
        for second in 0...20 {
            let time = Self.start + Double(second) * 1000
            var observation = PublisherObservation(timestamp: time, diagnosis: Diagnosis(cause: .none))
            var leg = PublishedLeg(
                timestamp: time, transport: TransportStats(connectionEstimatedBandwidth: estimate))
            let layer = LayerObservation(
                figures: LayerFigures(enabled: true), qualityLimitationReason: .bandwidth)
            leg.layers = Array(repeating: layer, count: layers)
            var video = MediaFigures()
            video.packets = UInt64(60 * second)
            video.bytes = UInt64(62_500 * second)
            video.take(leg.layers)
            leg.video = video
            observation.legs = [leg]
            let whole = CallObservation(time: time, content: .publisher(observation))
            facts.take(second % 2 == 0 ? whole : Self.stored(whole), of: Self.view(.publisher))
        }
        let isFound = facts.findings.contains { $0.kind == .limitedByBandwidth }
        #expect(isFound == (estimate < 750_000 || layers > 1))
    }

    @Test("a refused device is a finding, without any statistics")
    func refused() {
        var facts = ObservationFacts()
        facts.take(
            TraceEvent(
                time: Self.start, content: .captureRequested(TraceCapture(hasAudio: true, hasVideo: false))),
            of: 2)
        facts.take(
            TraceEvent(
                time: Self.start,
                content: .captureFailed(error: "NotAllowedError", message: "", isDisplay: false)), of: 2)
        #expect(facts.findings.first?.kind == .permissionDenied && facts.findings.first?.recording == 2)
        #expect(facts.score.score == nil)
    }

    @Test(
        "a browser's call has nearly the score of its recording when only its samples are kept, and no other findings",
        arguments: ["chromium_pub", "chromium_sub"])
    func asRecorded(name: String) throws {
        let records = try Fixture.chromium(name)
        var (replay, collector) = (CallReplay(), FactCollector(recording: 0))
        for record in records {
            replay.handle(record)
            collector.take(record)
        }
        let timeline = replay.timeline(with: CallFacts(clients: [collector.facts(with: [])]))
        var facts = ObservationFacts()
        for view in timeline.views where view.id.track == nil {
            for observation in view.observations { facts.take(Self.stored(observation), of: view.id) }
        }
        let (whole, stored) = (timeline.score.score, facts.score.score)
        #expect(abs((whole ?? 0) - (stored ?? 1000)) < 1, "\(whole ?? -1) \(stored ?? -1)")
        #expect(Set(facts.findings.map(\.kind)).isSubset(of: timeline.findings.map(\.kind)))
    }

    /// What is left of an observation in the store.
    private static func stored(_ observation: CallObservation) -> CallObservation {
        CallObservation(time: observation.time, sample: observation.sample, of: observation.role)
    }
}
