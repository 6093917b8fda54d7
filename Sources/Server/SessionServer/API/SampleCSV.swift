// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel

/// Samples as comma-separated values (RFC 4180); what is absent is an empty field.
///
/// The fields are those of ``CallModel/SampleFigures``, by their names in JSON.
enum SampleCSV {
    private typealias Field = (name: String, value: @Sendable (SampleEntry) -> String?)

    /// The first line.
    static var header: String { fields.map(\.name).joined(separator: ",") + "\r\n" }

    /// The other lines.
    static func lines(_ samples: [SampleEntry]) -> String {
        samples.map { sample in
            fields.map { escape($0.value(sample) ?? "") }.joined(separator: ",") + "\r\n"
        }.joined()
    }

    private static let fields: [Field] = {
        var fields = place
        fields += words(SampleFigures.words) { $0 }
        fields += figures(SampleFigures.path) { $0 }
        fields += words(SampleFigures.diagnosisWords) { $0.diagnosis }
        fields += figures(SampleFigures.diagnosis) { $0.diagnosis }
        fields += figures(SampleFigures.evidence, "evidence.") { $0.diagnosis?.evidence }
        fields.append(("audio.codec", { $0.sample.audio?.codec.map(inert) }))
        fields += figures(SampleFigures.audio, "audio.") { $0.audio }
        fields.append(("video.codec", { $0.sample.video?.codec.map(inert) }))
        fields += figures(SampleFigures.video, "video.") { $0.video }
        fields += words(SampleFigures.videoWords, "video.") { $0.video }
        for index in 0..<MediaFigures.layerLimit { fields += layer(index) }
        return fields
    }()

    private static let place: [Field] = [
        ("time", { number($0.time) }), ("session", { inert($0.flow.session) }),
        ("connection", { $0.flow.connection }), ("stream", { $0.flow.stream }),
        ("role", { $0.flow.role.name }),
        ("observer", { $0.observer.name }),
    ]

    private static func figures<Part>(
        _ figures: [SampleFigure<Part>], _ prefix: String = "",
        _ part: @escaping @Sendable (StreamSample) -> Part?
    ) -> [Field] {
        figures.map { figure in
            (prefix + figure.name, { number(part($0.sample).flatMap(figure.value)) })
        }
    }

    private static func words<Part>(
        _ words: [SampleWord<Part>], _ prefix: String = "",
        _ part: @escaping @Sendable (StreamSample) -> Part?
    ) -> [Field] {
        words.map { word in (prefix + word.name, { part($0.sample).flatMap(word.value) }) }
    }

    /// A sender's layers from the smallest on.
    private static func layer(_ index: Int) -> [Field] {
        let prefix = "video.layer\(index + 1)."
        @Sendable func layer(_ sample: StreamSample) -> LayerFigures? {
            let layers = sample.video?.layers ?? []
            return layers.indices.contains(index) ? layers[index] : nil
        }
        let words: [Field] = [
            ("\(prefix)rid", { layer($0.sample)?.rid.map(inert) }),
            ("\(prefix)enabled", { layer($0.sample)?.enabled.map { "\($0)" } }),
            ("\(prefix)sending", { layer($0.sample)?.sending.map { "\($0)" } }),
        ]
        return words + figures(SampleFigures.layer, prefix, layer)
    }

    /// Whole numbers without a fraction.
    private static func number(_ value: Double?) -> String? {
        guard let value else { return nil }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    /// A text that anyone may have written as a field: what a spreadsheet would take for a formula is none.
    static func text(_ text: String) -> String { escape(inert(text)) }

    /// The same before it is a field.
    private static func inert(_ text: String) -> String {
        text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } == true ? "'" + text : text
    }

    /// A text as a field.
    static func escape(_ text: String) -> String {
        // By scalars: a quote with a mark on it is another character, and a quote all the same to who reads the field.
        let scalars = text.unicodeScalars
        guard
            scalars.contains(where: { $0 == "," || $0 == "\"" || $0.properties.generalCategory == .control })
        else {
            return text
        }
        var field = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in scalars {
            if scalar == "\"" { field.append(scalar) }
            field.append(scalar)
        }
        field.append("\"")
        return String(field)
    }
}
