// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A trickled ICE candidate in the terms of the client's offer.
package struct LegCandidate: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: LegName
    /// The media section.
    package var mid: String?
    /// Index of the media section.
    package var lineIndex: Int?
    /// The value of an `a=` line; empty means that there are no more.
    package var candidate: String

    /// Creates a candidate.
    package init(leg: LegName, mid: String?, lineIndex: Int?, candidate: String) {
        self.leg = leg
        self.mid = mid
        self.lineIndex = lineIndex
        self.candidate = candidate
    }
}
