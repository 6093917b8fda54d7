// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How well a participant's network carries the demand; meanings and numbers are Twilio's.
public enum NetworkQualityLevel: Int, CodableByName, Comparable {
    /// There is no data yet.
    case unknown = -1
    /// Broken: the participant is reconnecting.
    case zero = 0
    /// Bad.
    case one = 1
    /// Below average.
    case two = 2
    /// Average.
    case three = 3
    /// Good.
    case four = 4
    /// Excellent.
    case five = 5

    /// The name of each case.
    public static let names = caseNames()

    /// Orders by number; `unknown` comes first and has to be checked where that matters.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The lowest of some levels, unknown ones omitted; `unknown` if no other is there.
    package static func lowest(_ levels: [Self?]) -> Self {
        levels.compactMap { $0 }.filter { $0 != .unknown }.min() ?? .unknown
    }
}
