// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Which peer connections of a recording have only the statistics that Chromium had before the standard ones.
struct LegacyStats: Sendable {
    private var legacy: Set<String> = []
    private var standard: Set<String> = []

    /// Peer connections with nothing else, by name.
    var connections: [String] { legacy.subtracting(standard).sorted() }

    /// Whether no peer connection has standard statistics, and some have others.
    var isAll: Bool { standard.isEmpty && !legacy.isEmpty }

    mutating func note(_ record: RecordedReport) {
        let id = record.peerConnection
        guard !standard.contains(id) else { return }
        let report = record.report
        if !report.inboundRTP.isEmpty || !report.outboundRTP.isEmpty || !report.candidatePairs.isEmpty {
            standard.insert(id)
        } else if !legacy.contains(id), report.unknown.contains(where: { Self.isLegacy($0.type) }) {
            legacy.insert(id)
        }
    }

    private static func isLegacy(_ type: String) -> Bool {
        type == "ssrc" || type == "VideoBwe" || type.hasPrefix("goog")
    }
}
