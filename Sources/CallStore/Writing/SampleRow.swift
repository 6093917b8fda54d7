// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import GRDB
import SessionProtocol

/// The figures of a sample as columns, and back.
///
/// Integers only, which SQLite stores in as few bytes as they need: times in µs or ms, fractions in millionths,
/// MOS in thousandths, frame rates in hundredths, sound levels in ten thousandths.
enum SampleRow {
    /// A figure, and what it can be; anything else is absent.
    struct Column: Sendable {
        let name: String
        let range: ClosedRange<Int64>

        init(_ name: String, _ range: ClosedRange<Int64>) {
            self.name = name
            self.range = range
        }
    }

    private static let condition: ClosedRange<Int64> = 0...5
    private static let side: ClosedRange<Int64> = 0...4
    /// Codes of names, of which there may be more one day.
    private static let code: ClosedRange<Int64> = 0...255
    /// What JSON's numbers hold exactly.
    private static let total: ClosedRange<Int64> = 0...(1 << 53)
    private static let change: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
    /// Bits per second.
    private static let rate: ClosedRange<Int64> = 0...1_000_000_000_000
    /// An hour in µs.
    private static let delay: ClosedRange<Int64> = 0...3_600_000_000
    private static let opinion: ClosedRange<Int64> = 0...5000
    private static let size: ClosedRange<Int64> = 0...16_384

    /// The columns of the figures, in the order in which they are bound and read; layers follow them.
    static let columns = [
        Column("condition", condition), Column("condition_reason", code), Column("estimate", rate),
        Column("rtt_us", delay), Column("lost_ppm", 0...1_000_000), Column("demand", rate),
        Column("remote_condition", condition), Column("remote_reason", code), Column("source", side),
        Column("cause", code), Column("direction", code), Column("side", side), Column("severity", 0...100),
        Column("a_packets", total), Column("a_lost", change), Column("a_bytes", total),
        Column("a_bitrate", rate), Column("a_jitter_us", delay), Column("a_level", 0...10_000),
        Column("a_mos", opinion), Column("v_packets", total), Column("v_lost", change),
        Column("v_bytes", total), Column("v_bitrate", rate), Column("v_jitter_us", delay),
        Column("v_width", size), Column("v_height", size), Column("v_rate", 0...100_000),
        Column("v_frames", total), Column("v_freezes", total), Column("v_freeze_ms", total),
        Column("v_pauses", total), Column("v_pause_ms", total), Column("v_limitation", code),
        Column("v_mos", opinion),
    ]

    /// The columns as a statement has them.
    static let names: String = (columns.map(\.name) + ["v_layers"]).joined(separator: ", ")

    /// The columns as the table declares them.
    // The types are said: GRDB has a `+` and an interpolation of its own.
    static let schema: String =
        columns.map { column -> String in
            let (first, last) = (column.range.lowerBound, column.range.upperBound)
            return "\(column.name) INTEGER CHECK (\(column.name) BETWEEN \(first) AND \(last)),\n"
        }.joined() + "v_layers BLOB"

    /// Has a place for every column of the table but the key.
    static let insertion = """
        INSERT INTO samples (flow, observer, time, captured_at, event, \(names))
        VALUES (\(Array(repeating: "?", count: columns.count + 6).joined(separator: ",")))
        ON CONFLICT (captured_at, event) DO NOTHING
        """

    /// Binds the figures to the parameters that follow.
    static func bind(_ sample: TelemetrySample, to binder: inout StatementBinder) {
        var figures = FigureBinder(binder: binder)
        bind(sample, to: &figures)
        binder = figures.binder
        binder.bind((sample.video?.layers).map(LayerBlob.bytes))
    }

    private static func bind(_ sample: TelemetrySample, to binder: inout FigureBinder) {
        binder.bind(CodeTable.conditions.code(of: sample.networkCondition))
        binder.bind(CodeTable.reasons.code(of: sample.networkConditionReason))
        binder.bind(sample.connectionEstimatedBandwidth)
        binder.bind(sample.roundTripTime, scale: 1e6)
        binder.bind(sample.fractionLost, scale: 1e6)
        binder.bind(sample.bandwidthDemand)
        binder.bind(CodeTable.conditions.code(of: sample.remoteNetworkCondition))
        binder.bind(CodeTable.reasons.code(of: sample.remoteNetworkConditionReason))
        binder.bind(CodeTable.sources.code(of: sample.networkDegradationSource))
        binder.bind(CodeTable.causes.code(of: sample.diagnosis?.cause))
        binder.bind(CodeTable.directions.code(of: sample.diagnosis?.direction))
        binder.bind(CodeTable.sources.code(of: sample.diagnosis?.side))
        binder.bind(sample.diagnosis?.severity)
        bindAudio(sample.audio, to: &binder)
        bindVideo(sample.video, to: &binder)
    }

    private static func bindAudio(_ media: TelemetrySample.Media?, to binder: inout FigureBinder) {
        binder.bind(media?.packets)
        binder.bind(media?.packetsLost)
        binder.bind(media?.bytes)
        binder.bind(media?.bitrate)
        binder.bind(media?.jitter, scale: 1e6)
        binder.bind(media?.audioLevel, scale: 1e4)
        binder.bind(media?.mos, scale: 1e3)
    }

