// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The figures and words of a sample as columns of integers, and back: what every store makes of a sample.
///
/// All follow from ``CallModel/SampleFigures``; words are the numbers of their vocabulary. Codecs and layers are no integers,
/// and beside them.
package enum SampleColumns {
    /// A column, and what its integers can be; anything else is absent.
    package struct Column: Sendable {
        /// What it is called; no two are called the same.
        package let name: String
        /// What can be.
        package let range: ClosedRange<Int64>
    }

    /// Numbers of words, of which there may be more one day.
    private static let code: ClosedRange<Int64> = 0...255

    /// The columns, in the order in which they are written and read.
    package static let all: [Column] =
        words(SampleFigures.words) + figures(SampleFigures.path)
        + words(SampleFigures.diagnosisWords) + figures(SampleFigures.diagnosis)
        + figures(SampleFigures.evidence, "evidence_")
        + figures(SampleFigures.audio, "a_") + figures(SampleFigures.video, "v_")
        + words(SampleFigures.videoWords, "v_")

    private static func figures<Owner>(_ all: [SampleFigure<Owner>], _ prefix: String = "") -> [Column] {
        all.map { Column(name: prefix + $0.column, range: $0.codes) }
    }

    private static func words<Owner>(_ all: [SampleWord<Owner>], _ prefix: String = "") -> [Column] {
        all.map { Column(name: prefix + $0.column, range: code) }
    }
}

// MARK: - Writing

extension SampleColumns {
    /// Gives an integer for each of ``all``, in their order; `nil` for what is absent.
    package static func write(_ sample: StreamSample, _ take: (Int64?) -> Void) {
        write(sample, SampleFigures.words, take)
        write(sample, SampleFigures.path, take)
        write(sample.diagnosis, SampleFigures.diagnosisWords, take)
        write(sample.diagnosis, SampleFigures.diagnosis, take)
        write(sample.diagnosis?.evidence, SampleFigures.evidence, take)
        write(sample.audio, SampleFigures.audio, take)
        write(sample.video, SampleFigures.video, take)
        write(sample.video, SampleFigures.videoWords, take)
    }

    // By index: a description that a loop took out would be copied, which costs more than what is asked of it.

    private static func write<Owner>(
        _ owner: Owner?, _ figures: [SampleFigure<Owner>], _ take: (Int64?) -> Void
    ) {
        if let owner {
            for index in figures.indices { take(figures[index].code(owner)) }
        } else {
            for _ in figures { take(nil) }
        }
    }

    private static func write<Owner>(
        _ owner: Owner?, _ words: [SampleWord<Owner>], _ take: (Int64?) -> Void
    ) {
        if let owner {
            for index in words.indices { take(words[index].code(owner)) }
        } else {
            for _ in words { take(nil) }
        }
    }
}

// MARK: - Reading

extension SampleColumns {
    /// A sample of an integer for each of ``all``, in their order; what one cannot be is absent.
    package static func read(_ next: () -> Int64?) -> StreamSample {
        var sample = StreamSample()
        read(SampleFigures.words, into: &sample, next)
        read(SampleFigures.path, into: &sample, next)
        sample.diagnosis = diagnosis(next)
        sample.audio = part(MediaFigures()) { read(SampleFigures.audio, into: &$0, next) }
        sample.video = part(MediaFigures()) { video in
            read(SampleFigures.video, into: &video, next)
            read(SampleFigures.videoWords, into: &video, next)
        }
        return sample
    }

    private static func diagnosis(_ next: () -> Int64?) -> Diagnosis? {
        var diagnosis = Diagnosis()
        let isThere = read(SampleFigures.diagnosisWords, into: &diagnosis, next)
        read(SampleFigures.diagnosis, into: &diagnosis, next)
        diagnosis.evidence = part(Diagnosis.Evidence()) { read(SampleFigures.evidence, into: &$0, next) }
        return isThere ? diagnosis : nil
    }

    private static func read<Owner>(
        _ figures: [SampleFigure<Owner>], into owner: inout Owner, _ next: () -> Int64?
    ) {
        for index in figures.indices { figures[index].setCode(&owner, next()) }
    }

    /// - Returns: Whether there was any.
    @discardableResult
    private static func read<Owner>(
        _ words: [SampleWord<Owner>], into owner: inout Owner, _ next: () -> Int64?
    ) -> Bool {
        var isThere = false
        for word in words {
            let code = next()
            word.set(&owner, code: code)
            isThere = isThere || code != nil
        }
        return isThere
    }

    /// A part of the sample; `nil` if nothing is known of it.
    private static func part<Part: Equatable>(_ empty: Part, _ read: (inout Part) -> Void) -> Part? {
        var part = empty
        read(&part)
        return part == empty ? nil : part
    }
}

extension StreamSample {
    /// As a store gives it back: what no column holds is absent.
    package var stored: StreamSample {
        var codes: [Int64?] = []
        codes.reserveCapacity(SampleColumns.all.count)
        SampleColumns.write(self) { codes.append($0) }
        var next = 0
        var sample = SampleColumns.read {
            defer { next += 1 }
            return codes[next]
        }
        func text(_ text: String?) -> String? {
            text.flatMap { $0.utf8.count <= SampleChunk.textLimit ? $0 : nil }
        }
        let layers = video?.layers.map(LayerBlob.bytes)
        sample.add(
            audioCodec: text(audio?.codec), videoCodec: text(video?.codec),
            layers: layers.flatMap { $0.count <= SampleChunk.textLimit ? LayerBlob.layers($0) : nil })
        return sample
    }

    /// Adds what is no integer; a part that has nothing else is there for it.
    package mutating func add(audioCodec: String?, videoCodec: String?, layers: [LayerFigures]?) {
        if let audioCodec { audio.value.codec = audioCodec }
        if let videoCodec { video.value.codec = videoCodec }
        if let layers { video.value.layers = layers }
    }
}

extension MediaFigures? {
    /// The figures, empty if there were none.
    fileprivate var value: MediaFigures {
        get { self ?? MediaFigures() }
        set { self = newValue }
    }
}
