// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension Diagnosis {
    /// On whose side the fault is; `nil` while nothing is wrong, and where that is not known.
    ///
    /// A publisher's diagnosis has no side: what it says is of the own one.
    func side(isOwn: Bool) -> String? {
        guard cause != .none, cause != .unknown else { return nil }
        if isOwn { return "On your side" }
        return switch side ?? .unknown {
        case .local: "On your side"
        case .remote: "On the other side"
        case .server: "At the server"
        case .bothOrUnclear: "On both sides, or that is unclear"
        case .unknown, .none: nil
        }
    }
}