    private static func bindVideo(_ media: TelemetrySample.Media?, to binder: inout FigureBinder) {
        binder.bind(media?.packets)
        binder.bind(media?.packetsLost)
        binder.bind(media?.bytes)
        binder.bind(media?.bitrate)
        binder.bind(media?.jitter, scale: 1e6)
        binder.bind(media?.width)
        binder.bind(media?.height)
        binder.bind(media?.frameRate, scale: 100)
        binder.bind(media?.framesSent)
        binder.bind(media?.freezeCount)
        binder.bind(media?.totalFreezesDuration)
        binder.bind(media?.pauseCount)
        binder.bind(media?.totalPausesDuration)
        binder.bind(CodeTable.limitations.code(of: media?.qualityLimitationReason))
        binder.bind(media?.mos, scale: 1e3)
    }

    /// Reads the columns from the one at `first` on.
    static func sample(_ row: Row, from first: Int) -> TelemetrySample {
        var reader = FigureReader(row: row, first: first)
        var sample = TelemetrySample()
        sample.networkCondition = CodeTable.conditions.name(of: reader.integer())
        sample.networkConditionReason = CodeTable.reasons.name(of: reader.integer())
        sample.connectionEstimatedBandwidth = reader.number()
        sample.roundTripTime = reader.number(scale: 1e6)
        sample.fractionLost = reader.number(scale: 1e6)
        sample.bandwidthDemand = reader.number()
        sample.remoteNetworkCondition = CodeTable.conditions.name(of: reader.integer())
        sample.remoteNetworkConditionReason = CodeTable.reasons.name(of: reader.integer())
        sample.networkDegradationSource = CodeTable.sources.name(of: reader.integer())
        let cause = CodeTable.causes.name(of: reader.integer())
        let direction = CodeTable.directions.name(of: reader.integer())
        let side = CodeTable.sources.name(of: reader.integer())
        let severity = reader.integer().map { Int($0) }
        sample.diagnosis = cause.map {
            .init(cause: $0, direction: direction, side: side, severity: severity)
        }
        sample.audio = audio(&reader)
        sample.video = video(&reader)
        return sample
    }

    private static func audio(_ reader: inout FigureReader) -> TelemetrySample.Media? {
        var media = TelemetrySample.Media()
        media.packets = reader.integer().map { UInt64(clamping: $0) }
        media.packetsLost = reader.integer()
        media.bytes = reader.integer().map { UInt64(clamping: $0) }
        media.bitrate = reader.number()
        media.jitter = reader.number(scale: 1e6)
        media.audioLevel = reader.number(scale: 1e4)
        media.mos = reader.number(scale: 1e3)
        return media == .init() ? nil : media
    }

    private static func video(_ reader: inout FigureReader) -> TelemetrySample.Media? {
        var media = TelemetrySample.Media()
        media.packets = reader.integer().map { UInt64(clamping: $0) }
        media.packetsLost = reader.integer()
        media.bytes = reader.integer().map { UInt64(clamping: $0) }
        media.bitrate = reader.number()
        media.jitter = reader.number(scale: 1e6)
        media.width = reader.integer().map { Int($0) }
        media.height = reader.integer().map { Int($0) }
        media.frameRate = reader.number(scale: 100)
        media.framesSent = reader.integer().map { UInt64(clamping: $0) }
        media.freezeCount = reader.integer().map { Int($0) }
        media.totalFreezesDuration = reader.number()
        media.pauseCount = reader.integer().map { Int($0) }
        media.totalPausesDuration = reader.number()
        media.qualityLimitationReason = CodeTable.limitations.name(of: reader.integer())
        media.mos = reader.number(scale: 1e3)
        media.layers = reader.layers()
        return media == .init() ? nil : media
    }
}

/// Binds figures one after the other; what one cannot be is absent.
private struct FigureBinder {
    var binder: StatementBinder
    private var next = 0

    init(binder: StatementBinder) { self.binder = binder }

    mutating func bind(_ value: Int64?) {
        let range = SampleRow.columns[next].range
        next += 1
        binder.bind(value.flatMap { range.contains($0) ? $0 : nil })
    }

    mutating func bind(_ value: UInt64?) { bind(value.flatMap { Int64(exactly: $0) }) }

    mutating func bind(_ value: Int?) { bind(value.map { Int64($0) }) }

    /// Binds `value` times `scale`, rounded.
    mutating func bind(_ value: Double?, scale: Double = 1) {
        bind(value.flatMap { Int64(exactly: ($0 * scale).rounded()) })
    }
}

/// Reads figures one after the other; what one cannot be is absent, whatever the file holds.
private struct FigureReader {
    let row: Row
    let first: Int
    private var next = 0

    init(row: Row, first: Int) {
        self.row = row
        self.first = first
    }

    mutating func integer() -> Int64? {
        let range = SampleRow.columns[next].range
        defer { next += 1 }
        return row.integer(at: first + next).flatMap { range.contains($0) ? $0 : nil }
    }

    mutating func number(scale: Double = 1) -> Double? { integer().map { Double($0) / scale } }

    /// What follows the figures.
    func layers() -> [TelemetryLayer]? {
        row.bytes(at: first + SampleRow.columns.count).flatMap(LayerBlob.layers)
    }
}
