// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// All calls of the lab.
package enum ScenarioTable {
    /// Seeds whose figures count.
    package static let scoredSeeds: [UInt64] = [11, 23, 47]
    /// Seeds to look at while rules are changed; their figures do not count.
    package static let tuningSeeds: [UInt64] = [101, 102, 103]
    /// What the media of the usual setup need in kbps: 500 of video at 640x360, 40 of audio.
    package static let demand = 540.0

    /// Every scenario, the most telling ones of each kind first.
    package static let all: [Scenario] =
        clean + losses + bursts + caps + layerCaps + timing + outages
        + [slowEncoder, bothSides, audioOnlyLoss, audioOnlyClean]

    /// The scenario of a name.
    package static func scenario(_ name: String) -> Scenario? { all.first { $0.name == name } }

    /// Nothing is done before: estimates have to climb from their start to the demand.
    static let lead = 10.0
    /// Length of most problems.
    static let problem = 14.0
    /// What comes after.
    static let tail = 12.0

    private static let losses = [5.0, 2, 12, 20].flatMap { percent in
        [NetworkConditions.Direction.down, .up].map { direction in
            network(
                "loss-\(Int(percent))-\(direction.rawValue)",
                "\(Int(percent)) % of packets lost independently, \(words(direction))", .packetLoss, direction
            ) { $0.loss = percent }
        }
    }

    private static let bursts = [NetworkConditions.Direction.down, .up].map { direction in
        network(
            "burst-5-\(direction.rawValue)", "5 % of packets lost in bursts of 8, \(words(direction))",
            .packetLoss, direction
        ) {
            $0.burstLoss = 5
            $0.burstLength = 8
        }
    }

    private static let caps = [0.4, 0.7, 0.15, 2].flatMap { factor in
        [NetworkConditions.Direction.down, .up].map { direction in
            let name = factor == 2 ? "2" : "\(factor)"
            let text = "capacity of \(name) times the demand with 300 ms of queue, \(words(direction))"
            return network(
                "cap-\(name)x-\(direction.rawValue)", text, factor < 1 ? .bandwidth : nil, direction
            ) { $0.rate = factor * demand }
        }
    }

    /// Two layers, of which only the lower one fits.
    private static let layerCaps = [NetworkConditions.Direction.down, .up].map { direction in
        var scenario = network(
            "cap-layers-\(direction.rawValue)",
            "two layers, capacity of 300 kbps with 300 ms of queue: the upper one does not fit, \(words(direction))",
            .bandwidth, direction
        ) { $0.rate = 300 }
        scenario.setup.hasLayers = true
        return scenario
    }

    /// One impairment of alice's uplink or bob's downlink, and its end.
    ///
    /// - Parameter cause: What it causes; `nil` if it should not matter.
    private static func network(
        _ name: String, _ summary: String, _ cause: Diagnosis.Cause?,
        _ direction: NetworkConditions.Direction, _ change: (inout NetworkConditions.Link) -> Void
    ) -> Scenario {
        let isBandwidth = name.hasPrefix("cap")
        let settling = isBandwidth ? Settling.bandwidth : Settling.usual
        let end = lead + (isBandwidth ? problem + 4 : problem)
        let tail = cause == nil ? 2 : isBandwidth ? tail + 3 : tail
        var bad = NetworkConditions()
        change(&bad[direction])
        let party = direction == .up ? Scenario.Party.alice : .bob
        var spans = [Scenario.Span(start: 0)]
        if let cause {
            spans += [
                span(at: lead, cause, direction, settling),
                Scenario.Span(
                    start: end, alice: direction == .up ? .recovering(settling: settling) : .well,
                    bob: .recovering(settling: settling)),
            ]
        }
        return Scenario(
            name: name, summary: summary, duration: end + tail,
            steps: [
                .init(lead, .network(party, bad)), .init(end, .network(party, NetworkConditions())),
            ], spans: spans)
    }

    private static func span(
        at start: Double, _ cause: Diagnosis.Cause, _ direction: NetworkConditions.Direction,
        _ settling: Double
    ) -> Scenario.Span {
        switch direction {
        case .up:
            Scenario.Span(
                start: start, alice: .fault(cause, [.uplink], settling: settling),
                bob: .fault(cause, [.uplink], side: .remote, settling: settling))
        case .down:
            Scenario.Span(start: start, bob: .fault(cause, [.downlink], side: .local, settling: settling))
        }
    }

    static func words(_ direction: NetworkConditions.Direction) -> String {
        direction == .up ? "alice's uplink" : "bob's downlink"
    }
}
