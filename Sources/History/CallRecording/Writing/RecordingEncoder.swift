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
        var line = Array("{\"\(RecordKey.time)\":\(Self.text(of: record))".utf8)
        Self.append(RecordKey.pc, Self.json(record.peerConnection), to: &line)
        if let stream = record.stream { Self.append(RecordKey.stream, Self.json(stream), to: &line) }
        Self.appendPlace(of: record, to: &line)
        Self.append(RecordKey.stats, report.json(), to: &line)
        if let intent = record.intent { Self.append(RecordKey.intent, json(of: intent), to: &line) }
        if let remote = record.remote { Self.append(RecordKey.remote, Self.json(remote), to: &line) }
        line += "}\n".utf8
        return line
    }

    /// Where the report belongs if it is one of several.
    private static func appendPlace(of record: RecordedReport, to line: inout [UInt8]) {
        if let view = record.view { append(RecordKey.view, json(view), to: &line) }
        if let connection = record.connection { append(RecordKey.connection, json(connection), to: &line) }
        if record.remainingInTick > 0 {
            append(RecordKey.remainingInTick, json(record.remainingInTick), to: &line)
        }
    }

    private static func append(_ name: String, _ json: [UInt8]?, to line: inout [UInt8]) {
        guard let json else { return }
        line += ",\"\(name)\":".utf8
        line += json
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
