// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation

/// Judges recorded calls.
public enum CallAnalysis {
    /// A recording being read, with the report that comes next from it.
    private struct Source {
        var reader: RecordingReader
        var next: RecordedReport?
        var reports = 0
        var connections: [RecordedConnection] = []
        var places: [String: Int] = [:]
        var facts: FactCollector

        init(_ file: URL, recording: Int, _ limits: RecordingLimits) throws(RecordingError) {
            facts = FactCollector(recording: recording)
            reader = try RecordingReader(file, limits: limits)
            next = try reader.next()
        }

        mutating func take() throws(RecordingError) -> RecordedReport? {
            guard let record = next else { return nil }
            reports += 1
            note(record)
            next = try reader.next()
            return record
        }

        private mutating func note(_ record: RecordedReport) {
            let place = places[record.peerConnection] ?? connections.count
            if place == connections.count {
                places[record.peerConnection] = place
                connections.append(RecordedConnection(pc: record.peerConnection))
            }
            connections[place].note(record)
            facts.take(record)
        }

        var summary: RecordingSummary {
            RecordingSummary(
                name: reader.file.lastPathComponent, format: reader.format, reports: reports,
                connections: connections, issues: reader.issues, omittedIssues: reader.omittedIssues)
        }
    }

    /// Reads the recordings of one call, several views of it among them, and judges it.
    ///
    /// Recordings of lines are read as they are judged, never as a whole.
    ///
    /// - Parameters:
    ///   - files: The recordings, in any of the ``RecordingFormat``s.
    ///   - configuration: The rules to judge by.
    ///   - limits: Size limits of each.
    ///   - keepsObservations: Whether the timeline gets every observation, or only what follows from them.
    ///   - onEvent: Called for each event as it is found, in the order of time.
    /// - Returns: What the recordings show; what could not be read of them is in ``CallTimeline/recordings``.
    /// - Throws: ``RecordingError`` for the first file that cannot be read at all.
    public static func analyze(
        files: [URL], configuration: QualityConfiguration = .extended,
        limits: RecordingLimits = .default, keepsObservations: Bool = true,
        onEvent: (TimelineEvent) -> Void = { _ in }
    ) throws(RecordingError) -> CallTimeline {
        var sources: [Source] = []
        for (index, file) in files.enumerated() {
            sources.append(try Source(file, recording: index, limits))
        }
        var replay = CallReplay(configuration: configuration, keepsObservations: keepsObservations)
        while let index = earliest(of: sources), let record = try sources[index].take() {
            replay.handle(record, recording: index).forEach(onEvent)
        }
        let facts = sources.map { $0.facts.facts(with: $0.reader.trace, format: $0.reader.format) }
        var timeline = replay.timeline(with: CallFacts(clients: facts))
        timeline.recordings = sources.map(\.summary)
        return timeline
    }

    private static func earliest(of sources: [Source]) -> Int? {
        var best: (index: Int, time: Double)?
        for (index, source) in sources.enumerated() {
            guard let time = source.next?.time, time < best?.time ?? .infinity else { continue }
            best = (index, time)
        }
        return best?.index
    }
}
