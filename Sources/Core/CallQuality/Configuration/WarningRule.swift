// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The limits of one call quality warning.
///
/// ``trigger``, ``recover`` and ``duration`` say when something is wrong, and the diagnosis goes by them as
/// well; the others only say when that is warned of.
public struct WarningRule: Sendable, Equatable, Codable {
    /// Whether the warning is raised; the diagnosis does not depend on it.
    public var isEnabled: Bool = true
    /// The threshold; its unit is the figure's.
    public var trigger: Double = 0
    /// The threshold of recovery; `nil` for the same as ``trigger``.
    public var recover: Double? = nil
    /// How long the figure must be beyond the threshold, in seconds.
    public var duration: Double = 0
    /// No warning within this time after the stream's start, in seconds.
    public var grace: Double = 0
    /// Shortest time from trigger to recover, in seconds; 5 s reduces flapping.
    public var hold: Double = 0

    /// Thresholds of zero, to be set.
    init() {}

    /// Reads settings; what is omitted keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension WarningRule {
    /// A warning's thresholds.
    public init(_ trigger: Double, recover: Double? = nil, duration: Double = 0) {
        self.init()
        self.trigger = trigger
        self.recover = recover
        self.duration = duration
    }
}

extension WarningRule: Settings {
    static let settings: [Setting<WarningRule>] = [
        .value("isEnabled", \.isEnabled),
        .number("trigger", \.trigger, .notNegative),
        .optional("recover", \.recover, .notNegative),
        .number("duration", \.duration, .notNegative, .seconds),
        .number("grace", \.grace, .notNegative, .seconds),
        .number("hold", \.hold, .notNegative, .seconds),
    ]
}
