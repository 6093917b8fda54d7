// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What a receiver got of a stream in an app's call.
struct AppExperience {
    let samples: [StreamSample]

    /// - Parameter warmUp: Seconds from the call's beginning that do not count.
    init(_ samples: [AppCall.Sample], warmUp: Int) {
        self.samples = samples.filter { $0.time >= Double(warmUp) }.map(\.sample)
    }

    /// kbit/s of video: the lowest tenth and the median.
    var bitrate: (low: Double, median: Double)? {
        let rates = samples.compactMap { $0.video?.bitrate }.map { $0 / 1_000 }.sorted()
        return rates.isEmpty ? nil : (rates[rates.count / 10], rates[rates.count / 2])
    }

    /// The height that was shown most often, pixels.
    var height: Int? {
        let heights = samples.compactMap { $0.video?.height }
        return Dictionary(grouping: heights) { $0 }.max { $0.value.count < $1.value.count }?.key
    }

    /// The median of frames a second.
    var frameRate: Double? {
        let rates = samples.compactMap { $0.video?.frameRate }.sorted()
        return rates.isEmpty ? nil : rates[rates.count / 2]
    }

    /// How often and how many seconds the video stood still.
    var freezes: (count: Int, seconds: Double)? {
        func growth(_ figure: (MediaFigures) -> Double?) -> Double? {
            let totals = samples.compactMap { $0.video.flatMap(figure) }
            guard let first = totals.first, let last = totals.last else { return nil }
            return max(0, last - first)
        }
        guard let count = growth({ $0.freezeCount.map(Double.init) }),
            let time = growth({ $0.totalFreezesDuration })
        else { return nil }
        return (Int(count), time / 1_000)
    }

    /// Share of the audio that was concealed.
    var concealment: Double? { mean { $0.audio?.concealment } }

    /// Estimated mean opinion score of the audio.
    var audioScore: Double? { mean { $0.audio?.mos } }

    /// Seconds by how bad it was for a person, of those that were judged.
    var severities: [Diagnosis.Severity: Int] {
        Dictionary(grouping: samples.compactMap { $0.diagnosis?.severity }) { $0 }.mapValues(\.count)
    }

    /// Seconds by the cause that was named.
    var causes: [Diagnosis.Cause: Int] {
        Dictionary(grouping: samples.compactMap { $0.diagnosis?.cause }) { $0 }.mapValues(\.count)
    }

    private func mean(_ figure: (StreamSample) -> Double?) -> Double? {
        let values = samples.compactMap(figure)
        return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
}
