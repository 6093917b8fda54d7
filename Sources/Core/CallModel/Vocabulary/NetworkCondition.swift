// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How well a transport carries the demand; higher is better.
///
/// Scale, numbers and meanings are Vonage's (`OTNetworkCondition`); the rule is ours.
public enum NetworkCondition: Int, CodableByName, Comparable {
    /// Could not be determined; never the same as bad.
    case unknown = 0
    /// Severe problems; video may be switched off where audio fallback is on.
    case critical = 1
    /// Poor; audio fallback's warning is near.
    case warning = 2
    /// Moderate; the sender may be restricting video.
    case fair = 3
    /// Good; small or passing problems are possible.
    case good = 4
    /// The bandwidth covers the demand and next to nothing is lost.
    case excellent = 5

    /// The name of each case.
    public static let names = caseNames()

    /// Orders by number; `unknown` comes first and has to be checked where that matters.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension NetworkCondition {
    /// Fair or worse.
    public var isBad: Bool { self != .unknown && self <= .fair }
}
