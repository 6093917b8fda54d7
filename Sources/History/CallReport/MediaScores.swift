// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// Opinion scores of part of a call: a bad network is not always audible or visible.
struct MediaScores: Sendable, Equatable {
    /// Mean opinion score of the audio, 1 to 5; `nil` if no one received any.
    var audio: Double?
    /// Mean opinion score of the video, 1 to 5; `nil` if no one received any.
    var video: Double?

    init(_ timeline: CallTimeline, in spans: [(from: Double, to: Double)]) {
        let spans = Self.joined(spans)
        let received = timeline.views.flatMap(\.observations)
            .filter { Self.isTime($0.time, in: spans) }.map(\.sample)
        audio = received.compactMap { $0.audio?.mos }.mean
        video = received.compactMap { $0.video?.mos }.mean
    }

    /// The same time in spans that are apart, in their order.
    private static func joined(_ spans: [(from: Double, to: Double)]) -> [(from: Double, to: Double)] {
        spans.sorted { $0.from < $1.from }.reduce(into: []) { joined, span in
            if let last = joined.last, span.from <= last.to {
                joined[joined.count - 1].to = max(last.to, span.to)
            } else {
                joined.append(span)
            }
        }
    }

    /// Looks for the span by halves: a call has thousands of either.
    private static func isTime(_ time: Double, in spans: [(from: Double, to: Double)]) -> Bool {
        var range = spans.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if time < spans[middle].from {
                range = range.lowerBound..<middle
            } else if time > spans[middle].to {
                range = middle + 1..<range.upperBound
            } else {
                return true
            }
        }
        return false
    }

    /// A sentence; `nil` if nothing was received.
    var sentence: String? {
        let parts = [("audio", audio), ("video", video)].compactMap { name, score in
            score.map { "\(NumberFormat.plain($0, decimals: 1)) for \(name)" }
        }
        return parts.isEmpty ? nil : "What arrived then scores \(parts.joined(separator: " and ")), of 5."
    }
}
