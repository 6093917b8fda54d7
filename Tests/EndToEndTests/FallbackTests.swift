// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import MediaEngine
import SessionServer
import SessionWire
import Sightline
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Three clients in a routed session, of which one has a small downlink.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct FallbackTests {
        @Test("video that one downlink does not carry gives way there alone, and comes back; audio continues")
        func switchesOff() async throws {
            let call = try await ThreeParties()
            try await call.settle()
            try call.limit(120)
            try await eventually("video is off", within: .seconds(40)) {
                call.carol.log.contains { $0.hasPrefix("off") }
            }
            // The estimate may rise once more before it falls for good; in which order, the policy's own
            // tests pin down.
            let log = call.carol.log
            #expect(log.suffix(2) == ["warning", "off qualityChanged"], "\(log)")
            #expect(
                log.dropLast(2).enumerated().allSatisfy { $1 == ["warning", "lifted"][$0 % 2] }, "\(log)")
            let sound = call.carol.packets
            try await eventually("audio continues") { call.carol.packets > sound + 100 }
            #expect(call.bob.log.isEmpty && call.bob.height == 360)
            try call.limit(nil)
            try await eventually("video is back in full", within: .seconds(60)) {
                call.carol.log.last == "on qualityChanged" && call.carol.height == 360
            }
            #expect(call.bob.log.isEmpty && call.bob.height == 360)
            try await call.end()
        }

        @Test("a low layer that fits keeps running, and no one is warned")
        func keepsLowLayer() async throws {
            let call = try await ThreeParties()
            try await call.settle()
            try call.limit(200)
            try await eventually("the low layer", within: .seconds(40)) { call.carol.height == 180 }
            let frames = call.carol.frames
            try await eventually("it continues", within: .seconds(40)) { call.carol.frames > frames + 100 }
            #expect(!call.carol.log.contains { $0.hasPrefix("off") })
            #expect(call.bob.log.isEmpty && call.bob.height == 360)
            try await call.end()
        }

        @Test("a moderator ends a stream and puts a client out; no one else may")
        func moderation() async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness)
            let refusal = await #expect(throws: SightlineError.self) {
                try await call.bob.forceUnpublish(call.subscriber.stream)
            }
            #expect(refusal?.code == .forbidden)
            let moderator = try await harness.client("mod", role: .moderator)
            try await eventually("the stream is known") { !moderator.streams.isEmpty }
            let ended = call.publisher.events()
            try await moderator.forceUnpublish(moderator.streams[0])
            let isOver = await ended.contains { if case .streamDestroyed = $0 { true } else { false } }
            #expect(isOver)
            try await eventually("it is gone at bob's") { call.bob.streams.isEmpty }
            let events = call.bob.events()
            let bob = try #require(moderator.connections.first { $0.name == "bob" })
            try await moderator.forceDisconnect(bob)
            var codes: [SightlineError.Code] = []
            for await event in events {
                if case .didFailWithError(let error) = event { codes.append(error.code) }
            }
            #expect(codes == [.forceDisconnected])
            #expect(call.alice.isConnected && !call.bob.isConnected)
            await moderator.disconnect()
            await call.end()
            try await harness.close()
        }
    }
}

/// alice publishes in two layers, bob and carol watch; carol's downlink can be limited.
private final class ThreeParties: Sendable {
    /// What a subscriber sees and hears.
    final class Viewer: Sendable {
        private struct State {
            var log: [String] = []
            var height = 0
            var frames = 0
            var packets: UInt64 = 0
        }

        let session: Session
        let subscriber: Subscriber
        private let state = Mutex(State())

        init(_ session: Session, _ subscriber: Subscriber) {
            self.session = session
            self.subscriber = subscriber
        }

        var log: [String] { state.withLock { $0.log } }
        var height: Int { state.withLock { $0.height } }
        var frames: Int { state.withLock { $0.frames } }
        var packets: UInt64 { state.withLock { $0.packets } }

        func follow() async {
            async let pictures: Void = followVideo()
            async let life: Void = followLife()
            async let sound: Void = followAudio()
            _ = await (pictures, life, sound)
        }

        private func followVideo() async {
            for await frame in subscriber.frames() {
                state.withLock {
                    $0.height = frame.height
                    $0.frames += 1
                }
            }
        }

        private func followAudio() async {
            for await observation in subscriber.observations() {
                state.withLock { $0.packets = observation.audio?.packets ?? $0.packets }
            }
        }

        private func followLife() async {
            for await event in subscriber.events() {
                let entry: String? =
                    switch event {
                    case .videoDisableWarning: "warning"
                    case .videoDisableWarningLifted: "lifted"
                    case .videoDisabled(let reason): "off \(reason.name)"
                    case .videoEnabled(let reason): "on \(reason.name)"
                    default: nil
                    }
                if let entry { state.withLock { $0.log.append(entry) } }
            }
        }
    }

    let harness: CallHarness
    let alice: Session
    let bob: Viewer
    let carol: Viewer
    private let tasks: [Task<Void, Never>]

    init() async throws {
        harness = try await CallHarness()
        alice = try await harness.client("alice")
        var publishing = PublisherSettings()
        publishing.resolution = VideoSize(width: 640, height: 360)
        publishing.frameRate = 20
        try await alice.publish(Publisher(settings: publishing))
        var viewers: [Viewer] = []
        for name in ["bob", "carol"] {
            let session = try await harness.client(name, role: .subscriber)
            try await eventually("the stream at \(name)'s") { !session.streams.isEmpty }
            var settings = SubscriberSettings()
            settings.networkConditions = NetworkConditions()
            let viewer = Viewer(session, Subscriber(stream: session.streams[0], settings: settings))
            viewers.append(viewer)
        }
        (bob, carol) = (viewers[0], viewers[1])
        tasks = viewers.map { viewer in Task { await viewer.follow() } }
        for viewer in viewers { try await viewer.session.subscribe(viewer.subscriber) }
    }

    /// Both see the full size for a moment.
    func settle() async throws {
        try await eventually("full size", within: .seconds(40)) { bob.height == 360 && carol.height == 360 }
        let frames = carol.frames
        try await eventually("for a moment", within: .seconds(40)) {
            carol.frames > frames + 60 && carol.height == 360
        }
    }

    /// Limits carol's downlink, kbit/s.
    func limit(_ rate: Double?) throws {
        var conditions = NetworkConditions()
        conditions.down.rate = rate
        try carol.subscriber.setNetworkConditions(conditions)
    }

    func end() async throws {
        for session in [bob.session, carol.session, alice] { await session.disconnect() }
        for task in tasks { await task.value }
        try await harness.close()
    }
}
