// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What one resolution needs in the pre-call test.
public struct ResolutionRequirement: Sendable, Equatable, Codable {
    /// Width in pixels; `0` for audio alone.
    public var width: Int = 0
    /// Height in pixels; `0` for audio alone.
    public var height: Int = 0
    /// More than this is excellent, in bps.
    public var excellentBitrate: Double = 0
    /// Less than this is excellent, `0...1`.
    public var excellentLoss: Double = 0
    /// More than this is acceptable, in bps.
    public var acceptableBitrate: Double = 0
    /// Less than this is acceptable, `0...1`.
    public var acceptableLoss: Double = 0

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

extension ResolutionRequirement {
    /// Creates requirements.
    public init(
        width: Int, height: Int, excellent: (bitrate: Double, loss: Double),
        acceptable: (bitrate: Double, loss: Double)
    ) {
        self.init()
        self.width = width
        self.height = height
        excellentBitrate = excellent.bitrate
        excellentLoss = excellent.loss
        acceptableBitrate = acceptable.bitrate
        acceptableLoss = acceptable.loss
    }

    /// The default requirements.
    public static let defaults = [
        ResolutionRequirement(
            width: 1280, height: 720, excellent: (1_000_000, 0.005), acceptable: (350_000, 0.03)),
        ResolutionRequirement(
            width: 640, height: 480, excellent: (600_000, 0.005), acceptable: (250_000, 0.03)),
        ResolutionRequirement(
            width: 352, height: 288, excellent: (300_000, 0.005), acceptable: (150_000, 0.03)),
        ResolutionRequirement(
            width: 320, height: 240, excellent: (300_000, 0.005), acceptable: (150_000, 0.03)),
        ResolutionRequirement(width: 0, height: 0, excellent: (30_000, 0.005), acceptable: (25_000, 0.05)),
    ]
}

extension ResolutionRequirement: Settings {
    static let settings: [Setting<ResolutionRequirement>] = [
        .value("width", \.width),
        .value("height", \.height),
        .number("excellentBitrate", \.excellentBitrate, .positive),
        .number("excellentLoss", \.excellentLoss, .fraction),
        .number("acceptableBitrate", \.acceptableBitrate, .positive),
        .number("acceptableLoss", \.acceptableLoss, .fraction),
    ]
}
