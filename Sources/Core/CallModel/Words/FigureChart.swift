// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Figures that are drawn over time on one pair of axes, in reports and on the dashboard.
package enum FigureChart: String, Sendable, CaseIterable {
    case bitrate, loss, roundTripTime, jitter, frameRate, frameHeight, audioLevel, score

    /// What people call it.
    package var title: String {
        switch self {
        case .bitrate: "Bitrate and estimate"
        case .loss: "Packet loss"
        case .roundTripTime: "Round trip time"
        case .jitter: "Jitter"
        case .frameRate: "Frame rate"
        case .frameHeight: "Frame height"
        case .audioLevel: "Audio level"
        case .score: "Opinion score"
        }
    }

    /// What its figures count in.
    package var unit: FigureUnit {
        switch self {
        case .bitrate: .bitsPerSecond
        case .loss, .audioLevel: .fraction
        case .roundTripTime, .jitter: .seconds
        case .frameRate: .perSecond
        case .frameHeight: .pixels
        case .score: .score
        }
    }

    /// The whole of its scale; `nil` for one from zero to as much as there is.
    package var scale: ClosedRange<Double>? { self == .score ? 1...5 : nil }

    /// Whether a value holds until the next one, so that nothing lies between them.
    package var isStepped: Bool { self == .frameHeight }
}
