// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import WebRTCStats

/// Makes reports the lines of a recording of our own form, without any I/O.
///
/// Addresses, host names, user name fragments and certificates are replaced by placeholders by default; one
/// encoder per recording keeps the placeholders the same from line to line.
public struct RecordingEncoder: Sendable {
    private var redactor: StatsRedactor?
    private var intent: (value: MediaIntent, json: [UInt8])?

    /// Creates an encoder for one recording.
    ///
    /// - Parameter redactsAddresses: Whether what could identify a person or a network is replaced.
    public init(redactsAddresses: Bool = true) {
        redactor = redactsAddresses ? StatsRedactor() : nil
    }

    /// A report as one line in UTF-8, its end included.
    ///
    /// A time that is not finite is written as the report's own.
    public mutating func line(for record: RecordedReport) -> [UInt8] {
        var report = record.report
        if var redactor = redactor.take() {
            report = redactor.redact(report)
            self.redactor = redactor
        }
        var line = JSONWriter()
        line.beginObject()
        line.member(RecordKey.time, json: Self.text(of: record).utf8)
        line.member(RecordKey.pc, json: Self.json(record.peerConnection))
        line.member(RecordKey.stream, json: record.stream.flatMap(Self.json))
        line.member(RecordKey.view, json: record.view.flatMap(Self.json))
        line.member(RecordKey.connection, json: record.connection.flatMap(Self.json))
        let remaining = record.remainingInTick > 0 ? record.remainingInTick : nil
        line.member(RecordKey.remainingInTick, json: remaining.flatMap(Self.json))
        line.member(RecordKey.stats, json: report.json())
        line.member(RecordKey.intent, json: record.intent.flatMap { json(of: $0) })
        line.member(RecordKey.remote, json: record.remote.flatMap(Self.json))
        line.endObject()
        line.append("\n")
        return line.bytes
    }

    private static func text(of record: RecordedReport) -> String {
        let time = record.time.isFinite ? record.time : record.report.timestamp
        guard time.isFinite else { return "0" }
        return Int64(exactly: time).map(\.description) ?? time.description
    }

    /// Intents repeat from line to line.
    private mutating func json(of intent: MediaIntent) -> [UInt8]? {
        if let known = self.intent, known.value == intent { return known.json }
        let json = Self.json(intent)
        self.intent = json.map { (intent, $0) }
        return json
    }

    /// A value as JSON; `nil` for one with numbers that are not finite, which JSON cannot hold.
    private static func json(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Array($0) }
    }
}
