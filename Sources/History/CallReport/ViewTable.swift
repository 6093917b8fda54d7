// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// A view's figures over the whole call.
struct ViewTable: Sendable {
    private typealias Row = (name: String, video: String, audio: String)

    private let role: StreamRole
    private let samples: [StreamSample]

    init(_ view: CallView) {
        role = view.observations.last?.role ?? view.id.role
        samples = view.observations.map(\.sample)
    }

    var html: HTML {
        guard let last = samples.last else { return "" }
        let rows = rows(last).filter { $0.video != NumberFormat.absent || $0.audio != NumberFormat.absent }
        let lines: [HTML] = rows.map { row in
            "<tr><th scope=\"row\">\(row.name)</th><td>\(row.video)</td><td>\(row.audio)</td></tr>\n"
        }
        return """
            <table class="figures"><thead><tr><th scope="col">over the whole call</th><th scope="col">video</th>\
            <th scope="col">audio</th></tr></thead><tbody>\(lines)</tbody></table>

            """
    }

    private func rows(_ last: StreamSample) -> [Row] {
        let isSending = role == .publisher
        return [
            row(isSending ? "packets sent" : "packets received", last) { NumberFormat.count($0.packets) },
            row(isSending ? "lost" : "lost in the network", last, lost),
            row("bytes", last) { NumberFormat.bytes($0.bytes) },
            (
                "bitrate, mean", NumberFormat.rate(mean(\.video?.bitrate)),
                NumberFormat.rate(mean(\.audio?.bitrate))
            ),
            row("codec", last) { $0.codec ?? NumberFormat.absent },
            row(isSending ? "resolution, largest layer at the end" : "resolution at the end", last) {
                NumberFormat.size($0.width, $0.height)
            },
            row("freezes", last) { Self.gaps($0.freezeCount, $0.totalFreezesDuration) },
            row("pauses", last) { Self.gaps($0.pauseCount, $0.totalPausesDuration) },
            ("opinion score, mean", score(mean(\.video?.mos)), score(mean(\.audio?.mos))),
        ]
    }

    /// What the last sample says of both media.
    private func row(_ name: String, _ last: StreamSample, _ figure: (MediaFigures) -> String) -> Row {
        (name, last.video.map(figure) ?? NumberFormat.absent, last.audio.map(figure) ?? NumberFormat.absent)
    }

    private func mean(_ figure: KeyPath<StreamSample, Double?>) -> Double? {
        samples.compactMap { $0[keyPath: figure] }.mean
    }

    private func score(_ score: Double?) -> String { NumberFormat.plain(score, decimals: 2) }

    /// What a receiver lost it did not count as received.
    private func lost(_ media: MediaFigures) -> String {
        guard let lost = media.packetsLost.map(Double.init) else { return NumberFormat.absent }
        let all = Double(media.packets ?? 0) + (role == .publisher ? 0 : lost)
        return NumberFormat.count(media.packetsLost)
            + (all > 0 ? " (\(NumberFormat.percent(lost / all)))" : "")
    }

    private static func gaps(_ count: Int?, _ milliseconds: Double?) -> String {
        guard let count else { return NumberFormat.absent }
        return "\(count)"
            + (count > 0 ? ", \(NumberFormat.plain(milliseconds.map { $0 / 1000 })) s in all" : "")
    }
}
