// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

/// The columns of ``CallHistory/SampleColumns`` in SQLite, which stores integers in as few bytes as they need; codecs and
/// layers follow them.
enum SampleRow {
    private static let more = ["a_codec", "v_codec", "v_layers"]

    /// The columns as a statement has them.
    static let names: String = (SampleColumns.all.map(\.name) + more).joined(separator: ", ")

    /// The columns as the table declares them.
    // The types are said: GRDB has a `+` and an interpolation of its own.
    static let schema: String =
        SampleColumns.all.map { column -> String in
            let (first, last) = (column.range.lowerBound, column.range.upperBound)
            return "\(column.name) INTEGER CHECK (\(column.name) BETWEEN \(first) AND \(last)),\n"
        }.joined() + "a_codec TEXT, v_codec TEXT, v_layers BLOB"

    /// Has a value for every column of the table but the key.
    static let insertion: String = {
        let values = Array(repeating: "?", count: SampleColumns.all.count + more.count + 5)
        return """
            INSERT INTO samples (flow, observer, time, captured_at, event, \(names))
            VALUES (\(values.joined(separator: ",")))
            ON CONFLICT (captured_at, event) DO NOTHING
            """
    }()

    /// Binds the figures to the parameters that follow.
    static func bind(_ sample: StreamSample, to binder: inout StatementBinder) {
        SampleColumns.write(sample) { binder.bind($0) }
        binder.bind(sample.audio?.codec)
        binder.bind(sample.video?.codec)
        binder.bind((sample.video?.layers).map(LayerBlob.bytes))
    }

    /// Reads the columns from the one at `first` on.
    static func sample(_ row: Row, from first: Int) -> StreamSample {
        var next = first
        var sample = SampleColumns.read {
            defer { next += 1 }
            return row.integer(at: next)
        }
        sample.add(
            audioCodec: row.text(at: next), videoCodec: row.text(at: next + 1),
            layers: row.bytes(at: next + 2).flatMap(LayerBlob.layers))
        return sample
    }
}
