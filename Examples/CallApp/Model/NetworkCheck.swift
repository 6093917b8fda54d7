// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AppleWebRTC
import Observation
import Sightline

/// The test of the network before a call, as a view shows it.
@MainActor @Observable
final class NetworkCheck {
    private(set) var isRunning = false
    /// Completed fraction, 0 to 1.
    private(set) var fraction = 0.0
    /// The result; `nil` before the first.
    private(set) var report: NetworkTestReport?
    @ObservationIgnored private let engine: AppleWebRTCEngine
    @ObservationIgnored private let signaling: any SignalingTransport
    @ObservationIgnored private var test: NetworkTest?

    init(engine: AppleWebRTCEngine, signaling: any SignalingTransport) {
        self.engine = engine
        self.signaling = signaling
    }

    /// Runs the test; returns at its end.
    func run(url: String, token: String) async {
        let test = NetworkTest(
            url: url, token: token, engine: engine, signaling: signaling, configuration: Self.configuration)
        self.test = test
        (isRunning, fraction, report) = (true, 0, nil)
        for await event in test.run() {
            switch event {
            case .progress(let progress): fraction = progress.fraction
            case .finished(let report): self.report = report
            }
        }
        (isRunning, self.test) = (false, nil)
    }

    /// Ends it early, with a verdict from what was measured until then.
    func stop() { test?.stop() }

    /// WebRTC.framework has no synthetic media: the camera and the microphone are sent.
    private static var configuration: NetworkTestConfiguration {
        var configuration = NetworkTestConfiguration()
        configuration.video = .device
        configuration.audio = .device
        return configuration
    }
}
