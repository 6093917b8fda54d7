// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// When the server, and no one's network, is to blame: all connections of its router are bad at once.
public struct ComparisonRules: Sendable, Equatable, Codable {
    /// Fewer clients than this may share a network by chance.
    public var clients: Double = 3
    /// How long all must be bad at once before the server is blamed, in seconds.
    public var holdTime: Double = 8
    /// How long not all are bad before it no longer is, in seconds.
    public var clearTime: Double = 5

    /// Creates the defaults.
    public init() {}

    /// Reads settings; what is omitted keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension ComparisonRules: Settings {
    static let settings: [Setting<ComparisonRules>] = [
        .number("clients", \.clients, .positive),
        .number("holdTime", \.holdTime, .notNegative, .seconds),
        .number("clearTime", \.clearTime, .notNegative, .seconds),
    ]
}
