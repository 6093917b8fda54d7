// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation

/// Calls as files: `scenario-seed.json` is what was said live, `scenario-seed.jsonl.gz` is the recording.
package struct CallFolder: Sendable {
    private let url: URL

    /// Names the folder; it need not exist yet.
    package init(path: String) { url = URL(filePath: path) }

    /// Writes a call.
    package func write(_ timeline: Timeline, _ records: [RecordedReport]) async throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let file = url.appending(path: "\(Self.name(timeline)).jsonl")
        for old in [file, file.appendingPathExtension("gz")] { try? FileManager.default.removeItem(at: old) }
        let writer = try RecordingWriter(file, bufferBytes: 1 << 20)
        for record in records { try await writer.write(record) }
        try await writer.close()
        try Gzip.pack(file)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // Last, so that whoever sees the timeline finds the recording as well.
        try encoder.encode(timeline).write(
            to: url.appending(path: "\(Self.name(timeline)).json"), options: .atomic)
    }

    /// All timelines, by name.
    package func timelines() throws -> [Timeline] {
        try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { try JSONDecoder().decode(Timeline.self, from: Data(contentsOf: $0)) }
    }

    /// A call's recording.
    package func records(of timeline: Timeline) throws -> [RecordedReport] {
        let file = url.appending(path: "\(Self.name(timeline)).jsonl.gz")
        var reader = try RecordingReader(file)
        var records: [RecordedReport] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    private static func name(_ timeline: Timeline) -> String { "\(timeline.scenario)-\(timeline.seed)" }
}
