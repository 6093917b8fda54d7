// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

@_spi(StandIn) import AVFoundation
import CallQuality
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
            #expect(screen.leaves.count { $0 is VideoView } == 2, "one who is received, and oneself")
            if role == "subscriber" {
                let problem = try #require(call.own?.problem)
                #expect(problem.contains("does not allow publishing") && screen.texts.contains(problem))
            } else {
                #expect(call.own != nil && call.own?.problem == nil)
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

/// A server that cannot be reached.
private struct AwayServer: SignalingTransport {
    static let error = SightlineError(.connectionFailed, "the server cannot be reached")

    func open(_ address: SignalingAddress) async throws -> any SignalingChannel { throw Self.error }
}
