// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// The charts of one view.
struct ViewCharts: Sendable {
    private typealias Value = (StreamSample) -> Double?

    private let view: CallView
    private let samples: [(time: Double, sample: StreamSample)]
    /// Unix ms; the same for all views, so that charts line up.
    private let from: Double
    private let to: Double

    init(_ view: CallView, from: Double, to: Double) {
        self.view = view
        samples = view.observations.map { ($0.time, $0.sample) }
        self.from = from
        self.to = to
    }

    /// The charts that have something to show, and the names of those that have not: absent is not zero.
    var html: HTML {
        let all = view.observations.last?.role == .publisher ? sending : receiving
        let absent = all.filter(\.isEmpty).map { $0.title.lowercased() }
        let missing: HTML =
            absent.isEmpty ? "" : "<p class=\"legend\">Not measured: \(absent.joined(separator: ", ")).</p>"
        return """
            <div class="charts">
            \(all.filter { !$0.isEmpty }.map(\.html))</div>\(missing)
            """
    }

    private var sending: [Chart] { FigureChart.allCases.filter { $0 != .score }.map(chart) }

    private var receiving: [Chart] {
        let all = FigureChart.allCases.map(chart)
        let end = FigureChart.allCases.firstIndex(of: .audioLevel) ?? all.endIndex
        return all[..<end] + [gaps] + all[end...]
    }

    private func chart(_ kind: FigureChart) -> Chart {
        let lines = kind.lines.map { ($0.name, $0.value as Value) }
        var chart = chart(kind, kind == .frameHeight ? layers ?? lines : lines, top: Self.top(of: kind))
        if kind == .bitrate {
            // An estimate far above what is sent says only that there is enough.
            let media = samples.flatMap { [$0.sample.video?.bitrate, $0.sample.audio?.bitrate] }
            chart.ceiling = kind.unit.shown(media.compactMap(\.self).max()).map { max($0 * 2, 100) }
        }
        return chart
    }

    /// What the axis reaches at least, in the unit of people, so that noise does not look like a mountain.
    private static func top(of kind: FigureChart) -> Double? {
        switch kind {
        case .loss: 2
        case .roundTripTime, .jitter: 50
        case .audioLevel: 10
        case .score: 5
        case .bitrate, .frameRate, .frameHeight: nil
        }
    }

    /// A line for each layer; `nil` of a stream that has one.
    private var layers: [(String, Value)]? {
        let most = samples.map { $0.sample.video?.layers?.count ?? 0 }.max() ?? 0
        guard most > 1 else { return nil }
        return (0..<most).reversed().map { index in
            (
                index == 0 ? "smallest layer" : index == most - 1 ? "largest layer" : "layer \(index + 1)",
                { sample in
                    guard let layers = sample.video?.layers, layers.indices.contains(index),
                        layers[index].sending != false
                    else { return nil }
                    return layers[index].height.map(Double.init)
                }
            )
        }
    }

    /// Time without motion in each second, from totals.
    private var gaps: Chart {
        chart(
            "Freezes and pauses", "ms since the report before",
            [
                increments("freezes", \.video?.totalFreezesDuration),
                increments("pauses", \.video?.totalPausesDuration),
            ], top: 200)
    }

    private func increments(_ name: String, _ total: Value) -> Chart.Line {
        var last: Double?
        let points = samples.map { time, sample -> (time: Double, value: Double?) in
            let now = total(sample)
            defer { last = now ?? last }
            return (time, now.flatMap { now in last.map { max(0, now - $0) } })
        }
        return Chart.Line(name: name, points: points)
    }

    /// - Parameter lines: Values in the unit of the figures; they are drawn in that of people.
    private func chart(_ kind: FigureChart, _ lines: [(String, Value)], top: Double?) -> Chart {
        let drawn = lines.map { line in
            Chart.Line(
                name: line.0, points: samples.map { ($0.time, kind.unit.shown(line.1($0.sample))) }
            )
        }
        return chart(kind.title, kind.unit.display.label ?? "", drawn, top: top)
    }

    private func chart(_ title: String, _ unit: String, _ lines: [Chart.Line], top: Double?) -> Chart {
        let bands = view.intervals.filter(\.isAlarm).map {
            Chart.Band(from: $0.from, to: $0.to, severity: $0.severity?.rawValue ?? 1)
        }
        return Chart(title: title, unit: unit, lines: lines, bands: bands, from: from, to: to, top: top)
    }
}
