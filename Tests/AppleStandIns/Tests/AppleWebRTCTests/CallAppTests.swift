// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

@_spi(StandIn) import AVFoundation
import CallQuality
import MediaEngine
import Sightline
import SwiftUI
import Testing
@_spi(StandIn) import WebRTC

@testable import AppleOnStandIns
@testable import CallAppOnStandIns

// In the suite of cameras, which are the process's: one test at a time has them.
extension VideoTests {
    @Suite("The sample app", .timeLimit(.minutes(1)))
    @MainActor struct CallAppTests {
        @Test("what is entered is used, and why joining and the test failed is shown")
        func join() async throws {
            let model = AppModel(signaling: AwayServer())
            let root = RootView(model: model)
            #expect(Screen(root).buttons == ["Join", "Test my network"])
            try #require(Screen(root).field("Server")).wrappedValue = " ws://server.test\n"
            try #require(Screen(root).field("Token")).wrappedValue = "call"
            try #require(Screen(root).field("Token for the test")).wrappedValue = "test"
            #expect((model.url, model.token, model.testToken) == (" ws://server.test\n", "call", "test"))

            await model.join()
            #expect(model.call == nil && model.isIdle)
            #expect(Screen(root).texts == [AwayServer.error.message])

            await model.testNetwork()
            let report = try #require(model.check.report)
            #expect(Screen(root).texts.contains(report.sentence))
            #expect(report.failure.map { Screen(root).texts.contains($0.advice) } == true)
            #expect(model.check.fraction <= 1 && model.isIdle)
        }

        @Test(
            "a call shows who is received and what could not be published, and its end leads back",
            arguments: ["publisher", "subscriber"])
        func call(role: String) async throws {
            let server = TextServer(role: role)
            let model = AppModel(signaling: server)
            let call = OngoingCall(
                url: "ws://server.test", token: "t", engine: AppleWebRTCEngine(), signaling: server)
            let view = CallView(model: model, call: call)
            #expect(Screen(view).texts == ["No one else publishes yet."])
            RTCCameraVideoCapturer.devices = [AVCaptureDevice(.front)]
            RTCCameraVideoCapturer.formats = [.init(width: 1280, height: 720, maxFrameRate: 30)]
            (RTCCameraVideoCapturer.started, RTCCameraVideoCapturer.stopCount) = ([], 0)
            try await call.connect()
            try await reached { !call.participants.isEmpty }
            await call.publish(video: true)
            let screen = Screen(view)
            #expect(screen.texts.contains("Guest"))
            if role == "subscriber" {
                let problem = try #require(call.own?.problem)
                #expect(problem.contains("does not allow publishing") && screen.texts.contains(problem))
                #expect(screen.leaves.count { $0 is VideoView } == 1, "one who is received")
                #expect(RTCCameraVideoCapturer.stopCount == 1, "nothing is captured that is sent to no one")
            } else {
                #expect(call.own != nil && call.own?.problem == nil)
                #expect(screen.leaves.count { $0 is VideoView } == 2, "one who is received, and oneself")
                #expect(RTCCameraVideoCapturer.stopCount == 0)
            }
            try #require(screen.toggle("Microphone")).wrappedValue = false
            try #require(screen.toggle("Camera")).wrappedValue = false
            #expect(call.own?.publisher.publishAudio == false && call.own?.publisher.publishVideo == false)

            screen.press("What happened")
            #expect(Screen(view).texts.contains("Nothing so far."))
            call.log.add("Your downlink: good → fair")
            #expect(Screen(view).texts.contains { $0.hasSuffix("Your downlink: good → fair") })

            Screen(view).press("Leave")
            try await reached { call.quality.phase == .over(nil) }
            try await reached { call.participants.isEmpty && RTCCameraVideoCapturer.stopCount > 0 }
            #expect(RTCCameraVideoCapturer.started.count == 1)
            let over = Screen(OverView(model: model, log: call.log, problem: "the reason")).texts
            #expect(over.contains("The call is over.") && over.contains("the reason"))
        }

