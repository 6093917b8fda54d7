// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// The charts of one view.
struct ViewCharts: Sendable {
    let view: CallView
    /// Unix ms; the same for all views, so that charts line up.
    let from: Double
    let to: Double

    private typealias Value = (StreamObservation) -> Double?

    /// The charts that have something to show, and the names of those that have not: absent is not zero.
    var html: HTML {
        // The router's view of what a publisher sends is what it received.
        let isSending = view.observations.last?.content.publisher != nil
        let all = isSending ? sending : receiving
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
            chart(.frameRate, [("sent", Self.sent { $0.encodedFrameRate }), ("captured", Self.captured)]),
            chart(.frameHeight, layers), audioLevel,
        ]
    }

    private var receiving: [Chart] {
        [
            bitrates, losses, roundTripTime, jitter,
            chart(.frameRate, [("decoded", Self.video { $0.decodedFrameRate })]),
            chart(.frameHeight, [("decoded", Self.video { $0.height.map(Double.init) })]),
            gaps, audioLevel,
            chart(.score, [("video", Self.video { $0.mos }), ("audio", Self.audio { $0.mos })], top: 5),
        ]
    }

    /// A line for each layer; of a stream that has one, for that.
    private var layers: [(String, Value)] {
        let most = view.observations.map { $0.content.layers.count }.max() ?? 0
        guard most > 1 else { return [("sent", Self.sent { $0.height.map(Double.init) })] }
        return (0..<most).reversed().map { index in
            (
                index == 0 ? "smallest layer" : index == most - 1 ? "largest layer" : "layer \(index + 1)",
                { content in
                    let layers = content.layers
                    guard layers.indices.contains(index), layers[index].sending != false else { return nil }
                    return layers[index].height.map(Double.init)
                }
            )
        }
    }

    // MARK: Charts of both ends

    private var bitrates: Chart {
        let media: [(String, Value)] = [
            ("video", Self.videoRate), ("audio", Self.audioRate),
        ]
        let most = media.flatMap { line in view.observations.compactMap { line.1($0.content) } }.max()
        var chart = chart(.bitrate, media + [("estimate", { $0.transport?.connectionEstimatedBandwidth })])
        // An estimate far above what is sent says only that there is enough.
        chart.ceiling = FigureChart.bitrate.unit.shown(most).map { max($0 * 2, 100) }
        return chart
    }

    private var losses: Chart {
        chart(
            .loss,
            [
                ("video", { $0.videoLoss }), ("audio", { $0.audioLoss }),
                ("network", { $0.transport?.fractionLost }),
            ], top: 2)
    }

    private var roundTripTime: Chart {
        chart(.roundTripTime, [("round trip time", { $0.transport?.roundTripTime })], top: 50)
    }

    private var jitter: Chart {
        chart(.jitter, [("video", { $0.videoJitter }), ("audio", { $0.audioJitter })], top: 50)
    }

    private var audioLevel: Chart { chart(.audioLevel, [("level", { $0.audioLevel })], top: 10) }

    /// Time without motion in each second, from totals.
    private var gaps: Chart {
        chart(
            "Freezes and pauses", "ms since the report before",
            [
                increments("freezes") { $0.totalFreezesDuration },
                increments("pauses") { $0.totalPausesDuration },
            ], top: 200)
    }

    private func increments(
        _ name: String, _ total: @escaping (SubscriberVideoNetworkStats) -> Double?
    ) -> Chart.Line {
        var last: Double?
        let points = view.observations.map { observation -> (time: Double, value: Double?) in
            let now = Self.video(total)(observation.content)
            defer { last = now ?? last }
            return (observation.time, now.flatMap { now in last.map { max(0, now - $0) } })
        }
        return Chart.Line(name: name, points: points)
    }

    /// - Parameter lines: Values in the unit of the figures; they are drawn in that of people.
    private func chart(_ kind: FigureChart, _ lines: [(String, Value)], top: Double? = nil) -> Chart {
        let drawn = lines.map { line in
            Chart.Line(
                name: line.0, points: view.observations.map { ($0.time, kind.unit.shown(line.1($0.content))) }
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

    // MARK: Figures

    private static func video(_ value: @escaping (SubscriberVideoNetworkStats) -> Double?) -> Value {
        { if case .subscriber(let observation) = $0 { observation.video.flatMap(value) } else { nil } }
    }

    private static func audio(_ value: @escaping (SubscriberAudioNetworkStats) -> Double?) -> Value {
        { if case .subscriber(let observation) = $0 { observation.audio.flatMap(value) } else { nil } }
    }

    /// The largest of a publisher's layers that are sent.
    private static func sent(_ value: @escaping (PublisherVideoLayerStats) -> Double?) -> Value {
        { content in
            guard case .publisher(let observation) = content else { return nil }
            return observation.video.flatMap(\.videoLayers).filter { $0.sending != false }.compactMap(value)
                .max()
        }
    }

    private static func captured(_ content: StreamObservation) -> Double? {
        guard case .publisher(let observation) = content else { return nil }
        return observation.video.first?.capturedFrameRate
    }

    private static func videoRate(_ content: StreamObservation) -> Double? {
        switch content {
        case .publisher(let observation): observation.video.compactMap(\.bitrate).sum
        case .subscriber(let observation): observation.video?.bitrate
        }
    }

    private static func audioRate(_ content: StreamObservation) -> Double? {
        switch content {
        case .publisher(let observation): observation.audio.compactMap(\.bitrate).sum
        case .subscriber(let observation): observation.audio?.bitrate
        }
    }
}

extension [Double] {
    /// `nil` of nothing.
    fileprivate var sum: Double? { isEmpty ? nil : reduce(0, +) }
}

/// What both ends have, of several connections the first.
extension StreamObservation {
    fileprivate var layers: [PublisherVideoLayerStats] { publisher?.video.first?.videoLayers ?? [] }

    var transport: TransportStats? {
        switch self {
        case .publisher(let observation): observation.mediaLink.first?.transport
        case .subscriber(let observation): observation.mediaLink.transport
        }
    }

    fileprivate var videoLoss: Double? {
        switch self {
        case .publisher(let observation): observation.video.first?.fractionLost
        case .subscriber(let observation): observation.video?.fractionLost
        }
    }

    fileprivate var audioLoss: Double? {
        switch self {
        case .publisher(let observation): observation.audio.first?.fractionLost
        case .subscriber(let observation): observation.audio?.fractionLost
        }
    }

    fileprivate var videoJitter: Double? {
        switch self {
        case .publisher(let observation): observation.video.first?.jitter
        case .subscriber(let observation): observation.video?.jitter
        }
    }

    fileprivate var audioJitter: Double? {
        switch self {
        case .publisher(let observation): observation.audio.first?.jitter
        case .subscriber(let observation): observation.audio?.jitter
        }
    }

    fileprivate var audioLevel: Double? {
        switch self {
        case .publisher(let observation): observation.audio.first?.audioLevel
        case .subscriber(let observation): observation.audio?.audioLevel
        }
    }
}
