// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a setting is measured in, as guides write it.
package enum SettingUnit: String, Sendable {
    case none = ""
    case seconds = "s"
    case milliseconds = "ms"
    case perMillisecond = "per ms"
    case bitsPerSecond = "bps"
    case bytes
    case megabytes = "MB"
    case days
    case share, ratio, factor, packets, level, score
    case standardDeviations = "σ"

    /// What follows a number of it in a sentence.
    var suffix: String {
        switch self {
        case .none, .share, .ratio, .factor, .level, .score: ""
        case .seconds: " seconds"
        case .megabytes: " megabytes"
        case .milliseconds, .perMillisecond, .bitsPerSecond, .bytes, .days, .packets, .standardDeviations:
            " \(rawValue)"
        }
    }
}
