// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// When receivers could not tell on whose side packets were lost.
///
/// Without a router between both ends a sender's reports of loss come from the receiver, and are of the whole path: what the one
/// cannot tell the other cannot either, though it knows the direction.
struct UnclearLoss: Sendable {
    /// Unix ms, in order and apart, by recording.
    private var spans: [Int: [(from: Double, to: Double)]] = [:]

    init(_ timeline: CallTimeline, _ names: ReportNames) {
        for view in timeline.views where view.id.role == .subscriber {
            for interval in view.intervals
            where interval.cause == .packetLoss && names.place(interval, view.id) == .both {
                spans[view.id.recording, default: []].append((interval.from, interval.to))
            }
        }
        for recording in spans.keys { spans[recording] = Self.joined(spans[recording] ?? []) }
    }

    /// Whether the end of another recording had that while a sender's lost packets.
    func isSeen(during interval: DiagnosisInterval, besides recording: Int) -> Bool {
        spans.contains { other, spans in
            other != recording && Self.overlaps(interval, spans)
        }
    }

    private static func joined(_ spans: [(from: Double, to: Double)]) -> [(from: Double, to: Double)] {
        spans.sorted { $0.from < $1.from }.reduce(into: []) { joined, span in
            if let last = joined.last, span.from <= last.to {
                joined[joined.count - 1].to = max(last.to, span.to)
            } else {
                joined.append(span)
            }
        }
    }

    /// Looks by halves for the first span that ends late enough.
    private static func overlaps(
        _ interval: DiagnosisInterval, _ spans: [(from: Double, to: Double)]
    ) -> Bool {
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = low + (high - low) / 2
            if spans[middle].to < interval.from { low = middle + 1 } else { high = middle }
        }
        return low < spans.count && spans[low].from <= interval.to
    }
}
