// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Foundation
import LabScoring
import MediaEngine
import NIOSignaling
import Sightline

/// One run of the pre-call test with an engine that emulates the network.
struct PreCallRun {
    let scenario: PreCallScenario
    let seed: UInt64
    let router: String

    /// Longer than any run may take.
    private static let limit: Duration = .seconds(60)

    func run() async throws -> PreCallOutcome {
        try await LabServer.with(router: router) { server in
            let access = try await server.access("network test")
            let url = scenario.access == .serverDown ? "ws://127.0.0.1:1" : access.url
            let token = scenario.access == .badToken ? "nonsense" : access.token
            let test = NetworkTest(
                url: url, token: token, engine: try SeededEngine(seed: seed),
                signaling: NIOSignalingTransport(),
                configuration: try configuration())
            let start = ContinuousClock.now
            let guardian = Task {
                try await Task.sleep(for: Self.limit)
                test.stop()
            }
            defer { guardian.cancel() }
            for await case .finished(let report) in test.run() {
                return PreCallOutcome(
                    .engine, scenario, seed, report, seconds: (ContinuousClock.now - start).seconds)
            }
            return PreCallOutcome(
                .engine, scenario, seed, error: "the test's events ended",
                seconds: (ContinuousClock.now - start).seconds)
        }
    }

    private func configuration() throws -> NetworkTestConfiguration {
        var configuration = NetworkTestConfiguration()
        configuration.session.loopbackOnly = true
        configuration.networkConditions = try scenario.conditions.map { try NetworkConditions(parsing: $0) }
        return configuration
    }
}
