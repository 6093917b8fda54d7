// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// How figures look to people.
///
/// What no one measured is a dash, never a zero.
enum Figures {
    static let absent = "–"

    static func rate(_ bitsPerSecond: Double?) -> String {
        guard let bits = bitsPerSecond, bits.isFinite else { return absent }
        return bits >= 999_500
            ? String(format: "%.1f Mb/s", bits / 1e6) : String(format: "%.0f kb/s", bits / 1e3)
    }

    /// A fraction as percent.
    static func share(_ fraction: Double?) -> String {
        guard let fraction, fraction.isFinite else { return absent }
        return String(format: "%.1f %%", fraction * 100)
    }

    /// Seconds as milliseconds.
    static func delay(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite else { return absent }
        return String(format: "%.0f ms", seconds * 1000)
    }

    static func size(_ width: Int?, _ height: Int?) -> String {
        guard let width, let height else { return absent }
        return "\(width)x\(height)"
    }

    static func frameRate(_ framesPerSecond: Double?) -> String {
        guard let framesPerSecond, framesPerSecond.isFinite else { return absent }
        return String(format: "%.0f fps", framesPerSecond)
    }

    static func count(_ count: (some BinaryInteger)?) -> String {
        count.map { "\($0)" } ?? absent
    }

    static func level(_ level: Double?) -> String {
        guard let level, level.isFinite else { return absent }
        return String(format: "%.2f", level)
    }
}