        @Test("joining and closing by the app's model leads through the screens")
        func screens() async throws {
            let model = AppModel(signaling: TextServer())
            let root = RootView(model: model)
            // Whoever leaves while the system still asks for the camera publishes nothing, and captures nothing.
            let joining = Task { await model.join() }
            try await reached { model.call != nil }
            #expect(!Screen(root).buttons.contains("Join"))
            let call = try #require(model.call)
            await call.leave()
            await joining.value
            try await reached { call.quality.phase == .over(nil) }
            #expect(Screen(root).texts.contains("The call is over."))
            Screen(root).press("Close")
            try await reached { model.call == nil }
            #expect(Screen(root).buttons.contains("Join"))
        }

        @Test("whoever closes the window while the server is being reached enters no call")
        func closedWhileJoining() async throws {
            RTCCameraVideoCapturer.started = []
            let server = SlowServer()
            let model = AppModel(signaling: server)
            let joining = Task { await model.join() }
            while await !server.isAsked { await Task.yield() }
            await model.close()
            await server.answer()
            await joining.value
            #expect(model.call == nil && model.isIdle && model.problem == nil)
            #expect(RTCCameraVideoCapturer.started.isEmpty)
            #expect(Screen(RootView(model: model)).buttons.contains("Join"))
            // The next one is joined as ever.
            await model.join()
            #expect(model.call != nil && model.problem == nil)
            await model.close()
        }

