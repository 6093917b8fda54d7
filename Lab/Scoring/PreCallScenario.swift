// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// A network, or something else in the way, that the pre-call test is tried on, and what it should find.
package struct PreCallScenario: Sendable, Equatable {
    /// How the test gets into its session.
    package enum Access: Sendable, Equatable {
        /// As it should.
        case good
        /// Nothing listens at the address.
        case serverDown
        /// The token is not one of the server's.
        case badToken
    }

    /// Its name on the page.
    package var name: String
    /// The emulated network in the words of `--condition`; `nil` for a perfect one.
    package var conditions: String?
    /// How the test gets in.
    package var access = Access.good
    /// The right verdict: `audioAndVideo`, `audioOnly` or `neither`.
    package var verdict: String
    /// The steps of which one should fail; empty if the test should come to its end, whatever its verdict.
    package var failingSteps: Set<String> = []
    /// The direction that is to blame; `nil` if none is, or both are.
    package var direction: NetworkDirection?
    /// Width of the frame that should be recommended; `nil` for none, or where it does not matter.
    package var width: Int?
    /// What the emulated network carries to the server, bps, IP and UDP headers included; `nil` for no bound.
    package var uplinkCapacity: Double?
    /// What it carries from there.
    package var downlinkCapacity: Double?

    /// Whether a failure in one of the steps is as right as a verdict: the network is so narrow that
    /// connecting takes luck.
    package var mayFailToConnect = false

    /// All of them; reasons for verdicts that are not obvious are on the page of results.
    package static let all: [PreCallScenario] =
        [
            .init(name: "clean", verdict: "audioAndVideo", width: 1920),
            .capped("4 Mbps", 4000, "audioAndVideo", width: 1280),
            .capped("720p-capable", 2500, "audioAndVideo", width: 1280),
            .capped("640x360 only", 600, "audioAndVideo", width: 640),
            .capped("200 kbps", 200, "audioOnly"), .capped("100 kbps", 100, "audioOnly"),
            .capped("40 kbps", 40, "neither"), .capped("15 kbps", 15, "neither"),
        ]
        + [(1.0, "audioAndVideo"), (4, "audioOnly"), (8, "neither"), (20, "neither")].flatMap {
            loss, verdict in
            [NetworkDirection.uplink, .downlink].map { lossy(loss, $0, verdict) }
        } + [
            .init(name: "RTT 500 ms", conditions: "up:delay=250;down:delay=250", verdict: "audioAndVideo"),
            .init(
                name: "server down", access: .serverDown, verdict: "neither",
                failingSteps: ["serverReachable"]),
            .init(name: "bad token", access: .badToken, verdict: "neither", failingSteps: ["tokenAccepted"]),
            .init(
                name: "UDP blocked", conditions: "up:loss=100;down:loss=100", verdict: "neither",
                failingSteps: ["udpPath"]),
        ]

    /// Those that are tried on a line that signaling shares with media.
    package static let onLines: [PreCallScenario] =
        all.filter { $0.access == .good && $0.failingSteps.isEmpty } + [
            .capped(.uplink, 120, "audioOnly"), .capped(.downlink, 120, "audioOnly"),
            .capped(.uplink, 30, "neither"), .capped(.downlink, 30, "neither"),
            .capped("120 kbps", 120, "audioOnly"), .capped("30 kbps", 30, "neither"),
        ]

    /// Those that are tried in a browser, whose client publishes one layer: larger frames fit.
    package static let inBrowsers: [PreCallScenario] = all.map { scenario in
        var scenario = scenario
        if scenario.name == "4 Mbps" { scenario.width = 1920 }
        return scenario
    }

    /// Those of a setting, in the order of the page.
    package static func all(in setting: PreCallSetting) -> [PreCallScenario] {
        switch setting {
        case .engine: all
        case .line: onLines
        case .browser: inBrowsers
        }
    }

    private static func capped(_ direction: NetworkDirection, _ rate: Int, _ verdict: String)
        -> PreCallScenario
    {
        let side = direction == .uplink ? "up" : "down"
        var scenario = PreCallScenario(
            name: "\(rate) kbps \(side)", conditions: "\(side):rate=\(rate)", verdict: verdict,
            direction: direction)
        if direction == .uplink {
            scenario.uplinkCapacity = Double(rate) * 1000
        } else {
            scenario.downlinkCapacity = Double(rate) * 1000
        }
        return scenario
    }

    private static func capped(_ name: String, _ rate: Int, _ verdict: String, width: Int? = nil)
        -> PreCallScenario
    {
        var scenario = PreCallScenario(
            name: name, conditions: "up:rate=\(rate);down:rate=\(rate)", verdict: verdict, width: width)
        (scenario.uplinkCapacity, scenario.downlinkCapacity) = (Double(rate) * 1000, Double(rate) * 1000)
        scenario.mayFailToConnect = rate < 40
        return scenario
    }

    private static func lossy(_ loss: Double, _ direction: NetworkDirection, _ verdict: String)
        -> PreCallScenario
    {
        let side = direction == .uplink ? "up" : "down"
        return PreCallScenario(
            name: "loss \(Int(loss)) % \(side)", conditions: "\(side):loss=\(Int(loss))", verdict: verdict,
            direction: verdict == "audioAndVideo" ? nil : direction)
    }
}
