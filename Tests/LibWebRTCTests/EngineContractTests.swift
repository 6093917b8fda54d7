// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LibWebRTC
import MediaEngine
import Synchronization
import TestSupport
import Testing
import WebRTCStats

extension EngineTests {
    /// The media engine's contract, through nothing but its protocols.
    @Suite("Media engine")
    struct EngineContractTests {
        let engine: any ConditioningPeerConnectionFactory

        init() throws {
            engine = try LibWebRTCEngine()
        }

        /// One side of a call.
        private final class Side: Sendable {
            struct Seen: Sendable {
                var states: [PeerConnectionState] = []
                var tracks: [any RemoteTrack] = []
                var channels: [any DataChannel] = []
                var gatheringCompleted = false
                var ended = false
            }

            let connection: any MediaPeerConnection
            let seen = Mutex(Seen())

            init(_ engine: any PeerConnectionFactory, conditioner: (any NetworkConditioner)? = nil) throws {
                var configuration = PeerConnectionConfiguration()
                configuration.loopbackOnly = true
                configuration.conditioner = conditioner
                connection = try engine.makePeerConnection(configuration)
            }

            var now: Seen { seen.withLock { $0 } }

            /// Reads the events until the connection ends, and brings candidates to the other side.
            func run(with other: Side) async {
                for await event in connection.events {
                    switch event {
                    case .candidate(let candidate): try? await other.connection.addCandidate(candidate)
                    case .gatheringComplete: seen.withLock { $0.gatheringCompleted = true }
                    case .connectionState(let state): seen.withLock { $0.states.append(state) }
                    case .iceState: break
                    case .track(let track): seen.withLock { $0.tracks.append(track) }
                    case .dataChannel(let channel): seen.withLock { $0.channels.append(channel) }
                    }
                }
                seen.withLock { $0.ended = true }
            }
        }

