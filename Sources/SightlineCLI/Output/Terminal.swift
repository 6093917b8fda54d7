// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Capabilities of an output stream.
struct Terminal: Sendable {
    /// Whether someone looks at it: lines can be drawn again.
    var isInteractive: Bool
    /// Whether colours are welcome (`NO_COLOR` unset, a terminal that has them).
    var hasColours: Bool
    /// Columns; lines longer than that are cut when they are drawn again.
    var columns: Int

    /// Standard output.
    static func standardOutput(environment: [String: String] = ProcessInfo.processInfo.environment)
        -> Terminal
    {
        let isInteractive = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
        return Terminal(
            isInteractive: isInteractive,
            hasColours: isInteractive && (environment["NO_COLOR"] ?? "").isEmpty,
            columns: width() ?? 100)
    }

    private static func width() -> Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    enum Colour: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case grey = 90
    }

    func coloured(_ text: String, _ colour: Colour) -> String {
        hasColours ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    func bold(_ text: String) -> String {
        hasColours ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }
}
