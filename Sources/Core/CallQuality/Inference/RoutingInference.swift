// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Whether a peer connection ends at a media router, where no one says it.
///
/// Reports show it in two ways: only a router has a use for the layers of simulcast, and only through one come the
/// microphones of several people. Two may be a peer's microphone and what its screen plays, which comes with the video of
/// that screen. That a connection shows neither says nothing.
struct RoutingInference: Sendable {
    /// How media is routed; `nil` as long as nothing shows it.
    private(set) var routing: MediaRouting?

    /// Audio that comes in one report from as many tracks as no peer sends, and as no peer sends without a screen.
    private static let microphones = 3
    private static let microphonesWithoutScreen = 2

    /// Reports in a row that have to show them: a screen may begin after what it plays.
    private static let reports = 3
    private var withMicrophones = 0

    /// Takes a tick's report.
    mutating func handle(_ sent: [OutboundDelta], _ received: [InboundDelta], _ report: borrowing StatsReport)
    {
        guard routing == nil else { return }
        withMicrophones = hasMicrophones(received, report) ? withMicrophones + 1 : 0
        if isSimulcast(sent, report) || withMicrophones >= Self.reports { routing = .routed }
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

    private func hasMicrophones(_ received: [InboundDelta], _ report: borrowing StatsReport) -> Bool {
        let count = received.count { $0.kind == .audio && $0.packets?.amount ?? 0 > 0 }
        guard count < Self.microphones else { return true }
        return count >= Self.microphonesWithoutScreen && !mayHaveScreen(received, report)
    }

    /// Whether what is received may be a screen: so its engine says, or there is one video, and nothing tells.
    ///
    /// Two without a word are two cameras: engines that have none for screens are few, and screens that play something
    /// fewer.
    private func mayHaveScreen(_ received: [InboundDelta], _ report: borrowing StatsReport) -> Bool {
        let videos = received.filter { $0.kind == .video }
        return videos.count == 1 || videos.contains { report.inboundRTP[$0.index].isScreenShare }
    }
}
