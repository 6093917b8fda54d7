// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// JSON as this program writes it.
package enum JSONText {
    /// A value on one line, without its end, members in the order of their names.
    package static func line(_ value: some Encodable) -> String {
        // Nothing that is written is beyond JSON; if it were, silence would be the worst answer.
        (try? text(value)) ?? "{\"type\":\"error\",\"message\":\"an event could not be written\"}"
    }

    /// A value as a person edits it.
    package static func page(_ value: some Encodable) throws -> String { try text(value, .prettyPrinted) }

    private static func text(
        _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting = []
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
