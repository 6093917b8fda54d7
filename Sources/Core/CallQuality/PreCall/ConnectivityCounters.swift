// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What both ends of the test's connections have counted of each other's packets: connectivity checks, keys,
/// media.
///
/// Determines which direction loses packets where no media arrive that could show it. Pure: counters in,
/// losses out.
package struct ConnectivityCounters: Sendable {
    private struct Leg: Sendable {
        var sent: [(at: Duration, count: UInt64)] = []
        var farTimestamp = -Double.infinity
        var uplink = LossTally()
        var downlink = LossTally()
    }

    private var legs: [LegName: Leg] = [:]

    /// What was sent later than this before the far end's counters came need not have been counted there.
    private static let lag: Duration = .milliseconds(800)
    /// Packets of a connection that one end counts and the other does not, such as a check from an address
    /// that is not known yet.
    private static let slack = 5.0

    /// Nothing counted yet.
    package init() {}

    /// Handles the counters of this end, and of the media router's end if known.
    package mutating func add(leg name: LegName, own: LegCounters, far: LegCounters?, at now: Duration) {
        var leg = legs[name] ?? Leg()
        defer { legs[name] = leg }
        if let count = own.pathPacketsSent { leg.sent.append((now, count)) }
        guard let far, far.timestamp > leg.farTimestamp else { return }
        leg.farTimestamp = far.timestamp
        if let arrived = far.pathPacketsReceived,
            let sent = leg.sent.last(where: { $0.at <= now - Self.lag })?.count
        {
            leg.uplink = Self.tally(sent: sent, arrived: arrived)
        }
        if let sent = far.pathPacketsSent, let arrived = own.pathPacketsReceived {
            leg.downlink = Self.tally(sent: sent, arrived: arrived)
        }
    }

    /// From this client to the media router, of all connections together.
    package var uplink: LossTally { legs.values.reduce(LossTally()) { $0 + $1.uplink } }
    /// From the media router to this client.
    package var downlink: LossTally { legs.values.reduce(LossTally()) { $0 + $1.downlink } }

    private static func tally(sent: UInt64, arrived: UInt64) -> LossTally {
        guard sent > 0 else { return LossTally() }
        return LossTally(lost: max(0, Double(sent) - Double(arrived) - slack), expected: Double(sent))
    }
}
