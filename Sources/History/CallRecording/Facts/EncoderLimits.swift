// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// How long bandwidth limited an encoder, by its engine's word, and not while the estimate had room for much more.
///
/// libwebrtc's encoders start small and step up after many seconds, and are called limited by bandwidth all that time.
struct EncoderLimits: Sendable {
    /// The newest report with an estimate.
    private struct Moment {
        var time: Double
        /// Of all that is sent.
        var bytes: Double
        /// Seconds that bandwidth has limited the encoder.
        var limited: Double
    }

    private var last: Moment?
    /// Seconds of that in which the estimate was not filled.
    private var unfilled = 0.0
    /// Share of an estimate of which less is used where it is no limit.
    private static let filled = ConditionRules().filledEstimate

    /// Takes a report; returns the seconds so far.
    ///
    /// - Parameters:
    ///   - said: Seconds that bandwidth has limited the encoder, by its engine's word.
    ///   - stream: What is sent. Of several layers one may be off for which the room is too little.
    ///   - report: The whole report.
    ///   - time: Of the report, in Unix ms.
    mutating func limitedByBandwidth(
        _ said: Double, _ stream: borrowing OutboundRTPStats, of report: borrowing StatsReport,
        at time: Double
    ) -> Double {
        guard stream.rid == nil,
            let estimate = report.candidatePairs.compactMap(\.availableOutgoingBitrate).max(),
            estimate.isFinite
        else {
            last = nil
            return max(0, said - unfilled)
        }
        let now = Moment(time: time, bytes: Self.bytesSent(report), limited: said)
        if let last, now.time > last.time, now.bytes >= last.bytes, now.limited > last.limited {
            let rate = (now.bytes - last.bytes) * 8 / ((now.time - last.time) / 1000)
            if rate < Self.filled * estimate { unfilled += now.limited - last.limited }
        }
        last = now
        return max(0, said - unfilled)
    }

    private static func bytesSent(_ report: borrowing StatsReport) -> Double {
        var sum = 0.0
        for stream in report.outboundRTP {
            sum += Double(stream.bytesSent ?? 0) + Double(stream.headerBytesSent ?? 0)
        }
        return sum
    }
}
