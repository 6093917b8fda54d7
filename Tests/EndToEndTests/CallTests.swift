// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import MediaEngine
import NIOSignaling
import SessionServer
import SessionWire
import Sightline
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Calls through the SDK: real engine, real server, real router process.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct CallTests {
        @Test("totals go on and never go back when both peer connections are replaced in mid-call")
        func replacement() async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness)
            let sent = Totals()
            let received = Totals()
            let watching = [
                Task {
                    for await observation in call.publisher.observations() {
                        sent.note(
                            observation.video.first?.packets, observation.legs.first?.videoDetails.startTime)
                    }
                },
                Task {
                    for await observation in call.subscriber.observations() {
                        received.note(observation.video?.packets, observation.videoDetails.startTime)
                    }
                },
            ]
            try await eventually("totals") { sent.count >= 2 && received.count >= 2 }
            try await call.publisher.replacePeerConnection()
            try await call.subscriber.replacePeerConnection()
            let (before, beforeReceived) = (sent.count, received.count)
            try await eventually("totals after it") {
                sent.count >= before + 3 && received.count >= beforeReceived + 3
            }
            for totals in [sent, received] {
                #expect(totals.wentBack == false)
                #expect(totals.startTimes.count == 1)
                #expect(totals.grew)
            }
            await call.end()
            for task in watching { await task.value }
            try await harness.close()
        }

        @Test(
            "a subscriber that cannot decode the stream's video gets its audio, and learns why",
            arguments: [MediaMode.routed, .relayed])
        func undecodable(mode: MediaMode) async throws {
            let harness = try await CallHarness(mediaMode: mode)
            let alice = try await harness.client("alice")
            var settings = PublisherSettings()
            settings.resolution = VideoSize(width: 320, height: 180)
            try await alice.publish(Publisher(settings: settings))
            let bob = try await harness.client(
                "bob", role: .subscriber, engine: try PlainEngine(decodes: "H264"))
            try await eventually("the stream at bob's") { !bob.streams.isEmpty }
            let subscriber = Subscriber(stream: bob.streams[0])
            var events = subscriber.events().makeAsyncIterator()
            try await bob.subscribe(subscriber)
            #expect(await events.next() == .videoDisabled(.codecNotSupported))
            #expect(await events.next() == .didConnectToStream)
            let heard = try await subscriber.observation { ($0.audio?.packets ?? 0) > 50 }
            #expect(heard.video?.packets ?? 0 == 0)
            await bob.disconnect()
            await alice.disconnect()
            try await harness.close()
        }

        @Test(
            "a certificate is replaced under a call: no packet is lost and no socket closes, and who comes next gets the new one",
            .enabled(if: TestCertificate.isPossible, "needs openssl"))
        func certificate() async throws {
            let (first, second) = (try TestCertificate(), try TestCertificate())
            defer { for one in [first, second] { try? one.remove() } }
            let harness = try await CallHarness(change: { configuration in
                configuration.tls = .init(certificateChain: first.certificate, privateKey: first.key)
                configuration.timeouts.certificates = .seconds(3600)
            })
            let call = try await Call(harness)
            let interruptions = [Self.interruptions(of: call.alice), Self.interruptions(of: call.bob)]
            let lost = Mutex<[Int64]>([])
            let received = Totals()
            let observing = Task {
                for await observation in call.subscriber.observations() {
                    received.note(observation.video?.packets, observation.videoDetails.startTime)
                    guard let audio = observation.audio?.packetsLost,
                        let video = observation.video?.packetsLost
                    else { continue }
                    lost.withLock { $0.append(audio + video) }
                }
            }
            try await eventually("media") { received.count >= 2 && received.grew }
            for (old, new) in [(first.certificate, second.certificate), (first.key, second.key)] {
                try Data(contentsOf: URL(filePath: new)).write(to: URL(filePath: old))
            }
            await harness.server.reloadCertificates()
            let carol = try await harness.client(
                "carol", role: .subscriber,
                signaling: NIOSignalingTransport(trustedCertificates: second.certificate))
            let before = received.count
            try await eventually("media after it", within: .seconds(20)) { received.count >= before + 5 }
            #expect(received.grew)
            #expect(lost.withLock { $0.count >= 5 && $0.allSatisfy { $0 == 0 } })
            #expect(call.alice.isConnected && call.bob.isConnected)
            await carol.disconnect()
            await call.end()
            await observing.value
            for task in interruptions { #expect(await task.value == 0) }
            try await harness.close()
        }

        /// How often a session has lost its socket by its end.
        private static func interruptions(of session: Session) -> Task<Int, Never> {
            let events = session.events()
            return Task {
                await events.reduce(into: 0) { count, event in
                    if case .sessionDidBeginReconnecting = event { count += 1 }
                }
            }
        }

        @Test("a subscriber's frames come with their pixels, at the size that was sent")
        func pixels() async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness) { publishing, _ in
                publishing.resolution = VideoSize(width: 320, height: 180)
                publishing.simulcast = .off
            }
            let (frames, continuation) = AsyncStream.makeStream(
                of: (ReceivedFrame, I420Frame).self, bufferingPolicy: .bufferingNewest(1))
            call.subscriber.setI420Handler { continuation.yield(($0, $1)) }
            for await (frame, pixels) in frames where frame.width == 320 {
                #expect(frame.height == 180)
                #expect(pixels.width == 320)
                #expect(pixels.height == 180)
                #expect(pixels.y.count == 57_600)
                #expect(pixels.u.count == 14_400)
                #expect(pixels.v.count == 14_400)
                // A test card, and not an empty frame.
                #expect(Set(pixels.y).count > 4)
                break
            }
            #expect(call.subscriber.videoTrack != nil)
            call.subscriber.setI420Handler(nil)
            try await Call.awaitFirstFrame(of: call.subscriber.frames())
            await call.end()
            #expect(call.subscriber.videoTrack == nil)
            try await harness.close()
        }

        @Test(
            "a client publishes two streams and watches one itself; another gets both, and loses the one that ends"
        )
        func severalStreams() async throws {
            let harness = try await CallHarness()
            let engine = try LibWebRTCEngine()
            let alice = try TestClient(
                "alice", url: harness.url, token: try await harness.token(.publisher, "alice"), engine: engine
            )
            let bob = try TestClient(
                "bob", url: harness.url, token: try await harness.token(.subscriber, "bob"), engine: engine)
            try await alice.connect()
            try await bob.connect()
            let publishers = [try await alice.publish(), try await alice.publish()]
            try await eventually("both streams") { bob.others.count == 2 }
            var watching: [Subscriber] = []
            for stream in bob.others { watching.append(try await bob.subscribe(stream)) }
            let own = try await alice.subscribe(try #require(publishers[1].stream))
            for subscriber in watching { try await bob.waitForFrames(subscriber, within: .seconds(30)) }
            try await alice.waitForFrames(own, within: .seconds(30))
            let (ended, left) = (try #require(publishers[0].stream), try #require(publishers[1].stream))
            try await alice.session.unpublish(publishers[0])
            try await eventually("its end") { bob.events.contains(.streamDestroyed(ended)) }
            #expect(bob.others.map(\.streamId) == [left.streamId])
            let other = try #require(watching.first { $0.stream.streamId == left.streamId })
            try await bob.waitForFrames(other, within: .seconds(30))
            try await alice.waitForFrames(own, within: .seconds(30))
            await bob.session.disconnect()
            await alice.session.disconnect()
            try await harness.close()
        }

        @Test("a killed router takes no one along: a new one is started, and the call continues")
        func killedRouter() async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness)
            let router = try await harness.router()
            kill(router, SIGKILL)
            try await eventually("a new router") {
                let health = await harness.server.health
                return health.routerRestarts >= 1 && health.routerIsRunning
            }
            #expect(try await harness.router() != router)
            // Frames that arrive after the new router is there.
            try await Call.awaitFirstFrame(of: call.subscriber.frames())
            #expect(call.alice.isConnected)
            #expect(call.bob.isConnected)
            await call.end()
            try await harness.close()
        }

        @Test(
            "a subscriber gets the publisher's own figures only if the publisher lets it",
            arguments: [true, false])
        func senderStats(isEnabled: Bool) async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness) { publishing, _ in publishing.senderStatsTrack = isEnabled }
            var last: SubscriberObservation?
            // What must not come is waited for for six seconds; what must, until the time limit.
            let deadline = ContinuousClock.now + .seconds(6)
            for await observation in call.subscriber.observations() {
                last = observation
                let isThere =
                    observation.senderStats != nil
                    && observation.remotePublisherTransport != nil
                if isThere || !isEnabled && ContinuousClock.now > deadline { break }
            }
            let seen = try #require(last)
            #expect((seen.senderStats != nil) == isEnabled)
            #expect((seen.remotePublisherTransport != nil) == isEnabled)
            // The downlink's estimate comes to every subscriber.
            #expect(seen.transport.connectionEstimatedBandwidth != nil)
            await call.end()
            try await harness.close()
        }

        @Test("loss of a client's downlink shows in its own figures, and not in the publisher's")
        func downlinkLoss() async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness) { _, subscribing in
                var conditions = NetworkConditions()
                conditions.down.loss = 10
                subscribing.networkConditions = conditions
                // Of audio's packets chance drops another share.
                subscribing.subscribeToAudio = false
            }
            let observations = call.subscriber.observations()
            var stats: MediaFigures?
            for await observation in observations {
                stats = observation.video
                if (observation.video?.packets ?? 0) > 400 { break }
            }
            let loss = try #require(stats.flatMap(Self.loss))
            let counters = try #require(call.subscriber.networkCounters(.down))
            let truth = try #require(counters.lossFraction)
            // What is dropped is drawn from all packets, most of which are probes and retransmissions: video's share differs
            // by chance. Six deviations of that come once in 5 * 10^8 runs.
            let video = Double(try #require(stats?.packets)) / (1 - loss)
            let deviation = (0.1 * 0.9 * max(0, 1 / video - 1 / Double(counters.packetsOffered))).squareRoot()
            #expect(
                abs(loss - truth) < 6 * deviation,
                "measured \(loss), dropped \(truth) of \(counters.packetsOffered)")
            var uplink: MediaFigures?
            for await observation in call.publisher.observations() {
                uplink = observation.video.first
                break
            }
            #expect(try #require(uplink?.packetsLost) <= 2)
            await call.end()
            try await harness.close()
        }

        private static func loss(_ figures: MediaFigures) -> Double? {
            guard let lost = figures.packetsLost, let received = figures.packets else { return nil }
            return Double(lost) / (Double(lost) + Double(received))
        }
    }
}
