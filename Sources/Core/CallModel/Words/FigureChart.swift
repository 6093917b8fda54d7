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

// MARK: - Lines

extension FigureChart {
    /// One figure over time.
    package struct Line: Sendable {
        /// What people call it on this chart, where the title says what both media have.
        package let name: String
        /// The member of a sample's JSON, from the outside in.
        package let path: [String]
        /// Its value; `nil` if it was not measured.
        package let value: @Sendable (StreamSample) -> Double?
    }

    /// What is drawn, by ``SampleFigure/chart``: video's, audio's and the path's.
    package var lines: [Line] {
        lines(SampleFigures.video, of: "video", \.video) + lines(SampleFigures.audio, of: "audio", \.audio)
            + lines(SampleFigures.path, of: nil) { $0 }
    }

    private func lines<Part>(
        _ figures: [SampleFigure<Part>], of medium: String?,
        _ part: @escaping @Sendable (StreamSample) -> Part?
    ) -> [Line] {
        figures.filter { $0.chart == self }.map { figure in
            let isOfBoth = [SampleFigures.video, SampleFigures.audio].allSatisfy { all in
                all.contains { $0.label == figure.label }
            }
            return Line(
                name: isOfBoth ? medium ?? figure.label : figure.label,
                path: [medium, figure.name].compactMap(\.self)
            ) { part($0).flatMap(figure.value) }
        }
    }
}
