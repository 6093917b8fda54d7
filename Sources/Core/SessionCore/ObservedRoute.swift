// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Which way a peer connection's packets leave its machine, in words that name no one.
struct ObservedRoute: Sendable, Equatable {
    /// Kinds of networks that browsers tell apart.
    private static let networks: Set<String> = [
        "bluetooth", "cellular", "ethernet", "vpn", "wifi", "wimax",
    ]
    private static let relays: Set<String> = ["udp", "tcp", "tls"]

    /// `direct`, or how the TURN server is reached: `udp`, `tcp`, `tls`, or `relayed` if no one says.
    let turn: String
    /// One of the kinds that browsers tell apart; `nil` if no one says.
    let network: String?

    /// Reads the path in use; `nil` while there is none.
    init?(_ report: borrowing StatsReport) {
        guard let pair = report.selectedCandidatePair,
            let local = report.localCandidate(id: pair.localCandidateId), let type = local.candidateType
        else { return nil }
        let relay = local.relayProtocol.map(\.rawValue).flatMap { Self.relays.contains($0) ? $0 : nil }
        turn = type == .relay ? relay ?? "relayed" : "direct"
        network = local.extra["networkType"]?.text.flatMap { Self.networks.contains($0) ? $0 : nil }
    }

    /// As an event's particulars.
    var detail: [String: String] {
        var detail = ["turn": turn]
        detail["network"] = network
        return detail
    }
}
