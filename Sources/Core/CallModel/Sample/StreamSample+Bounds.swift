// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StreamSample {
    /// The sample without figures that cannot be, which counters that jump about make; whatever judges a call sends and
    /// keeps only such ones.
    public func withoutImpossibleFigures() -> StreamSample {
        var sample = self
        sample.bound { (_, _) throws(Never) in }
        return sample
    }

    /// Removes every figure that cannot be, after `impossible` has seen its member and what it can be; unless that throws.
    package mutating func bound<Failure>(
        _ impossible: @escaping (String, ClosedRange<Double>) throws(Failure) -> Void
    ) throws(Failure) {
        let keeper = FigureKeeper(impossible: impossible)
        try keeper.bound(&self)
    }
}

/// Holds each figure of a sample to its range.
private struct FigureKeeper<Failure: Error> {
    let impossible: (String, ClosedRange<Double>) throws(Failure) -> Void

    func bound(_ sample: inout StreamSample) throws(Failure) {
        try bound(&sample, SampleFigures.path, "")
        sample.audio = try bounded(sample.audio, "audio.")
        sample.video = try bounded(sample.video, "video.")
        if var diagnosis = try bounded(sample.diagnosis, SampleFigures.diagnosis, "diagnosis.") {
            diagnosis.evidence = try bounded(
                diagnosis.evidence, SampleFigures.evidence, "diagnosis.evidence.")
            // A stream has one track of each kind; its name would only be bytes.
            diagnosis.track = nil
            sample.diagnosis = diagnosis
        }
        guard let levels = sample.levels else { return }
        sample.levels = StreamLevels(
            audio: try bounded(levels.audio, "levels.audio."),
            video: try bounded(levels.video, "levels.video."))
    }

    private func bounded(
        _ media: MediaFigures?, _ place: @autoclosure () -> String
    ) throws(Failure) -> MediaFigures? {
        guard var media = try bounded(media, SampleFigures.media, place()) else { return nil }
        if !(media.codec.map(MediaFigures.isCodec) ?? true) { media.codec = nil }
        for index in media.layers?.indices ?? 0..<0 {
            guard var layer = media.layers?[index] else { continue }
            try bound(&layer, SampleFigures.layer, "\(place())layers.\(index).")
            media.layers?[index] = layer
        }
        return media
    }

    private func bounded(
        _ level: NetworkQualityDirectionStats?, _ place: @autoclosure () -> String
    ) throws(Failure) -> NetworkQualityDirectionStats? {
        guard var level else { return nil }
        level.bandwidth = try bounded(level.bandwidth, SampleFigures.bandwidthLevel, "\(place())bandwidth.")
        level.latency = try bounded(level.latency, SampleFigures.latencyLevel, "\(place())latency.")
        level.fractionLost = try bounded(
            level.fractionLost, SampleFigures.lossLevel, "\(place())fractionLost.")
        return level
    }

    private func bounded<Part>(
        _ part: Part?, _ figures: [SampleFigure<Part>], _ place: @autoclosure () -> String
    ) throws(Failure) -> Part? {
        guard var part else { return nil }
        try bound(&part, figures, place())
        return part
    }

    /// - Parameter place: Where in the sample the part is; only put together for what is impossible.
    private func bound<Part>(
        _ part: inout Part, _ figures: [SampleFigure<Part>], _ place: @autoclosure () -> String
    ) throws(Failure) {
        for figure in figures {
            try figure.bound(&part) { (figure: SampleFigure<Part>) throws(Failure) in
                try impossible(place() + figure.name, figure.range)
            }
        }
    }
}
