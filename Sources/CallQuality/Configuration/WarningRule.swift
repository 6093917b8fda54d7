// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The limits of one call quality warning.
public struct WarningRule: Sendable, Equatable, Codable {
    /// Whether the warning is raised at all.
    public var isEnabled: Bool = true
    /// The limit; its unit is the figure's.
    public var trigger: Double = 0
    /// The limit of recovery; `nil` for the same as ``trigger``.
    public var recover: Double? = nil
    /// How long the figure must be bad, in seconds.
    public var duration: Double = 0
    /// No warning within this time after the stream's begin, in seconds.
    public var grace: Double = 0
    /// Shortest time from trigger to recover, in seconds.
    public var hold: Double = 0

    /// Limits of zero, to be set.
    init() {}

    /// Reads settings; what is left out keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension WarningRule: Settings {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case isEnabled, trigger, recover, duration, grace, hold
    }

    mutating func update(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.read(&isEnabled, .isEnabled)
        try container.read(&trigger, .trigger)
        try container.read(&recover, .recover)
        try container.read(&duration, .duration)
        try container.read(&grace, .grace)
        try container.read(&hold, .hold)
    }

    func check(_ path: String, _ problems: inout [String]) {
        requireNotNegative(trigger, "\(path).trigger", &problems)
        requireNotNegative(duration, "\(path).duration", &problems)
        requireNotNegative(grace, "\(path).grace", &problems)
        requireNotNegative(hold, "\(path).hold", &problems)
        if let recover { requireNotNegative(recover, "\(path).recover", &problems) }
    }
}
