// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import TestSupport
import WebRTCStats

/// The recordings in Tests/Fixtures.
enum Fixture {
    /// When the invented call of the recordings begins, in Unix ms.
    static let start = 1_767_225_600_000.0
    /// How many reports each peer connection of it has.
    static let reports = 8

    static func url(_ name: String) -> URL { Repository.fixture("recordings/\(name)") }

    static func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url(name))) }

    /// A browser's reports, one a second, as records of a peer connection.
    static func chromium(_ name: String) throws -> [RecordedReport] {
        let data = try Data(contentsOf: Repository.fixture("getstats/\(name).json"))
        let samples = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
        return try samples.map { sample in
            let stats = try JSONSerialization.data(withJSONObject: sample["stats"] ?? [])
            let report = try StatsReport.parse(stats).report
            let seconds = sample["t"] as? Double ?? 0
            return RecordedReport(time: seconds * 1000, peerConnection: name, report: report)
        }
    }
}

/// What reading a recording as a whole gave.
struct Reading: Equatable {
    var records: [RecordedReport] = []
    var issues: [RecordingIssue] = []
    var omittedIssues = 0
    var format: RecordingFormat?

    /// Reads a recording in pieces of this many bytes.
    init(_ bytes: [UInt8], pieces: Int = 4096, limits: RecordingLimits = .default) throws(RecordingError) {
        var parser = RecordingParser(limits: limits)
        var start = 0
        while start < bytes.count {
            let end = min(start + pieces, bytes.count)
            records += try parser.append(Array(bytes[start..<end]))
            start = end
        }
        records += try parser.finish()
        issues = parser.issues
        omittedIssues = parser.omittedIssues
        format = parser.format
    }

    init(_ text: String, limits: RecordingLimits = .default) throws(RecordingError) {
        try self.init(Array(text.utf8), limits: limits)
    }
}

extension TemporaryFolder {
    /// Writes a recording, and says where it is.
    func write(_ records: [RecordedReport], to name: String) throws -> URL {
        var encoder = RecordingEncoder()
        try Data(records.flatMap { encoder.line(for: $0) }).write(to: file(name))
        return file(name)
    }
}
