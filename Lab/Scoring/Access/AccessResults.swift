// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LineEmulation

/// Calls over access lines with their scores.
package struct AccessResults: Sendable {
    /// A call's score at both ends.
    package struct Row: Sendable {
        package var setup: AccessCall.Setup
        package var circumstances: AccessCall.Circumstances
        package var scores: [AccessCall.End: AccessScore]
        /// What the publisher sent, as a share of what the call sends on lines that lack nothing; `nil` if that is unknown.
        package var sent: Double?
        /// Whether nothing was clearly wrong on either line.
        package var isClean: Bool
        /// Whether the line is imperfect but fine, so that nothing should be named.
        package var isFine: Bool { AccessProfile.fine.contains { $0.name == setup.profile } }

        /// The score of who did not take part is empty.
        package subscript(end: AccessCall.End) -> AccessScore { scores[end] ?? AccessScore() }
    }

    /// A share of packets that the emulator delivers too late above which a call does not count.
    package static let toleratedLateness = 0.01

    package private(set) var rows: [Row] = []
    /// Calls that do not count because the emulator was late.
    package private(set) var rejected: [AccessCall.Setup] = []
    /// What calls send on lines that lack nothing.
    package let demands: [AccessCall.Kind: AccessTruth.Demand]

    package init(_ calls: [AccessCall]) {
        demands = Self.demands(calls.filter { !Self.isLate($0) })
        for call in calls {
            if Self.isLate(call) {
                rejected.append(call.setup)
            } else {
                rows.append(row(call))
            }
        }
    }

    private func row(_ call: AccessCall) -> Row {
        let demand = demands[call.setup.kind.sending] ?? .init()
        let truth = AccessTruth(call.lines, demand: demand)
        let sent = Self.rate(call, .publisher, .uplink, from: AccessScorer.warmUp)
        let later = truth.faults.dropFirst(AccessScorer.warmUp)
        return Row(
            setup: call.setup, circumstances: call.circumstances,
            scores: Dictionary(
                uniqueKeysWithValues: call.setup.kind.ends.map { end in
                    (end, AccessScorer(call, truth, end: end).score)
                }),
            sent: demand.uplink.flatMap { need in sent.map { $0 / need } },
            isClean: !later.contains { $0.contains { $0.certainty == .clear } })
    }

    /// The seconds of the calls at both ends, for people who look for the reason of a mistake.
    package static func listing(_ calls: [AccessCall]) -> String {
        let demands = demands(calls.filter { !isLate($0) })
        return calls.flatMap { call in
            let truth = AccessTruth(call.lines, demand: demands[call.setup.kind.sending] ?? .init())
            return call.setup.kind.ends.map { end in
                "## \(call.setup.name), given to the \(end.rawValue)\n"
                    + AccessScorer(call, truth, end: end).listing
            }
        }.joined(separator: "\n")
    }

    private static func isLate(_ call: AccessCall) -> Bool {
        let punctuality = call.circumstances.punctuality
        return Double(punctuality.late) > toleratedLateness * Double(punctuality.packets)
    }

    /// From the second half of the calls over fibre alone.
    private static func demands(_ calls: [AccessCall]) -> [AccessCall.Kind: AccessTruth.Demand] {
        var found: [AccessCall.Kind: AccessTruth.Demand] = [:]
        for call in calls where call.setup.profile == AccessProfile.fibre.name {
            found[call.setup.kind.sending] = .init(
                uplink: rate(call, .publisher, .uplink, from: call.setup.seconds / 2),
                downlink: rate(call, .subscriber, .downlink, from: call.setup.seconds / 2))
        }
        return found
    }

    private static func rate(
        _ call: AccessCall, _ end: AccessCall.End, _ direction: NetworkDirection, from second: Int
    ) -> Double? {
        let rates = call.lines.filter { $0.end == end && $0.direction == direction }.map(\.line.offeredRate)
        let late = rates.dropFirst(second)
        return late.isEmpty ? nil : late.reduce(0, +) / Double(late.count)
    }

    /// Those of the calls that are meant.
    package func only(_ isMeant: (Row) -> Bool) -> AccessResults {
        var results = self
        results.rows = rows.filter(isMeant)
        return results
    }

    /// The sum over calls at some participants.
    package func total(
        _ ends: [AccessCall.End] = AccessCall.End.allCases, where isMeant: (Row) -> Bool = { _ in true }
    ) -> AccessScore {
        var total = AccessScore()
        for row in rows where isMeant(row) {
            for end in ends { total += row[end] }
        }
        return total
    }
}
