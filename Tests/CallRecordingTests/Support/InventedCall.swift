// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import WebRTCStats

/// Reports of an invented call on virtual time: one a second, steady rates.
enum InventedCall {
    static let start = 1_800_000_000_000.0

    static func time(_ second: Int) -> Double { start + Double(second) * 1000 }

    /// What a sending peer connection reports.
    static func sending(_ second: Int, estimate: Double = 2_000_000) -> StatsReport {
        var report = StatsReport(timestamp: time(second))
        var video = OutboundRTPStats(id: "OV", timestamp: time(second))
        video.kind = .video
        video.ssrc = 1
        video.packetsSent = UInt64(100 * second)
        video.bytesSent = UInt64(100_000 * second)
        video.framesSent = UInt64(30 * second)
        report.outboundRTP = [video]
        var pair = CandidatePairStats(id: "CP", timestamp: time(second))
        pair.nominated = true
        pair.state = .succeeded
        pair.availableOutgoingBitrate = estimate
        report.candidatePairs = [pair]
        return report
    }

    /// What a receiving peer connection reports.
    static func receiving(_ second: Int) -> StatsReport {
        var report = StatsReport(timestamp: time(second))
        var video = InboundRTPStats(id: "IV", timestamp: time(second))
        video.kind = .video
        video.ssrc = 2
        video.packetsReceived = UInt64(100 * second)
        video.bytesReceived = UInt64(100_000 * second)
        video.framesDecoded = UInt64(30 * second)
        report.inboundRTP = [video]
        return report
    }

    /// What a peer connection that does both reports.
    static func both(_ second: Int) -> StatsReport {
        var report = sending(second)
        report.inboundRTP = receiving(second).inboundRTP
        return report
    }

    static func record(
        _ second: Int, _ report: StatsReport, _ id: String, role: StreamRole? = nil, stream: String? = nil
    ) -> RecordedReport {
        RecordedReport(
            time: time(second), peerConnection: id, report: report,
            intent: role.map { MediaIntent(role: $0) }, stream: stream)
    }
}
