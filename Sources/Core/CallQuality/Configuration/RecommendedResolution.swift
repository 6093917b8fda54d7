// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// A resolution that the pre-call test can recommend, and its bitrates.
public struct RecommendedResolution: Sendable, Equatable, Codable {
    /// Width in pixels.
    public var width: Int = 0
    /// Height in pixels.
    public var height: Int = 0
    /// Frames per second.
    public var frameRate: Double = 30
    /// Bitrate of a single encoding, in bps.
    public var bitrate: Double = 0
    /// Bitrate of all its simulcast layers, in bps.
    public var simulcastBitrate: Double = 0

    /// Rates of zero, to be set.
    init() {}

    /// Reads settings; what is omitted keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }

    /// The sizes and rates of Vonage's network test.
    static let defaults = [
        RecommendedResolution(1920, 1080, 4_000_000, 5_550_000),
        RecommendedResolution(1280, 720, 2_500_000, 3_150_000),
        RecommendedResolution(960, 540, 1_200_000, 1_550_000),
        RecommendedResolution(640, 360, 500_000, 650_000),
        RecommendedResolution(480, 270, 300_000, 350_000),
        RecommendedResolution(320, 180, 150_000, 150_000),
    ]

    private init(_ width: Int, _ height: Int, _ bitrate: Double, _ simulcastBitrate: Double) {
        self.width = width
        self.height = height
        self.bitrate = bitrate
        self.simulcastBitrate = simulcastBitrate
    }
}

extension RecommendedResolution: Settings {
    static let settings: [Setting<RecommendedResolution>] = [
        .value("width", \.width),
        .value("height", \.height),
        .number("frameRate", \.frameRate, .positive),
        .number("bitrate", \.bitrate, .positive),
        .number("simulcastBitrate", \.simulcastBitrate, .positive),
    ]
}