        /// Connects two sides, runs `body`, closes both; their events end then.
        private func withCall(
            _ caller: Side, _ callee: Side, _ body: () async throws -> Void
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await caller.run(with: callee) }
                group.addTask { await callee.run(with: caller) }
                defer {
                    caller.connection.close()
                    callee.connection.close()
                }
                try await negotiate(caller.connection, callee.connection)
                try await eventually("connected") {
                    [caller, callee].allSatisfy { $0.now.states.last == .connected }
                }
                try await body()
            }
            #expect(caller.now.ended && callee.now.ended)
            #expect(caller.now.states.last == .closed)
        }

        private func negotiate(
            _ caller: any MediaPeerConnection, _ callee: any MediaPeerConnection, iceRestart: Bool = false
        ) async throws {
            let offer = try await caller.createOffer(iceRestart: iceRestart)
            try await caller.setLocalDescription(offer)
            try await callee.setRemoteDescription(offer)
            let answer = try await callee.createAnswer()
            try await callee.setLocalDescription(answer)
            try await caller.setRemoteDescription(answer)
        }

        @Test("a call with video, audio and a data channel, from offer to close")
        func call() async throws {
            let network = engine.makeConditioner(seed: 1)
            let caller = try Side(engine, conditioner: network), callee = try Side(engine)
            let video = try engine.makeVideoSource(.testCard(width: 320, height: 180, frameRate: 30))
            let audio = try engine.makeAudioSource(.tone(frequency: 440))
            let dimensions = video.dimensions
            #expect(dimensions.width == 320 && dimensions.height == 180)
            let encoding = Encoding(maxBitrate: 300_000, maxFramerate: 30)
            let sender = try caller.connection.addVideo(
                video, SendParameters(codec: "VP8", encodings: [encoding], degradation: .maintainResolution))
            let audioSender = try caller.connection.addAudio(audio, SendParameters())
            let channel = try caller.connection.createDataChannel(DataChannelConfiguration(label: "chat"))
            try caller.connection.setBitrate(minimum: nil, start: 500_000, maximum: 1_000_000)

            try await withCall(caller, callee) {
                try await expectFrames(callee)
                try await expectMessages(channel, callee)
                try expectMediaKinds(sender, audioSender, video, audio)
                try await expectAudio(callee)
                try await eventually("audio level") {
                    let entries = try await callee.connection.statistics().inboundRTP
                    return abs((entries.first { $0.kind == .audio }?.audioLevel ?? 0) - 0.25) < 0.03
                }
                #expect(network.counters(.up).packetsSent > 50)
                #expect(network.counters(.up).lossFraction == 0)
                #expect(caller.now.gatheringCompleted)
            }
        }

        private func expectFrames(_ callee: Side) async throws {
            let track = try await found("a video track") {
                callee.now.tracks.first { $0.kind == .video }
            }
            let collected = Collected()
            track.setFrameHandler { collected.add($0) }
            try await eventually("20 frames") { collected.frames.count >= 20 }
            let numbers = collected.frames.compactMap(\.number)
            #expect(numbers.count == collected.frames.count)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            track.setI420Handler { collected.add($0, $1) }
            let image = try await found("a frame") { collected.images.last }
            let sizes = [image.y, image.u, image.v].map(\.count)
            #expect(sizes == [57_600, 14_400, 14_400])
            #expect(Set(image.y).count > 10)
            track.setFrameHandler(nil)
        }

        /// The tone of 440 Hz at a quarter of full scale.
        private func expectAudio(_ callee: Side) async throws {
            let track = try await found("an audio track") {
                callee.now.tracks.first { $0.kind == .audio }
            }
            let collected = Collected()
            track.setAudioHandler { collected.add($0) }
            try await eventually("half a second of the tone") {
                guard let block = collected.audio.last else { return false }
                let newest = collected.audio.suffix(50).flatMap(\.samples)
                let crossings = zip(newest, newest.dropFirst()).count { $0 < 0 && $1 >= 0 }
                let seconds = Double(newest.count) / Double(block.sampleRate * block.channels)
                let peak = Double(newest.max() ?? 0) / 32768
                return block.channels == 1 && seconds > 0.45
                    && abs(Double(crossings) / seconds - 440) < 10 && abs(peak - 0.25) < 0.05
            }
            track.setAudioHandler(nil)
            let count = collected.audio.count
            try await expectFrames(callee)
            #expect(collected.audio.count == count)
        }

        private func expectMessages(_ channel: any DataChannel, _ callee: Side) async throws {
            var events = channel.events.makeAsyncIterator()
            #expect(await events.next() == .open)
            try channel.send([1, 2, 3], isBinary: true)
            let other = try await found("the other end") { callee.now.channels.first }
            #expect(other.label == "chat")
            var others = other.events.makeAsyncIterator()
            #expect(await others.next() == .open)
            #expect(await others.next() == .message([1, 2, 3], isBinary: true))
            try other.send(Array("hello".utf8), isBinary: false)
            #expect(await events.next() == .message(Array("hello".utf8), isBinary: false))
            channel.close()
            #expect(await others.next() == .closed)
            #expect(await others.next() == nil)
        }

        private func expectMediaKinds(
            _ video: any MediaSender, _ audio: any MediaSender, _ image: any VideoSource,
            _ sound: any AudioSource
        ) throws {
            expectError(.invalidArgument) { try audio.replace(with: image) }
            expectError(.invalidArgument) { try video.replace(with: sound) }
            expectError(.invalidArgument) { try video.setEncoding(Encoding(), at: 3) }
            expectError(.invalidArgument) { try video.setEncoding(Encoding(), at: -1) }
            try video.setEncoding(Encoding(maxBitrate: 200_000), at: 0)
        }

        private func expectError(_ code: MediaEngineError.Code, _ body: () throws -> Void) {
            #expect { try body() } throws: { ($0 as? MediaEngineError)?.code == code }
        }

        @Test("media that cannot be made says why")
        func refusals() throws {
            expectError(.invalidArgument) {
                _ = try engine.makeVideoSource(.testCard(width: 1, height: 1, frameRate: 30))
            }
            expectError(.invalidMedia) { _ = try engine.makeVideoSource(.file(path: "/no/such.y4m")) }
            expectError(.invalidMedia) { _ = try engine.makeAudioSource(.file(path: "/no/such.wav")) }
            let audio = try engine.makeAudioSource(.silence)
            expectError(.unsupported) { try audio.play(.file(path: "/no/such.wav")) }
        }

        @Test("promises of every engine that need no media", arguments: EnginePromise.all)
        func promise(_ promise: EnginePromise) async throws {
            let engine = engine
            var configuration = PeerConnectionConfiguration()
            configuration.loopbackOnly = true
            try await promise.check(
                EngineSubject(
                    engine: engine, configuration: configuration,
                    makeVideo: {
                        try engine.makeVideoSource(.testCard(width: 160, height: 90, frameRate: 15))
                    }, makeAudio: { try engine.makeAudioSource(.silence) }))
        }

        @Test("servers are taken, and relay alone gathers nothing without a reachable one")
        func servers() async throws {
            var configuration = PeerConnectionConfiguration()
            configuration.loopbackOnly = true
            configuration.transportPolicy = .relay
            configuration.iceServers = [
                .init(urls: ["stun:127.0.0.1:9", "stun:127.0.0.1:10"]),
                .init(urls: ["turn:127.0.0.1:9?transport=udp"], username: "name", credential: "secret"),
            ]
            let connection = try engine.makePeerConnection(configuration)
            try connection.addReceiver(.audio)
            let offer = try await connection.createOffer(iceRestart: false)
            try await connection.setLocalDescription(offer)
            // Nothing may come before the statistics have been read twice: no host candidate slips through.
            for _ in 0..<2 {
                #expect(try await connection.statistics().localCandidates.isEmpty)
            }
            connection.close()
            for await event in connection.events {
                if case .candidate(let candidate) = event {
                    Issue.record("unexpected \(candidate.candidate)")
                }
            }
        }
    }
}

/// What handlers have been given.
private final class Collected: Sendable {
    private let state = Mutex<(frames: [ReceivedFrame], images: [I420Frame], audio: [ReceivedAudio])>(
        ([], [], []))

    var frames: [ReceivedFrame] { state.withLock { $0.frames } }
    var images: [I420Frame] { state.withLock { $0.images } }
    var audio: [ReceivedAudio] { state.withLock { $0.audio } }

    func add(_ audio: ReceivedAudio) {
        state.withLock { $0.audio.append(audio) }
    }

    func add(_ frame: ReceivedFrame) {
        state.withLock { $0.frames.append(frame) }
    }

    func add(_ frame: ReceivedFrame, _ image: I420Frame) {
        state.withLock { $0.images.append(image) }
    }
}
