// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Numbers for people.
enum NumberFormat {
    /// Text of an absent figure.
    static let absent = "–"

    /// A number with at most this many decimals, without zeros at its end; a dash if it is none.
    static func plain(_ number: Double?, decimals: Int = 1) -> String {
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

    static func count(_ number: UInt64?) -> String { number.map { String($0) } ?? absent }

    /// A fraction as percent.
    static func percent(_ fraction: Double?) -> String {
        fraction.map { "\(plain($0 * 100)) %" } ?? absent
    }

    /// Bits a second.
    static func rate(_ bitsPerSecond: Double?) -> String {
        guard let bitsPerSecond else { return absent }
        return bitsPerSecond >= 1e6
            ? "\(plain(bitsPerSecond / 1e6)) Mbit/s" : "\(plain(bitsPerSecond / 1e3, decimals: 0)) kbit/s"
    }

    static func bytes(_ number: UInt64?) -> String {
        guard let number = number.map({ Double($0) }) else { return absent }
        return number >= 1e6 ? "\(plain(number / 1e6)) MB" : "\(plain(number / 1e3)) KB"
    }

    /// ms as minutes and seconds, such as `1:05`.
    static func clock(_ milliseconds: Double) -> String {
        guard let seconds = Int(exactly: (max(0, milliseconds) / 1000).rounded()) else { return absent }
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    }

    /// ms as a length for a sentence, such as `4 s` or `1:05 minutes`.
    static func length(_ milliseconds: Double) -> String {
        milliseconds < 59_500
            ? "\(plain(milliseconds / 1000, decimals: 0)) s" : "\(clock(milliseconds)) minutes"
    }
}
