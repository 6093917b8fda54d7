// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Numbers for people: the one place that formats them.
///
/// What no one measured is a dash, never a zero.
package enum NumberFormat {
    /// Text of an absent figure.
    package static let absent = "–"

    /// A number with at most this many decimals, without zeros at its end; a dash if it is none.
    package static func plain(_ number: Double?, decimals: Int = 1) -> String {
        guard let number, number.isFinite, abs(number) < 1e15 else { return absent }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = Int64((abs(number) * scale).rounded())
        let unit = Int64(scale)
        var fraction = String(scaled % unit)
        fraction = String(repeating: "0", count: max(0, decimals - fraction.count)) + fraction
        while fraction.last == "0" { fraction.removeLast() }
        let sign = number < 0 && scaled != 0 ? "-" : ""
        return sign + String(scaled / unit) + (decimals == 0 || fraction.isEmpty ? "" : ".\(fraction)")
    }

    /// A number and what it counts in.
    private static func plain(_ number: Double?, _ unit: String, decimals: Int) -> String {
        guard let number, number.isFinite else { return absent }
        return "\(plain(number, decimals: decimals)) \(unit)"
    }

    package static func count(_ number: (some BinaryInteger)?) -> String { number.map { "\($0)" } ?? absent }

    /// A fraction as percent.
    package static func percent(_ fraction: Double?, decimals: Int = 1) -> String {
        plain(fraction.map { $0 * 100 }, "%", decimals: decimals)
    }

    /// Bits a second.
    package static func rate(_ bitsPerSecond: Double?) -> String {
        plain(bitsPerSecond.map { $0 / 1000 }, "kbit/s", decimals: 0)
    }

    /// Seconds, with a digit behind the point.
    package static func seconds(_ seconds: Double?) -> String { plain(seconds, "s", decimals: 1) }

    /// Seconds as milliseconds.
    package static func milliseconds(_ seconds: Double?) -> String {
        plain(seconds.map { $0 * 1000 }, "ms", decimals: 0)
    }

    package static func frameRate(_ framesPerSecond: Double?) -> String {
        plain(framesPerSecond, "fps", decimals: 0)
    }

    /// The size of a frame.
    package static func size(_ width: Int?, _ height: Int?) -> String {
        guard let width, let height else { return absent }
        return "\(width)x\(height)"
    }

    package static func bytes(_ number: UInt64?) -> String {
        guard let number = number.map({ Double($0) }) else { return absent }
        return number >= 1e6 ? "\(plain(number / 1e6)) MB" : "\(plain(number / 1e3)) KB"
    }

    /// ms as minutes and seconds, such as `1:05`.
    package static func clock(_ milliseconds: Double) -> String {
        guard let seconds = Int(exactly: (max(0, milliseconds) / 1000).rounded()) else { return absent }
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    }

    /// ms as a length for a sentence, such as `4 s` or `1:05 minutes`.
    package static func length(_ milliseconds: Double) -> String {
        milliseconds < 59_500
            ? "\(plain(milliseconds / 1000, decimals: 0)) s" : "\(clock(milliseconds)) minutes"
    }
}
