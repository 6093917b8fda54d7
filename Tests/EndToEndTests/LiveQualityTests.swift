// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import Sightline
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Warnings and levels of a real call, as its participants hear them.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct LiveQualityTests {
        /// What a session's delegate heard.
        private final class Listener: SessionDelegate, Sendable {
            private let heard = Mutex<[CallQualityEvent]>([])
            private let levels = Mutex<[String: [NetworkQualityLevel]]>([:])

            func callDidEmitCallQualityEvent(_ session: Session, event: CallQualityEvent) {
                heard.withLock { $0.append(event) }
            }

            func session(
                _ session: Session, networkQualityLevelChanged stats: NetworkQualityStats,
                of connection: Connection
            ) {
                levels.withLock { $0[connection.name ?? "?", default: []].append(stats.level) }
            }

            /// Warnings about what the network does; a busy machine may well be short of processor or
            /// microphone.
            var warnings: [CallQualityEvent] {
                heard.withLock { $0 }.filter {
                    [.highInboundPacketLoss, .highOutboundPacketLoss, .lowBandwidth, .missingMediaStream]
                        .contains($0.warning.kind)
                }
            }

            func changes(of name: String) -> [NetworkQualityLevel] { levels.withLock { $0[name] ?? [] } }
        }

        @Test(
            "loss on bob's downlink warns bob and lowers his level at alice's; healed, both are taken back; clean, nothing"
        )
        func downlinkLoss() async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness) { publishing, subscribing in
                publishing.networkConditions = NetworkConditions()
                subscribing.networkConditions = NetworkConditions()
            }
            let (alice, bob) = (Listener(), Listener())
            (call.alice.delegate, call.bob.delegate) = (alice, bob)
            call.alice.networkQualityConfiguration = .init(local: .detailed, remote: .minimal)
            call.bob.networkQualityConfiguration = .init()
            let other = try #require(call.alice.connections.first { $0.name == "bob" })
            let reads = Totals()
            let reading = Task {
                for await observation in call.subscriber.observations() {
                    reads.note(observation.audio?.packets, nil)
                }
            }
            try await eventually("a level of bob's, and of alice's own", within: .seconds(60)) {
                reads.count >= 8 && call.alice.networkQualityLevel(of: other) >= .three
                    && call.alice.networkQualityLevel >= .three
            }
            #expect(alice.warnings.isEmpty && bob.warnings.isEmpty)
            #expect(call.alice.networkQualityStats?.video?.send?.latency != nil)
            #expect(call.alice.networkQualityStats(of: other)?.video == nil)

            var bad = NetworkConditions()
            bad.down.loss = 8
            try call.subscriber.setNetworkConditions(bad)
            try await eventually("bob's warning, and his low level here and there", within: .seconds(60)) {
                bob.warnings.contains { Self.isLoss($0, .trigger) }
                    && call.alice.networkQualityLevel(of: other) <= .two
                    && call.bob.networkQualityLevel <= .two
            }
            try call.subscriber.setNetworkConditions(NetworkConditions())
            try await eventually("its end, and his level back", within: .seconds(90)) {
                Self.isOver(bob.warnings) && call.alice.networkQualityLevel(of: other) >= .three
                    && call.bob.networkQualityLevel >= .three
            }
            #expect(
                bob.warnings.allSatisfy {
                    $0.role == .subscriber && $0.streamId == call.subscriber.stream.streamId
                })
            #expect(alice.warnings.isEmpty)
            #expect(alice.changes(of: "bob").contains { $0 <= .two && $0 > .zero })
            await call.end()
            await reading.value
            try await harness.close()
        }

        @Test(
            "a camera that is switched off under a raised loss warning: it recovers, and says that it no longer applies"
        )
        func mutedCamera() async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness) { _, subscribing in
                subscribing.networkConditions = NetworkConditions()
            }
            let bob = Listener()
            call.bob.delegate = bob
            var bad = NetworkConditions()
            bad.down.loss = 10
            try call.subscriber.setNetworkConditions(bad)
            let isVideo = { @Sendable (event: CallQualityEvent) in
                event.warning.kind == .highInboundPacketLoss && event.warning.media == .video
            }
            try await eventually("the video's loss", within: .seconds(60)) {
                call.bob.raisedWarnings.contains(where: isVideo)
            }
            call.publisher.publishVideo = false
            try await eventually("its end", within: .seconds(30)) {
                bob.warnings.contains { isVideo($0) && $0.warning.phase == .recover }
            }
            #expect(!call.bob.raisedWarnings.contains(where: isVideo))
            let end = bob.warnings.last { isVideo($0) }
            #expect(end?.warning.recovery == .notApplicable)
            await call.end()
            #expect(Self.isOver(bob.warnings), "the others end with the stream")
            #expect(call.bob.raisedWarnings.isEmpty)
            try await harness.close()
        }

        @Test(
            "a subscriber is notified that a publisher's uplink is bad also when the publisher keeps its figures"
        )
        func hiddenUplink() async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness) { publishing, _ in
                publishing.senderStatsTrack = false
                publishing.networkConditions = NetworkConditions()
            }
            var bad = NetworkConditions()
            bad.up.loss = 25
            try call.publisher.setNetworkConditions(bad)
            var blamed: SubscriberObservation?
            let deadline = ContinuousClock.now + .seconds(60)
            for await observation in call.subscriber.observations() {
                blamed = observation
                if blamed?.networkDegradationSource == .remote || ContinuousClock.now > deadline { break }
            }
            #expect(blamed?.networkDegradationSource == .remote)
            #expect(blamed?.remotePublisherTransport == nil)
            await call.end()
            try await harness.close()
        }

        private static func isLoss(_ event: CallQualityEvent, _ phase: CallQualityWarning.Phase) -> Bool {
            event.warning.kind == .highInboundPacketLoss && event.warning.phase == phase
        }

        /// Whether everything that began has ended.
        private static func isOver(_ events: [CallQualityEvent]) -> Bool {
            let balance = events.reduce(0) { $0 + ($1.warning.phase == .trigger ? 1 : -1) }
            return balance == 0 && events.contains { isLoss($0, .recover) }
        }
    }
}