        @Test("there is one window on a Mac, since closing it leaves the call")
        func window() { #expect(SampleApp().body is Window<RootView>) }

        @Test("without permission for the microphone nothing is published, and the camera is stopped")
        func forbiddenMicrophone() async throws {
            AVCaptureDevice.forbidden = [.audio]
            defer { AVCaptureDevice.forbidden = [] }
            let call = try await joined()
            await call.publish(video: true)
            #expect(call.own?.problem == MicrophoneSource.forbidden.message)
            #expect(call.own?.publisher.stream == nil && call.own?.hasVideo == false)
            #expect(RTCCameraVideoCapturer.started.count == 1 && RTCCameraVideoCapturer.stopCount == 1)
            await call.leave()
        }

        @Test("the audio session is active for as long as the call lasts")
        func audioSession() async throws {
            let session = RTCAudioSession.sharedInstance()
            let before = session.log.count
            let call = try await joined()
            #expect(session.log.dropFirst(before) == ["active true"])
            #expect(session.session.category == .playAndRecord && call.audioProblem == nil)
            await call.leave()
            // Twice left is once deactivated.
            await call.leave()
            #expect(session.log.dropFirst(before) == ["active true", "active false"])
        }

        @Test("a call without audio says why, and deactivates nothing")
        func refusedAudioSession() async throws {
            let session = RTCAudioSession.sharedInstance()
            let before = session.log.count
            session.failure = SightlineError(.unsupported, "a telephone call has it")
            defer { session.failure = nil }
            let call = try await joined()
            let problem = try #require(call.audioProblem)
            let model = AppModel(signaling: TextServer())
            #expect(Screen(CallView(model: model, call: call)).texts.contains(problem))
            await call.leave()
            #expect(session.log.count == before)
        }

        @Test("why there is no video is shown until there is, whatever happens to the connection")
        func notices() async throws {
            let call = try await joined()
            try await reached { !call.participants.isEmpty }
            let participant = try #require(call.participants.first)
            let off = "Video is off: \(VideoEventReason.codecNotSupported.words)."
            participant.take(.videoDisabled(.codecNotSupported))
            #expect(participant.connectionNotice == "Connecting…" && participant.videoNotice == off)
            let view = ParticipantView(participant: participant, level: .five)
            #expect(Screen(view).texts.contains("Connecting…") && Screen(view).texts.contains(off))
            participant.take(.didConnectToStream)
            #expect(participant.connectionNotice == nil && participant.videoNotice == off)
            participant.take(.didDisconnectFromStream)
            #expect(participant.connectionNotice != nil)
            participant.take(.didReconnectToStream)
            #expect(participant.connectionNotice == nil && participant.videoNotice == off)
            participant.take(.didFailWithError(AwayServer.error))
            participant.take(.videoEnabled(.codecNotSupported))
            #expect(participant.connectionNotice == AwayServer.error.message)
            #expect(participant.videoNotice == nil)
            await call.leave()
        }

        @Test("a warning names whose stream it is about, also after that has ended, and no one else")
        func warningNames() async throws {
            let call = try await joined()
            await call.publish(video: false)
            try await reached { !call.participants.isEmpty }
            let stream = try #require(call.quality.streams.first { $0.streamId == "theirs" })
            let warning = CallQualityWarning(
                kind: .frozenVideo, phase: .recover, media: .video, direction: .inbound)
            let words = { (id: String?) in
                call.words(for: CallQualityEvent(warning: warning, role: .subscriber, streamId: id))
            }
            #expect(words("theirs") == "Guest: \(warning.words)")
            await call.take(.streamDestroyed(stream))
            #expect(call.participants.isEmpty)
            #expect(words("theirs") == "Guest: \(warning.words)")
            #expect(words("mine") == "You: \(warning.words)")
            #expect(words("unknown") == warning.words)
            #expect(words(nil) == "You: \(warning.words)")
            await call.leave()
        }

        /// A call in the session of a server in memory, with a camera to publish.
        private func joined() async throws -> OngoingCall {
            RTCCameraVideoCapturer.devices = [AVCaptureDevice(.front)]
            RTCCameraVideoCapturer.formats = [.init(width: 1280, height: 720, maxFrameRate: 30)]
            (RTCCameraVideoCapturer.started, RTCCameraVideoCapturer.stopCount) = ([], 0)
            let call = OngoingCall(
                url: "ws://server.test", token: "t", engine: AppleWebRTCEngine(), signaling: TextServer())
            try await call.connect()
            return call
        }

        /// Waits for what comes by events; ends with the test's time.
        private func reached(_ condition: () -> Bool) async throws {
            while !condition() { try await Task.sleep(for: .milliseconds(2)) }
        }

        @Test("the log keeps the newest, and every diagnosis, warning and change has words")
        func words() {
            let log = EventLog()
            for number in 0...EventLog.capacity { log.add("\(number)") }
            #expect(
                log.entries.count == EventLog.capacity && log.entries.first?.text == "\(EventLog.capacity)")
            for kind in CallQualityWarning.Kind.allCases {
                let warning = CallQualityWarning(
                    kind: kind, phase: .recover, media: .audio, direction: .inbound)
                #expect(warning.words == "\(kind.words) (audio, received), over")
            }
            for reason in VideoEventReason.allCases { #expect(!VideoQualityChange(reason).words.isEmpty) }
            let change = NetworkConditionChange(from: .good, to: .fair, reason: .packetLoss)
            #expect(change.words == "good → fair, packets are lost")
            #expect(Diagnosis(cause: .packetLoss, side: .remote).side(isOwn: false) == "On the other side")
            #expect(Diagnosis(cause: .packetLoss).side(isOwn: true) == "On your side")
            #expect(Diagnosis(cause: .none, side: .local).side(isOwn: false) == nil)
        }
    }
}

/// A server that is reached when the test wants it.
private actor SlowServer: SignalingTransport {
    private var waiting: CheckedContinuation<Void, Never>?
    private var hasAnswered = false

    var isAsked: Bool { waiting != nil }

    func answer() {
        hasAnswered = true
        waiting?.resume()
        waiting = nil
    }

    func open(_ address: SignalingAddress) async throws -> any SignalingChannel {
        if !hasAnswered { await withCheckedContinuation { waiting = $0 } }
        return try await TextServer().open(address)
    }
}

/// A server that cannot be reached.
private struct AwayServer: SignalingTransport {
    static let error = SightlineError(.connectionFailed, "the server cannot be reached")

    func open(_ address: SignalingAddress) async throws -> any SignalingChannel { throw Self.error }
}
