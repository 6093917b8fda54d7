// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LabScoring

/// Timelines as files, one a call.
struct TimelineFolder {
    private let url: URL

    init(path: String) { url = URL(filePath: path) }

    func write(_ timeline: Timeline) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try encoder.encode(timeline).write(
            to: url.appending(path: "\(timeline.scenario)-\(timeline.seed).json"), options: .atomic)
    }

    /// All of them, by name.
    func read() throws -> [Timeline] {
        try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { try JSONDecoder().decode(Timeline.self, from: Data(contentsOf: $0)) }
    }
}
