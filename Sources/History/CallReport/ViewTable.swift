// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// A view's figures over the whole call.
struct ViewTable: Sendable {
    private typealias Row = (name: String, video: String, audio: String)

    let view: CallView

    var html: HTML {
        guard let last = view.observations.last else { return "" }
        let rows: [Row] =
            switch last.content {
            case .publisher(let observation): sending(observation)
            case .subscriber(let observation): receiving(observation)
            }
        let shown = rows.filter { $0.video != NumberFormat.absent || $0.audio != NumberFormat.absent }
        let lines: [HTML] = shown.map { row in
            "<tr><th scope=\"row\">\(row.name)</th><td>\(row.video)</td><td>\(row.audio)</td></tr>\n"
        }
        return """
            <table class="figures"><thead><tr><th scope="col">over the whole call</th><th scope="col">video</th>\
            <th scope="col">audio</th></tr></thead><tbody>\(lines)</tbody></table>

            """
    }

    private func sending(_ last: PublisherObservation) -> [Row] {
        let (video, audio) = (last.video, last.audio)
        let layer = video.flatMap(\.videoLayers).max { $0.height ?? 0 < $1.height ?? 0 }
        let lost = (Self.sum(video.map(\.videoPacketsLost)), Self.sum(audio.map(\.audioPacketsLost)))
        let sent = (Self.sum(video.map(\.videoPacketsSent)), Self.sum(audio.map(\.audioPacketsSent)))
        return [
            ("packets sent", NumberFormat.count(sent.0), NumberFormat.count(sent.1)),
            ("lost", Self.lost(lost.0, of: sent.0), Self.lost(lost.1, of: sent.1)),
            (
                "bytes", NumberFormat.bytes(Self.sum(video.map(\.videoBytesSent))),
                NumberFormat.bytes(Self.sum(audio.map(\.audioBytesSent)))
            ),
            (
                "bitrate, mean", mean { Self.total($0.publisher?.video.map(\.bitrate)) },
                mean { Self.total($0.publisher?.audio.map(\.bitrate)) }
            ),
            ("codec", layer?.codec ?? NumberFormat.absent, audio.first?.codec ?? NumberFormat.absent),
            (
                "resolution, largest layer at the end", NumberFormat.size(layer?.width, layer?.height),
                NumberFormat.absent
            ),
        ]
    }

    private func receiving(_ last: SubscriberObservation) -> [Row] {
        let (video, audio) = (last.video, last.audio)
        return [
            (
                "packets received", NumberFormat.count(video?.videoPacketsReceived),
                NumberFormat.count(audio?.audioPacketsReceived)
            ),
            (
                "lost in the network",
                Self.lost(
                    video?.videoPacketsLost,
                    of: Self.sum([video?.videoPacketsReceived, video?.videoPacketsLost])),
                Self.lost(
                    audio?.audioPacketsLost,
                    of: Self.sum([audio?.audioPacketsReceived, audio?.audioPacketsLost]))
            ),
            (
                "bytes", NumberFormat.bytes(video?.videoBytesReceived),
                NumberFormat.bytes(audio?.audioBytesReceived)
            ),
            (
                "bitrate, mean", mean { $0.subscriber?.video?.bitrate },
                mean { $0.subscriber?.audio?.bitrate }
            ),
            ("codec", video?.codec ?? NumberFormat.absent, audio?.codec ?? NumberFormat.absent),
            ("resolution at the end", NumberFormat.size(video?.width, video?.height), NumberFormat.absent),
            ("freezes", Self.gaps(video?.freezeCount, video?.totalFreezesDuration), NumberFormat.absent),
            ("pauses", Self.gaps(video?.pauseCount, video?.totalPausesDuration), NumberFormat.absent),
            (
                "opinion score, mean",
                NumberFormat.plain(average { $0.subscriber?.video?.mos }, decimals: 2),
                NumberFormat.plain(average { $0.subscriber?.audio?.mos }, decimals: 2)
            ),
        ]
    }

    // MARK: Figures

    private func average(_ value: (StreamObservation) -> Double?) -> Double? {
        view.observations.compactMap { value($0.content) }.mean
    }

    private func mean(_ rate: (StreamObservation) -> Double?) -> String {
        NumberFormat.rate(average(rate))
    }

    private static func sum(_ numbers: [UInt64?]) -> UInt64? {
        let known = numbers.compactMap(\.self)
        return known.isEmpty ? nil : known.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }

    private static func total(_ rates: [Double?]?) -> Double? {
        let known = rates?.compactMap(\.self) ?? []
        return known.isEmpty ? nil : known.reduce(0, +)
    }

    private static func lost(_ lost: UInt64?, of all: UInt64?) -> String {
        guard let lost else { return NumberFormat.absent }
        guard let all, all > 0 else { return String(lost) }
        return "\(lost) (\(NumberFormat.percent(Double(lost) / Double(all))))"
    }

    private static func gaps(_ count: UInt64?, _ milliseconds: Double?) -> String {
        guard let count else { return NumberFormat.absent }
        return "\(count)"
            + (count > 0 ? ", \(NumberFormat.plain(milliseconds.map { $0 / 1000 })) s in all" : "")
    }
}
