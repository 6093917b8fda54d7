// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Whether the little that a test sends at first is too much for the path, by how much of its audio comes back.
///
/// What fills a narrow line keeps signaling that shares it from the server, and what that loses is sent again after ever longer times.
/// So such a line is not filled for longer than it takes to see that it is one.
/// Pure: reports of the subscriber's connection in, a fact out.
package struct FirstMedia: Sendable {
    /// Packets of audio a second.
    private static let packetRate = 50.0
    /// Less than this share of them comes back: not by loss alone, with which media can still be measured.
    private static let leastShare = 0.6
    /// How long they are counted: twenty packets, of which hardly ever fewer than twelve come back where a fifth
    /// is lost.
    private static let shortest: Duration = .milliseconds(400)

    private var start: (packets: UInt64, at: Duration)?
    /// Whether they are too much.
    package private(set) var isTooMuch = false

    /// Nothing has come back yet.
    package init() {}

    /// Takes a report of the subscriber's connection; the first counts from then on.
    package mutating func add(_ report: StatsReport, at now: Duration) {
        let packets = report.inboundRTP.first { $0.kind == .audio }?.packetsReceived ?? 0
        guard let begin = start else {
            start = (packets, now)
            return
        }
        let time = now - begin.at
        guard time >= Self.shortest else { return }
        let received = packets > begin.packets ? Double(packets - begin.packets) : 0
        isTooMuch = received < Self.leastShare * Self.packetRate * time.seconds
    }
}
