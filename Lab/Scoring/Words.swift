// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Figures as the page writes them.
enum Words {
    /// A share in percent; a dash if there is no whole.
    static func share(_ part: Int, _ whole: Int) -> String {
        whole == 0 ? "–" : "\(rounded(100 * Double(part) / Double(whole))) %"
    }

    /// The median of times.
    static func seconds(_ times: [Double?]) -> String {
        guard let middle = median(times) else { return "–" }
        return middle.isFinite ? "\(rounded(middle)) s" : "never"
    }

    /// A number to one digit.
    static func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
