// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// When video gives way to the audio beside it.
public struct AudioFallbackSettings: Sendable, Equatable, Codable {
    /// Of a subscriber's downlink, by the media router: the server's settings count.
    public var subscriber: AudioFallbackRules = AudioFallbackRules()
    /// Of a publisher's uplink, by its own client.
    public var publisher: AudioFallbackRules = AudioFallbackRules()
    /// Video that a publisher's uplink must carry at least, unless the smallest layer needs less, in bps.
    public var publisherVideoBitrate: Double = 110_000
    /// Audio that it must carry beside it, headers included, in bps.
    public var publisherAudioBitrate: Double = 40_000

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

extension AudioFallbackSettings: Settings {
    static let settings: [Setting<AudioFallbackSettings>] = [
        .rules("subscriber", \.subscriber),
        .rules("publisher", \.publisher),
        .number("publisherVideoBitrate", \.publisherVideoBitrate, .positive, .bitsPerSecond),
        .number("publisherAudioBitrate", \.publisherAudioBitrate, .notNegative, .bitsPerSecond),
    ]
}

extension AudioFallbackRules: Settings {
    static let settings: [Setting<AudioFallbackRules>] = [
        .number("warningAfter", \.warningAfter, .notNegative, .seconds),
        .number("offAfter", \.offAfter, .notNegative, .seconds),
        .number("backAfter", \.backAfter, .notNegative, .seconds),
        .number("spare", \.spare, .notNegative, .share),
        .number("repeatWithin", \.repeatWithin, .notNegative, .seconds),
        .number("longestBackAfter", \.longestBackAfter, .notNegative, .seconds),
        .number("longestMiss", \.longestMiss, .notNegative, .seconds),
    ]
}
