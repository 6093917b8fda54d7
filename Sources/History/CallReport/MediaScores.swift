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
        let received = timeline.views.flatMap(\.observations).filter { observation in
            spans.contains { $0.from <= observation.time && observation.time <= $0.to }
        }.map(\.sample)
        audio = received.compactMap { $0.audio?.mos }.mean
        video = received.compactMap { $0.video?.mos }.mean
    }

    /// A sentence; `nil` if nothing was received.
    var sentence: String? {
        let parts = [("audio", audio), ("video", video)].compactMap { name, score in
            score.map { "\(NumberFormat.plain($0, decimals: 1)) for \(name)" }
        }
        return parts.isEmpty ? nil : "What arrived then scores \(parts.joined(separator: " and ")), of 5."
    }
}
