// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What people notice of a call: from these on it is noticeable, disturbing, bad, unusable.
///
/// Severities follow from this wherever this end can see or hear it; the network's figures are evidence for the cause.
public struct ExperienceRules: Sendable, Equatable, Codable {
    /// Share of the audio that was audibly concealed: from these on it is noticeable, disturbing, bad, unusable.
    public var concealment: GradeThresholds = GradeThresholds(0.01, 0.03, 0.08, 0.2)
    /// Share of the time in which video was frozen, likewise.
    public var frozen: GradeThresholds = GradeThresholds(0.02, 0.08, 0.25, 0.6)
    /// Share of the wanted pixels that are shown: below these it is noticeable, disturbing, bad, unusable.
    public var pixels: GradeThresholds = GradeThresholds(0.8, 0.4, 0.12, 0.03)
    /// Share of the wanted frame rate that is shown, likewise.
    public var frameRate: GradeThresholds = GradeThresholds(0.8, 0.5, 0.25, 0.1)
    /// Network loss where no one knows what is repaired of it: from these on it is noticeable, disturbing, bad, unusable.
    public var loss: GradeThresholds = GradeThresholds(0.01, 0.03, 0.1, 0.25)
    /// Delay from mouth to ear, in seconds, most of which is the network's: from these on it is noticeable, disturbing, bad, unusable.
    ///
    /// Where delay alone takes the E-model's rating (ITU-T G.107) below 80 and 70 some and many are dissatisfied (G.109); more
    /// than 0.4 s is unacceptable for conversation (G.114).
    public var mouthToEarDelay: GradeThresholds = GradeThresholds(0.25, 0.32, 0.4, 0.8)
    /// Window over which shares are taken, in seconds.
    public var window: Double = 5

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

extension ExperienceRules: Settings {
    static let settings: [Setting<ExperienceRules>] = [
        .rules("concealment", \.concealment, .share),
        .rules("frozen", \.frozen, .share),
        .rules("pixels", \.pixels, .ratio),
        .rules("frameRate", \.frameRate, .ratio),
        .rules("loss", \.loss, .share),
        .rules("mouthToEarDelay", \.mouthToEarDelay, .seconds),
        .number("window", \.window, .positive, .seconds),
    ]
}
