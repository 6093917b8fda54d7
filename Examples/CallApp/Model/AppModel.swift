// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AppleWebRTC
import CallQuality
import Foundation
import Observation
import Sightline

/// What the app has for as long as it runs: what was entered, the network test, and the call if there is one.
@MainActor @Observable
final class AppModel {
    /// Address of the session server.
    var url = "ws://localhost:8080"
    /// Token of the call.
    var token = ""
    /// Token of a session of its own for the network test.
    var testToken = ""
    let check: NetworkCheck
    /// The call that one is in, or was in last; `nil` on the first screen.
    private(set) var call: OngoingCall?
    private(set) var isJoining = false
    /// The call that is being joined; `nil` also once that is to end.
    @ObservationIgnored private var connecting: OngoingCall?
    /// Why joining failed.
    private(set) var problem: String?
    /// One for the life of the process.
    @ObservationIgnored private let engine: AppleWebRTCEngine
    @ObservationIgnored private let signaling: any SignalingTransport

    /// Makes the app's model; another transport is for tests.
    init(
        engine: AppleWebRTCEngine = AppleWebRTCEngine(),
        signaling: any SignalingTransport = URLSessionSignaling()
    ) {
        self.engine = engine
        self.signaling = signaling
        check = NetworkCheck(engine: engine, signaling: signaling)
    }

    /// Whether something may be begun: the test and the call would disturb each other.
    var isIdle: Bool { !isJoining && !check.isRunning }

    func testNetwork() async {
        guard isIdle else { return }
        await check.run(url: url.trimmed, token: testToken.trimmed)
    }

    /// Joins, and publishes what the network test found possible, or all.
    func join() async {
        guard isIdle, call == nil else { return }
        isJoining = true
        defer { isJoining = false }
        problem = nil
        let call = OngoingCall(url: url.trimmed, token: token.trimmed, engine: engine, signaling: signaling)
        guard await connect(call) else { return await call.leave() }
        self.call = call
        await call.publish(video: check.report?.verdict != .audioOnly)
    }

    /// Whether the call is entered, and still wanted then.
    private func connect(_ call: OngoingCall) async -> Bool {
        connecting = call
        var failure: String?
        do { try await call.connect() } catch { failure = error.words }
        // Closed meanwhile: that is no failure, and nothing is to be published.
        guard connecting === call else { return false }
        connecting = nil
        problem = failure
        return failure == nil
    }

    /// Goes back to the first screen, also from joining.
    func close() async {
        check.stop()
        let last = call ?? connecting
        (call, connecting) = (nil, nil)
        await last?.leave()
    }
}

extension String {
    /// Without what is copied with a token by accident.
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
