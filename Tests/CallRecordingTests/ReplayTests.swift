// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Testing
import WebRTCStats

@Suite("Replaying recordings")
struct ReplayTests {
    private static func roles(_ records: [RecordedReport]) -> [StreamRole] {
        var replay = CallReplay()
        for record in records { replay.handle(record) }
        return replay.timeline.views.map(\.id.role)
    }

    @Test("roles come from the intent, else from what is sent and received")
    func roles() {
        func record(_ report: StatsReport, _ role: StreamRole? = nil) -> [RecordedReport] {
            [InventedCall.record(1, report, "a", role: role)]
        }
        #expect(Self.roles(record(InventedCall.sending(1))) == [.publisher])
        #expect(Self.roles(record(InventedCall.receiving(1))) == [.subscriber])
        #expect(Self.roles(record(InventedCall.both(1))) == [.publisher, .subscriber])
        #expect(Self.roles(record(InventedCall.both(1), .subscriber)) == [.subscriber])
        #expect(Self.roles(record(InventedCall.sending(1), .subscriber)) == [.subscriber])
        #expect(Self.roles(record(StatsReport(timestamp: InventedCall.start))) == [])
    }

    @Test("an intent holds until the next one")
    func intentHolds() {
        let first = InventedCall.record(1, InventedCall.both(1), "a", role: .publisher)
        #expect(Self.roles([first, InventedCall.record(2, InventedCall.both(2), "a")]) == [.publisher])
    }

    @Test("both directions of a peer connection are observed with the same figures as each alone")
    func bothDirections() throws {
        var together = CallReplay()
        var sending = PublisherObserver()
        var receiving = SubscriberObserver()
        for second in 1...5 {
            together.handle(InventedCall.record(second, InventedCall.both(second), "a"))
            let published = sending.handle(InventedCall.sending(second))
            let received = receiving.handle(InventedCall.receiving(second))
            let last = together.timeline.views.compactMap { $0.observations.last?.content }
            guard case .publisher(let publisher)? = last.first, case .subscriber(let subscriber)? = last.last
            else {
                Issue.record("There are not two views.")
                return
            }
            #expect(publisher.video.first?.bitrate == published.video.first?.bitrate)
            #expect(subscriber.video?.bitrate == received.video?.bitrate)
        }
    }

    @Test("repeated and late reports say nothing new")
    func repeated() {
        var replay = CallReplay()
        for second in [1, 2, 2, 1, 3] {
            replay.handle(InventedCall.record(second, InventedCall.sending(second), "a"))
        }
        #expect(replay.timeline.views.map(\.reports) == [3])
        #expect(replay.timeline.views.first?.to == InventedCall.time(3))
    }

    /// Whether the subscriber's last observation knew the publisher's uplink.
    private static func joins(_ parts: [(recording: Int, record: RecordedReport)]) -> Bool {
        var replay = CallReplay()
        for part in parts { replay.handle(part.record, recording: part.recording) }
        let subscriber = replay.timeline.views.last { $0.id.role == .subscriber }
        guard case .subscriber(let observation)? = subscriber?.observations.last?.content else {
            return false
        }
        return observation.remotePublisherTransport?.connectionEstimatedBandwidth == 2_000_000
    }

    private static func published(
        _ recording: Int, _ id: String = "p", at second: Int = 2, stream: String? = nil
    ) -> (Int, RecordedReport) {
        (recording, InventedCall.record(second, InventedCall.sending(second), id, stream: stream))
    }

    private static func received(_ recording: Int, at second: Int = 2, stream: String? = nil) -> (
        Int, RecordedReport
    ) {
        (recording, InventedCall.record(second, InventedCall.receiving(second), "s", stream: stream))
    }

    @Test("the one publisher of another recording is whom a subscriber hears")
    func joinedAcrossRecordings() {
        #expect(Self.joins([Self.published(0), Self.received(1)]))
        #expect(!Self.joins([Self.published(0, "p"), Self.published(0, "q"), Self.received(1)]))
        #expect(!Self.joins([Self.received(1)]))
    }

    @Test("within a recording only the stream's name joins")
    func joinedWithinRecording() {
        #expect(!Self.joins([Self.published(0), Self.received(0)]))
        #expect(Self.joins([Self.published(0, stream: "x"), Self.received(0, stream: "x")]))
    }

    @Test("a stream's name tells several publishers apart")
    func joinedByStream() {
        let publishers = [Self.published(0, "p", stream: "x"), Self.published(1, "q", stream: "y")]
        #expect(Self.joins(publishers + [Self.received(2, stream: "x")]))
        #expect(!Self.joins(publishers + [Self.received(2, stream: "z")]))
    }

    @Test("what a publisher said too long ago is not known any more")
    func stale() {
        #expect(Self.joins([Self.published(0, at: 2), Self.received(1, at: 7)]))
        #expect(!Self.joins([Self.published(0, at: 2), Self.received(1, at: 9)]))
    }

