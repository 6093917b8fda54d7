// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// A piece of HTML or SVG.
///
/// Made of literals, which are trusted, and of texts put into them, which are escaped: nothing that comes
/// from a recording can become markup.
struct HTML: ExpressibleByStringInterpolation, Sendable, Equatable {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: String) { markup += literal }

        /// Appends a text, escaped.
        mutating func appendInterpolation(_ text: String) { markup += HTML.escape(text) }

        mutating func appendInterpolation(_ number: Int) { markup += String(number) }

        /// A coordinate: two decimals at the most.
        mutating func appendInterpolation(at number: Double) {
            markup += NumberFormat.plain(number, decimals: 2)
        }

        mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

        mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { markup += piece.markup } }
    }

    /// As it stands in the file.
    private(set) var markup: String

    init(stringLiteral markup: String) { self.markup = markup }

    init(stringInterpolation: StringInterpolation) { markup = stringInterpolation.markup }

    static func + (left: HTML, right: HTML) -> HTML { "\(left)\(right)" }

    /// Escapes a text for use between tags and in quoted attributes; control characters are replaced.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: escaped += "\u{FFFD}"
                default: escaped.unicodeScalars.append(scalar)
                }
            }
        }
        return escaped
    }
}
