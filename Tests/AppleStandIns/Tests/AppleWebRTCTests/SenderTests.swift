// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import MediaEngine
import Synchronization
import Testing
@_spi(StandIn) import WebRTC

@testable import AppleOnStandIns

@Suite("Senders and threads of WebRTC.framework", .timeLimit(.minutes(1)))
struct SenderTests {
    private let engine = AppleWebRTCEngine()

    private func make() throws -> (peer: any MediaPeerConnection, real: RTCPeerConnection) {
        let peer = try engine.makePeerConnection(PeerConnectionConfiguration())
        return (peer, try #require(engine.factory.connections.last))
    }

    @Test(
        "what gives way has the framework's number",
        arguments: [
            (.disabled, 0), (.maintainFramerate, 1), (.maintainResolution, 2), (.balanced, 3),
        ] as [(DegradationPreference, Int)])
    func degradation(preference: DegradationPreference, number: Int) throws {
        let (peer, real) = try make()
        _ = try peer.addVideo(nil, SendParameters(degradation: preference))
        #expect(real.made.first?.sender.parameters.degradationPreference?.intValue == number)
    }

    @Test("a preference that the engine does not take is an error, and what was to be sent is in no offer")
    func refusedDegradation() throws {
        let (peer, real) = try make()
        real.isRefusingParameters = true
        #expect(
            EngineTests.code { try peer.addVideo(nil, SendParameters(degradation: .balanced)) }
                == .invalidArgument)
        #expect(real.made.map(\.isStopped) == [true])
        // Who asks for none is refused none.
        #expect(EngineTests.code { try peer.addVideo(nil, SendParameters()) } == nil)
    }

    @Test("layers of simulcast are encoded by hardware codecs too")
    func encoders() throws {
        let encoders = try #require(engine.factory.encoders as? RTCVideoEncoderFactorySimulcast)
        #expect(encoders.choices.count == 2)
        #expect(encoders.choices.allSatisfy { $0 is RTCDefaultVideoEncoderFactory })
    }

    @Test("a track that is being switched keeps no one else from switching it, and the last one has its way")
    func switching() async {
        let source = engine.factory.audioSource(with: nil)
        let track = TrackSwitch(engine.factory.audioTrack(with: source, trackId: "t"))
        let mayGoOn = DispatchSemaphore(value: 0)
        let seen = Mutex<[Bool]>([])
        track.track.onChange = { isOn in
            let isFirst = seen.withLock { seen in
                seen.append(isOn)
                return seen.count == 1
            }
            guard isFirst else { return }
            // The signaling thread is busy.
            mayGoOn.wait()
        }
        let first = Task.detached { track.setSender(false) }
        while seen.withLock({ $0.isEmpty }) { await Task.yield() }
        // These return at once.
        track.setSender(true)
        track.setSource(false)
        track.setSource(true)
        mayGoOn.signal()
        await first.value
        let switched = seen.withLock { $0 }
        #expect(switched == [false, true])
        #expect(track.track.isEnabled)
    }

    @Test("what is asynchronous keeps none of Swift's threads, however busy the signaling thread is")
    func asynchronous() async throws {
        let (peer, real) = try make()
        let busy = DispatchSemaphore(value: 0)
        let gaveUp = Mutex(false)
        real.occupy { busy.wait() }
        // Else this test would keep every other one waiting.
        let watchdog = DispatchWorkItem {
            gaveUp.withLock { $0 = true }
            busy.signal()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: watchdog)
        let calls = (0..<4 * ProcessInfo.processInfo.activeProcessorCount).flatMap { _ in
            [
                Task { _ = try await peer.createOffer(iceRestart: false) },
                Task { _ = try await peer.statistics() },
            ]
        }
        // With one of the threads that would be kept.
        for _ in 0..<10 { await Task.detached {}.value }
        let isStuck = gaveUp.withLock { $0 }
        #expect(!isStuck)
        watchdog.cancel()
        busy.signal()
        for call in calls { try await call.value }
        #expect(real.mostStatisticsCallers == 1, "reports wait on the connection's one queue")
    }
}
