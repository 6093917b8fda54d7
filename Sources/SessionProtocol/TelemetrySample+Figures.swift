// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension TelemetrySample {
    /// The sample without figures that cannot be, which counters that jump about make; whatever judges a call sends and
    /// keeps only such ones.
    public func withoutImpossibleFigures() -> TelemetrySample {
        var sample = self
        FigureKeeper<Never> { _, _ in }.hold(&sample)
        return sample
    }

    /// The sample with every figure within its range.
    ///
    /// - Throws: `malformed`, with the member that cannot be.
    func withFiguresChecked() throws(ServerError) -> TelemetrySample {
        var sample = self
        try FigureKeeper<ServerError> { member, range throws(ServerError) in
            throw ServerError(
                .malformed, "\"\(member)\" must be \(range.lowerBound) to \(range.upperBound), or left out")
        }.hold(&sample)
        return sample
    }
}

/// Holds each figure of a sample to its range.
private struct FigureKeeper<Failure: Error> {
    /// What to do about a figure that cannot be, by its member; it is left out afterwards.
    let impossible: (String, ClosedRange<Double>) throws(Failure) -> Void

    func hold(_ sample: inout TelemetrySample) throws(Failure) {
        try hold(&sample, Figures.sample, "")
        sample.audio = try held(sample.audio, "audio.")
        sample.video = try held(sample.video, "video.")
        sample.diagnosis = try held(sample.diagnosis, Figures.diagnosis, "diagnosis.")
        guard let levels = sample.levels else { return }
        sample.levels = StreamLevels(
            audio: try held(levels.audio, "levels.audio."), video: try held(levels.video, "levels.video."))
    }

    private func held(
        _ media: TelemetrySample.Media?, _ place: String
    ) throws(Failure) -> TelemetrySample.Media? {
        guard var media = try held(media, Figures.media, place) else { return nil }
        for index in media.layers?.indices ?? 0..<0 {
            guard var layer = media.layers?[index] else { continue }
            try hold(&layer, Figures.layer, "\(place)layers.\(index).")
            media.layers?[index] = layer
        }
        return media
    }

    private func held(
        _ level: NetworkQualityDirectionStats?, _ place: String
    ) throws(Failure) -> NetworkQualityDirectionStats? {
        guard var level else { return nil }
        level.bandwidth = try held(level.bandwidth, Figures.bandwidth, "\(place)bandwidth.")
        level.latency = try held(level.latency, Figures.latency, "\(place)latency.")
        level.fractionLost = try held(level.fractionLost, Figures.fractionLost, "\(place)fractionLost.")
        return level
    }

    private func held<Part>(
        _ part: Part?, _ figures: [Figure<Part>], _ place: String
    ) throws(Failure) -> Part? {
        guard var part else { return nil }
        try hold(&part, figures, place)
        return part
    }

    private func hold<Part>(
        _ part: inout Part, _ figures: [Figure<Part>], _ place: String
    ) throws(Failure) {
        for figure in figures {
            try figure.hold(&part) { (figure: Figure<Part>) throws(Failure) in
                try impossible(place + figure.name, figure.range)
            }
        }
    }
}
