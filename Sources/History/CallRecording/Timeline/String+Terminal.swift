// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension String {
    /// One line that cannot steer a terminal, whatever stands in the file that it is from.
    package var forTerminal: String {
        String(String.UnicodeScalarView(unicodeScalars.map { Self.isHarmless($0) ? $0 : "\u{FFFD}" }))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
