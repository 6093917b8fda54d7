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

    private var sending: [Chart] {
        [
            bitrates, losses, roundTripTime, jitter,
            chart(.frameRate, [("sent", \.video?.frameRate), ("captured", \.video?.capturedFrameRate)]),
            chart(.frameHeight, layers), audioLevel,
        ]
    }

    private var receiving: [Chart] {
        [
            bitrates, losses, roundTripTime, jitter,
            chart(.frameRate, [("decoded", \.video?.frameRate)]),
            chart(.frameHeight, [("decoded", Self.height)]),
            gaps, audioLevel,
            chart(.score, [("video", \.video?.mos), ("audio", \.audio?.mos)], top: 5),
        ]
    }

    /// A line for each layer; of a stream that has one, for that.
    private var layers: [(String, Value)] {
        let most = samples.map { $0.sample.video?.layers?.count ?? 0 }.max() ?? 0
        guard most > 1 else { return [("sent", Self.height)] }
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

    private static func height(_ sample: StreamSample) -> Double? { sample.video?.height.map(Double.init) }

    // MARK: Charts of both ends

    private var bitrates: Chart {
        let media: [(String, Value)] = [
            ("video", \.video?.bitrate), ("audio", \.audio?.bitrate),
        ]
        let most = media.flatMap { line in samples.compactMap { line.1($0.sample) } }.max()
        var chart = chart(.bitrate, media + [("estimate", \.connectionEstimatedBandwidth)])
        // An estimate far above what is sent says only that there is enough.
        chart.ceiling = FigureChart.bitrate.unit.shown(most).map { max($0 * 2, 100) }
        return chart
    }

    private var losses: Chart {
        chart(
            .loss,
            [
                ("video", \.video?.fractionLost), ("audio", \.audio?.fractionLost),
                ("network", \.fractionLost),
            ], top: 2)
    }

    private var roundTripTime: Chart {
        chart(.roundTripTime, [("round trip time", \.roundTripTime)], top: 50)
    }

    private var jitter: Chart {
        chart(.jitter, [("video", \.video?.jitter), ("audio", \.audio?.jitter)], top: 50)
    }

    private var audioLevel: Chart { chart(.audioLevel, [("level", \.audio?.audioLevel)], top: 10) }

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
    private func chart(_ kind: FigureChart, _ lines: [(String, Value)], top: Double? = nil) -> Chart {
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
