// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

@_spi(StandIn) import AVFoundation
import Foundation
import MediaEngine
import Testing
@_spi(StandIn) import WebRTC

@testable import AppleOnStandIns

@Suite("The audio session during calls")
struct AudioTests {
    private struct Taken: LocalizedError {
        var errorDescription: String? { "a telephone call has it" }
    }

    private static let taken = MediaEngineError(.internal, "a telephone call has it")

    private let engine = AppleWebRTCEngine()
    private let session = RTCAudioSession()
    private let audio: CallAudio

    init() { audio = CallAudio(engine, session, AudioSessionChoice()) }

    @Test("a call is heard where it is to be, also after WebRTC has configured the session itself")
    func output() throws {
        for (output, mode) in [
            (CallAudio.Output.speaker, AVAudioSession.Mode.videoChat), (.receiver, .voiceChat),
        ] {
            try audio.setOutput(output)
            #expect(session.session.category == .playAndRecord)
            #expect(session.session.mode == mode)
            #expect(session.session.categoryOptions.contains(AVAudioSession.CategoryOptions(rawValue: 4)))
            #expect(!session.isLocked)
        }
        try audio.configure(category: .playback, mode: .default, options: .mixWithOthers)
        #expect(session.session.category == .playback)
        #expect(session.session.categoryOptions == .mixWithOthers)
    }

    @Test("what the system refuses is thrown with its reason, and the session is not left locked")
    func refusals() throws {
        session.failure = Taken()
        #expect(throws: Self.taken) { try audio.setOutput(.speaker) }
        #expect(throws: Self.taken) { try audio.activate() }
        #expect(throws: Self.taken) { try audio.deactivate() }
        #expect(!session.isLocked)
        session.failure = nil
        try audio.activate()
        try audio.deactivate()
        #expect(session.log == ["active true", "active false"])
    }

    @Test("with CallKit the device plays between activation and deactivation alone")
    func callKit() throws {
        let session = session
        engine.factory.audioDeviceModule.notify = { session.note("device \($0)") }
        try audio.useCallKit()
        try audio.didActivate(.sharedInstance())
        try audio.didDeactivate(.sharedInstance())
        #expect(
            session.log == [
                "manual true", "enabled false", "device false",
                "did activate", "enabled true", "device true",
                "enabled false", "device false", "did deactivate",
            ])
        #expect(
            engine.factory.audioDeviceModule.availabilities.map(\.isInputAvailable) == [false, true, false])
    }

    @Test("a device that does not start is thrown, and the session knows of the activation all the same")
    func refusingDevice() {
        engine.factory.audioDeviceModule.code = -1
        #expect(throws: MediaEngineError(.internal, "the audio device did not start: -1")) {
            try audio.didActivate(.sharedInstance())
        }
        #expect(throws: MediaEngineError(.internal, "the audio device did not stop: -1")) {
            try audio.didDeactivate(.sharedInstance())
        }
        #expect(session.log.contains("did activate"))
        #expect(session.log.last == "did deactivate")
    }

    @Test("the device of an app's own factory is asked nothing that it may not know")
    func otherDevice() throws {
        let factory = RTCPeerConnectionFactory(encoderFactory: nil, decoderFactory: nil)
        let audio = CallAudio(AppleWebRTCEngine(factory), session, AudioSessionChoice())
        try audio.useCallKit()
        try audio.didActivate(.sharedInstance())
        #expect(factory.audioDeviceModule.availabilities.isEmpty)
        #expect(session.isAudioEnabled)
    }

    @Test("interruptions and changes of the route are reported to each listener, until it ends")
    func events() async throws {
        var events = Optional(audio.events())
        let route = AVAudioSessionRouteDescription()
        do {
            let listener = try #require(session.listeners.first)
            listener.audioSessionDidBeginInterruption(session)
            listener.audioSessionDidEndInterruption(session, shouldResumeSession: true)
            for reason in [.newDeviceAvailable, .oldDeviceUnavailable, .override, .wakeFromSleep]
                as [AVAudioSession.RouteChangeReason]
            {
                listener.audioSessionDidChangeRoute(session, reason: reason, previousRoute: route)
            }
            listener.audioSessionMediaServerReset(session)
        }
        var seen: [CallAudioEvent] = []
        if let events {
            for await event in events {
                seen.append(event)
                if event == .mediaServicesReset { break }
            }
        }
        events = nil
        let changes: [CallAudioEvent.RouteChange] = [.deviceAdded, .deviceRemoved, .configured, .other]
        #expect(
            seen == [.interruptionBegan, .interruptionEnded(shouldResume: true)]
                + changes.map { .routeChanged($0) } + [.mediaServicesReset])
        while !session.listeners.isEmpty { await Task.yield() }
    }

    @Test("the session is configured for calls by itself once, also if the system refused it at first")
    func configured() throws {
        session.failure = Taken()
        #expect(throws: Self.taken) { try audio.configureIfNeeded() }
        session.failure = nil
        try audio.configureIfNeeded()
        #expect(session.session.mode == .videoChat)
        session.session.configured = (.playback, .default, [])
        try audio.configureIfNeeded()
        #expect(session.session.category == .playback, "whoever configured it since then is not undone")
        #expect(!session.isLocked)
    }

    @Test("a session that the app has configured is left as it is, by whichever way it did that")
    func chosen() throws {
        try audio.configure(category: .playback, mode: .default, options: .mixWithOthers)
        for _ in 0..<2 { try audio.configureIfNeeded() }
        #expect(session.session.category == .playback)
        #expect(session.session.categoryOptions == .mixWithOthers)

        let other = RTCAudioSession()
        other.session.configured = (.playAndRecord, .voiceChat, [])
        try CallAudio(engine, other, AudioSessionChoice()).configureIfNeeded()
        #expect(other.session.mode == .voiceChat)

        // The app has to act on the error: no peer connection makes up for it with another category.
        let refusing = RTCAudioSession()
        let audio = CallAudio(engine, refusing, AudioSessionChoice())
        refusing.failure = Taken()
        #expect(throws: Self.taken) { try audio.configure(category: .playback, mode: .default) }
        refusing.failure = nil
        try audio.configureIfNeeded()
        #expect(refusing.session.category == .soloAmbient)
    }
}

// Among the tests of the app, which configures the process's session, too: one test at a time has it.
extension VideoTests {
    @Test("the first peer connection of the process configures its session, and no later one does")
    func processSession() throws {
        _ = try AppleWebRTCEngine().makePeerConnection(PeerConnectionConfiguration())
        let session = AVAudioSession.sharedInstance()
        #expect(session.category == .playAndRecord)
        let before = session.configured
        defer { session.configured = before }
        session.configured = (.playback, .default, .mixWithOthers)
        _ = try AppleWebRTCEngine().makePeerConnection(PeerConnectionConfiguration())
        #expect(session.category == .playback)
        #expect(session.categoryOptions == .mixWithOthers)
    }
}
