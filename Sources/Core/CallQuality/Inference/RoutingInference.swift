// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Whether a peer connection ends at a media router, where no one says it.
///
/// Reports show it in two ways: only a router has a use for the layers of simulcast, and only through one come the
/// microphones of several people. Two may be a peer's microphone and what its screen plays. That a connection shows
/// neither says nothing.
struct RoutingInference: Sendable {
    /// How media is routed; `nil` as long as nothing shows it.
    private(set) var routing: MediaRouting?

    /// Audio that comes in one report from as many tracks as no peer sends.
    private static let microphones = 3

    /// Takes a tick's report.
    mutating func handle(_ sent: [OutboundDelta], _ received: [InboundDelta], _ report: borrowing StatsReport)
    {
        guard routing == nil else { return }
        if isSimulcast(sent, report) || hasMicrophones(received) { routing = .routed }
    }

    private func isSimulcast(_ sent: [OutboundDelta], _ report: borrowing StatsReport) -> Bool {
        var layers: [String: String] = [:]
        for entry in sent where entry.kind == .video && entry.packets?.amount ?? 0 > 0 {
            let index = entry.index
            guard let mid = report.outboundRTP[index].mid, let rid = report.outboundRTP[index].rid else {
                continue
            }
            if let other = layers[mid], other != rid { return true }
            layers[mid] = rid
        }
        return false
    }

    private func hasMicrophones(_ received: [InboundDelta]) -> Bool {
        received.count { $0.kind == .audio && $0.packets?.amount ?? 0 > 0 } >= Self.microphones
    }
}