    @Test("a publisher that was replaced by another connection leaves no doubt once it is stale")
    func replaced() {
        let before = [Self.published(0, "old", at: 1), Self.published(0, "new", at: 3)]
        #expect(!Self.joins(before + [Self.received(1, at: 4)]))
        #expect(Self.joins(before + [Self.published(0, "new", at: 7), Self.received(1, at: 8)]))
    }

    @Test("facts that were recorded count before those that are inferred")
    func recordedFacts() {
        var received = Self.received(1).1
        let uplink = TransportStats(connectionEstimatedBandwidth: 7)
        received.remote = RemoteMetrics(
            senderStatsTrack: true, publisher: Aged(PublisherMetrics(transport: uplink), age: 0))
        #expect(!Self.joins([Self.published(0), (1, received)]))
    }

    @Test(
        "a relayed stream's publisher is the sender of its subscriber's leg", arguments: MediaRouting.allCases
    )
    func relayedLeg(routing: MediaRouting) {
        var replay = CallReplay()
        replay.handle(InventedCall.record(2, InventedCall.sending(2), "p", role: .publisher))
        var received = InventedCall.record(2, InventedCall.receiving(2), "s", role: .subscriber)
        received.intent?.routing = routing
        replay.handle(received, recording: 1)
        guard case .subscriber(let observation)? = replay.timeline.views.last?.observations.last?.content
        else {
            Issue.record("There is no subscriber.")
            return
        }
        let estimate = observation.transport.connectionEstimatedBandwidth
        #expect(estimate == (routing == .relayed ? 2_000_000 : nil))
    }

    @Test("observations are kept only if asked for")
    func withoutObservations() {
        var replay = CallReplay(keepsObservations: false)
        for second in 1...3 { replay.handle(InventedCall.record(second, InventedCall.sending(second), "a")) }
        #expect(replay.timeline.views.map(\.observations.count) == [0])
        #expect(replay.timeline.views.map(\.reports) == [3])
    }

    /// A call of 40 s that loses a tenth of its packets on one leg from second 15 to second 25.
    private static func lossyCall(_ leg: NetworkDirection) -> [(recording: Int, record: RecordedReport)] {
        (1...40).flatMap { second in
            let lost = Int64(10 * min(max(second - 15, 0), 10))
            var sent = InventedCall.sending(second)
            var remote = RemoteInboundRTPStats(id: "RV", timestamp: InventedCall.time(second))
            remote.kind = .video
            remote.ssrc = 1
            remote.packetsLost = leg == .uplink ? lost : 0
            sent.remoteInboundRTP = [remote]
            var received = InventedCall.receiving(second)
            received.inboundRTP[0].packetsLost = leg == .downlink ? lost : 0
            var publisher = InventedCall.record(second, sent, "p", role: .publisher)
            publisher.intent?.routing = .routed
            var subscriber = InventedCall.record(second, received, "s", role: .subscriber)
            subscriber.intent?.routing = .routed
            subscriber.intent?.audio = AudioIntent(enabled: false)
            subscriber.intent?.video = VideoIntent(
                enabled: true, wantedLayer: LayerIntent(maximumBitrate: 800_000))
            // What a subscriber of a routed session is notified of its leg's sender.
            subscriber.remote = RemoteMetrics(
                leg: Aged(SenderMetrics(estimatedBandwidth: 2_000_000), age: 0.2))
            return [(0, publisher), (1, subscriber)]
        }
    }

    private static func alarms(
        _ records: [(recording: Int, record: RecordedReport)], _ role: StreamRole
    ) -> [DiagnosisInterval] {
        var replay = CallReplay()
        for part in records { replay.handle(part.record, recording: part.recording) }
        let view = replay.timeline.views.first { $0.id.role == role }
        return view?.intervals.filter(\.isAlarm) ?? []
    }

    @Test("loss on the downlink is the subscriber's side, and the publisher suffers nothing")
    func lossyDownlink() throws {
        let call = Self.lossyCall(.downlink)
        #expect(Self.alarms(call, .publisher) == [])
        let alarms = Self.alarms(call, .subscriber)
        #expect(alarms.map(\.cause) == [.packetLoss])
        #expect(alarms.map(\.direction) == [.downlink])
        #expect(alarms.map(\.side) == [.local])
        let alarm = try #require(alarms.first)
        #expect((InventedCall.time(15)...InventedCall.time(20)).contains(alarm.from))
        #expect((InventedCall.time(25)...InventedCall.time(40)).contains(alarm.to))
    }

    @Test(
        "loss on the uplink is the remote side for the subscriber, who cannot know it from its own recording")
    func lossyUplink() throws {
        let call = Self.lossyCall(.uplink)
        #expect(Self.alarms(call, .publisher).map(\.cause) == [.packetLoss])
        #expect(Self.alarms(call, .publisher).map(\.direction) == [.uplink])
        let joined = Self.alarms(call, .subscriber)
        #expect(joined.map(\.cause) == [.packetLoss])
        #expect(joined.map(\.direction) == [.uplink])
        #expect(joined.map(\.side) == [.remote])
        #expect(Self.alarms(call.filter { $0.recording == 1 }, .subscriber) == [])
    }
}
