// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine

/// The calls whose seconds are compared with what was sent.
///
/// Each has one kind of issue at four strengths, from mild to severe, with time to recover between them. The strengths
/// are drawn from the seed, one from each quarter of the kind's range, so that other seeds are other calls.
package enum ReferenceCalls {
    /// What is wrong in a call.
    package enum Kind: String, Sendable, CaseIterable {
        /// Nothing.
        case clean
        /// Packets lost independently, bob's downlink.
        case randomLoss = "random-loss"
        /// Packets lost in bursts, bob's downlink.
        case burstLoss = "burst-loss"
        /// A limited rate with a queue of 300 ms, bob's downlink.
        case rateCap = "rate-cap"
        /// Packets that come in groups, and links that stall, bob's downlink.
        case jitter
        /// Nothing comes through for a while, bob's downlink.
        case outage
        /// Alice's uplink is limited, her encoder slow, or bob asks for the small layer.
        case sender
    }

    /// Seeds by which constants are fitted.
    package static let fittedSeeds: [UInt64] = [301, 302]
    /// Seeds whose figures count.
    package static let heldOutSeeds: [UInt64] = [311, 312]

    /// Nothing is done before, in seconds.
    static let lead = 6.0
    /// Length of each issue.
    static let bad = 7.0
    /// Time to recover after each.
    static let good = 3.0
    private static let strengths = 4

    /// A call.
    package static func scenario(_ kind: Kind, seed: UInt64, files: Scenario.Files) -> Scenario {
        var random = SplitMix(state: seed)
        var steps: [Scenario.Step] = []
        for index in 0..<strengths where kind != .clean {
            let strength = (Double(index) + Double.random(in: 0..<1, using: &random)) / Double(strengths)
            let start = lead + Double(index) * (bad + good)
            steps += Self.steps(kind, strength, index: index, at: start)
        }
        var scenario = Scenario(
            name: kind.rawValue, summary: kind.rawValue,
            duration: kind == .clean ? 20 : lead + Double(strengths) * (bad + good), steps: steps)
        scenario.setup.files = files
        scenario.setup.hasLayers = true
        scenario.setup.showsSenderStats = false
        return scenario
    }

    /// - Parameter strength: `0..<1`, from mild to severe.
    private static func steps(
        _ kind: Kind, _ strength: Double, index: Int, at start: Double
    ) -> [Scenario.Step] {
        switch kind {
        case .clean: []
        case .randomLoss: down(at: start) { $0.loss = scale(2, 30, strength) }
        case .burstLoss:
            down(at: start) {
                $0.burstLoss = scale(2, 20, strength)
                $0.burstLength = scale(4, 12, strength)
            }
        case .rateCap: down(at: start) { $0.rate = scale(500, 80, strength) }
        case .jitter: index.isMultiple(of: 2) ? groups(strength, at: start) : stalls(strength, at: start)
        case .outage: outages(scale(0.4, 4, strength), at: start)
        case .sender: sender(strength, index: index, at: start)
        }
    }

    private static func groups(_ strength: Double, at start: Double) -> [Scenario.Step] {
        [
            .init(start, .irregular(.bob, .down, scale(40, 200, strength))),
            .init(start + bad, .irregular(.bob, .down, nil)),
        ]
    }

    private static func stalls(_ strength: Double, at start: Double) -> [Scenario.Step] {
        down(at: start) {
            $0.stall = scale(150, 600, strength)
            $0.stallInterval = scale(1500, 600, strength)
        }
    }

    /// Two short ones or one long one.
    private static func outages(_ length: Double, at start: Double) -> [Scenario.Step] {
        (length < 1.5 ? [start, start + 3.5] : [start]).flatMap { start in
            down(at: start, for: length) { $0.isOut = true }
        }
    }

    private static func sender(_ strength: Double, index: Int, at start: Double) -> [Scenario.Step] {
        switch index {
        case 0: [.init(start, .wantedHeight(180)), .init(start + bad, .wantedHeight(nil))]
        case 1:
            [
                .init(start, .encodeDelay(Int(scale(50, 400, strength)))),
                .init(start + bad, .encodeDelay(0)),
            ]
        default:
            network(.alice, .up, at: start, for: bad) { $0.rate = scale(900, 60, strength) }
        }
    }

    private static func down(
        at start: Double, for length: Double = bad, _ change: (inout NetworkConditions.Link) -> Void
    ) -> [Scenario.Step] {
        network(.bob, .down, at: start, for: length, change)
    }

    private static func network(
        _ party: Scenario.Party, _ direction: NetworkConditions.Direction, at start: Double,
        for length: Double, _ change: (inout NetworkConditions.Link) -> Void
    ) -> [Scenario.Step] {
        var conditions = NetworkConditions()
        change(&conditions[direction])
        return [
            .init(start, .network(party, conditions)),
            .init(start + length, .network(party, NetworkConditions())),
        ]
    }

    /// From one number to another in equal ratios.
    static func scale(_ first: Double, _ last: Double, _ strength: Double) -> Double {
        first * pow(last / first, strength)
    }
}
