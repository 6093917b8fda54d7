// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import GRDB
import SessionWire

/// The figures and words of a sample as columns, and back.
///
/// All follow from ``CallModel/SampleFigures``: integers, which SQLite stores in as few bytes as they need;
/// words are the numbers of their vocabulary. Codecs and layers follow them.
enum SampleRow {
    /// A column, and what its integers can be; anything else is absent.
    struct Column: Sendable {
        let name: String
        let range: ClosedRange<Int64>
    }

    /// Numbers of words, of which there may be more one day.
    private static let code: ClosedRange<Int64> = 0...255

    /// The columns of the integers, in the order in which they are bound and read.
    static let columns: [Column] =
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

    private static let more = ["a_codec", "v_codec", "v_layers"]

    /// The columns as a statement has them.
    static let names: String = (columns.map(\.name) + more).joined(separator: ", ")

    /// The columns as the table declares them.
    // The types are said: GRDB has a `+` and an interpolation of its own.
    static let schema: String =
        columns.map { column -> String in
            let (first, last) = (column.range.lowerBound, column.range.upperBound)
            return "\(column.name) INTEGER CHECK (\(column.name) BETWEEN \(first) AND \(last)),\n"
        }.joined() + "a_codec TEXT, v_codec TEXT, v_layers BLOB"

    /// Has a value for every column of the table but the key.
    static let insertion = """
        INSERT INTO samples (flow, observer, time, captured_at, event, \(names))
        VALUES (\(Array(repeating: "?", count: columns.count + more.count + 5).joined(separator: ",")))
        ON CONFLICT (captured_at, event) DO NOTHING
        """

    /// Binds the figures to the parameters that follow.
    static func bind(_ sample: StreamSample, to binder: inout StatementBinder) {
        bind(sample, SampleFigures.words, &binder)
        bind(sample, SampleFigures.path, &binder)
        bind(sample.diagnosis, SampleFigures.diagnosisWords, &binder)
        bind(sample.diagnosis, SampleFigures.diagnosis, &binder)
        bind(sample.diagnosis?.evidence, SampleFigures.evidence, &binder)
        bind(sample.audio, SampleFigures.audio, &binder)
        bind(sample.video, SampleFigures.video, &binder)
        bind(sample.video, SampleFigures.videoWords, &binder)
        binder.bind(sample.audio?.codec)
        binder.bind(sample.video?.codec)
        binder.bind((sample.video?.layers).map(LayerBlob.bytes))
    }

    private static func bind<Owner>(
        _ owner: Owner?, _ figures: [SampleFigure<Owner>], _ binder: inout StatementBinder
    ) {
        guard let owner else { return binder.bindNothing(figures.count) }
        for figure in figures { binder.bind(figure.code(owner)) }
    }

    private static func bind<Owner>(
        _ owner: Owner?, _ words: [SampleWord<Owner>], _ binder: inout StatementBinder
    ) {
        guard let owner else { return binder.bindNothing(words.count) }
        for word in words { binder.bind(word.code(owner)) }
    }

    /// Reads the columns from the one at `first` on.
    static func sample(_ row: Row, from first: Int) -> StreamSample {
        var reader = Reader(row: row, next: first)
        var sample = StreamSample()
        reader.read(SampleFigures.words, into: &sample)
        reader.read(SampleFigures.path, into: &sample)
        sample.diagnosis = diagnosis(&reader)
        sample.audio = reader.part(MediaFigures()) { reader, audio in
            reader.read(SampleFigures.audio, into: &audio)
        }
        sample.video = reader.part(MediaFigures()) { reader, video in
            reader.read(SampleFigures.video, into: &video)
            reader.read(SampleFigures.videoWords, into: &video)
        }
        if let codec = row.text(at: reader.next) { sample.audio.value.codec = codec }
        if let codec = row.text(at: reader.next + 1) { sample.video.value.codec = codec }
        if let layers = row.bytes(at: reader.next + 2).flatMap(LayerBlob.layers) {
            sample.video.value.layers = layers
        }
        return sample
    }

    private static func diagnosis(_ reader: inout Reader) -> Diagnosis? {
        var diagnosis = Diagnosis()
        let isThere = reader.read(SampleFigures.diagnosisWords, into: &diagnosis)
        reader.read(SampleFigures.diagnosis, into: &diagnosis)
        diagnosis.evidence = reader.part(Diagnosis.Evidence()) { reader, evidence in
            reader.read(SampleFigures.evidence, into: &evidence)
        }
        return isThere ? diagnosis : nil
    }

    /// Reads integers one after the other; what one cannot be is absent, whatever the file holds.
    private struct Reader {
        let row: Row
        var next: Int

        mutating func read<Owner>(_ figures: [SampleFigure<Owner>], into owner: inout Owner) {
            for figure in figures {
                figure.setCode(&owner, row.integer(at: next))
                next += 1
            }
        }

        /// - Returns: Whether there was any.
        @discardableResult
        mutating func read<Owner>(_ words: [SampleWord<Owner>], into owner: inout Owner) -> Bool {
            var isThere = false
            for word in words {
                let code = row.integer(at: next)
                word.set(&owner, code: code)
                isThere = isThere || code != nil
                next += 1
            }
            return isThere
        }

        /// A part of the sample; `nil` if nothing is known of it.
        mutating func part<Part: Equatable>(
            _ empty: Part, _ read: (inout Reader, inout Part) -> Void
        ) -> Part? {
            var part = empty
            read(&self, &part)
            return part == empty ? nil : part
        }
    }
}

extension MediaFigures? {
    /// The figures, empty if there were none.
    fileprivate var value: MediaFigures {
        get { self ?? MediaFigures() }
        set { self = newValue }
    }
}
