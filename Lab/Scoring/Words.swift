// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Figures as the page writes them.
enum Words {
    /// A share in percent; a dash if there is no whole.
    static func share(_ part: Int, _ whole: Int) -> String {
        whole == 0 ? "–" : "\(rounded(100 * Double(part) / Double(whole))) %"
    }

    /// A percentile of times: the median unless another one is asked for.
    static func seconds(_ times: [Double?], percent: Int = 50) -> String {
        guard let time = percentile(times, percent) else { return "–" }
        return time.isFinite ? "\(rounded(time)) s" : "never"
    }

    /// A number to one digit.
    static func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
