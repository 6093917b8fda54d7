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
    /// The columns of the figures, in the order in which they are bound and read.
    static let columns = [
        "condition", "condition_reason", "estimate", "rtt_us", "lost_ppm", "demand", "remote_condition",
        "remote_reason", "source", "cause", "direction", "side", "severity",
        "a_packets", "a_lost", "a_bytes", "a_bitrate", "a_jitter_us", "a_level", "a_mos",
        "v_packets", "v_lost", "v_bytes", "v_bitrate", "v_jitter_us", "v_width", "v_height", "v_rate",
        "v_frames", "v_freezes", "v_freeze_ms", "v_pauses", "v_pause_ms", "v_limitation", "v_mos",
        "v_layers",
    ]

    /// Has a place for every column of the table but the key.
    static let insertion = """
        INSERT INTO samples (flow, observer, time, captured_at, event, \(columns.joined(separator: ", ")))
        VALUES (\((0..<(columns.count + 5)).map { _ in "?" }.joined(separator: ",")))
        ON CONFLICT (captured_at, event) DO NOTHING
        """

    static func bind(_ sample: TelemetrySample, to binder: inout StatementBinder) {
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

    private static func bindAudio(_ media: TelemetrySample.Media?, to binder: inout StatementBinder) {
        binder.bind(media?.packets)
        binder.bind(media?.packetsLost)
        binder.bind(media?.bytes)
        binder.bind(media?.bitrate)
        binder.bind(media?.jitter, scale: 1e6)
        binder.bind(media?.audioLevel, scale: 1e4)
        binder.bind(media?.mos, scale: 1e3)
    }

    private static func bindVideo(_ media: TelemetrySample.Media?, to binder: inout StatementBinder) {
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
        binder.bind((media?.layers).map(LayerBlob.bytes))
    }

    /// Reads the columns from the one at `first` on.
    static func sample(_ row: Row, from first: Int) -> TelemetrySample {
        var reader = ColumnReader(row: row, next: first)
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

    private static func audio(_ reader: inout ColumnReader) -> TelemetrySample.Media? {
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

    private static func video(_ reader: inout ColumnReader) -> TelemetrySample.Media? {
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
        media.layers = reader.bytes().flatMap(LayerBlob.layers)
        return media == .init() ? nil : media
    }
}

/// Reads a row's columns one after the other.
private struct ColumnReader {
    let row: Row
    var next: Int

    mutating func integer() -> Int64? {
        defer { next += 1 }
        return row[next]
    }

    mutating func bytes() -> [UInt8]? {
        defer { next += 1 }
        return (row[next] as Data?).map { Array($0) }
    }

    mutating func number(scale: Double = 1) -> Double? { integer().map { Double($0) / scale } }
}
