// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

/// How good a call was by the rules for each participant, however long it was: it is read and judged in pieces, each of which
/// counts for the time that was judged in it.
struct CallScores {
    private struct Mean {
        var score = 0.0
        var seconds = 0.0

        mutating func add(_ score: Double, for seconds: Double) {
            guard seconds > 0 else { return }
            self.seconds += seconds
            self.score += (score - self.score) * (seconds / self.seconds)
        }
    }

    /// The participant of each connection: one who came again has several.
    private let participants: [String: String]
    private var means: [String: Mean] = [:]

    private init(_ summary: SessionSummary) {
        participants = Dictionary(
            summary.connections.map { ($0.connection, $0.participant ?? $0.connection) }
        ) { first, _ in first }
    }

    private mutating func add(_ report: SessionReport) {
        for time in report.judgedTimes {
            let participant = participants[time.connection] ?? time.connection
            means[participant, default: Mean()].add(time.score, for: time.seconds)
        }
    }

    /// 0 to 100, for each connection that of its participant.
    private var byConnection: [String: Double] {
        participants.compactMapValues { means[$0]?.score }
    }

    /// Reads a call.
    ///
    /// - Parameter piece: Samples that are judged together; more take more memory.
    /// - Returns: 0 to 100, for each connection that of its participant with whatever other connections; without those of
    ///   which nothing could be judged.
    /// - Throws: The store's error.
    static func read(
        _ session: String, from store: any HistoryStore, piece: Int = SessionReport.sampleLimit
    ) async throws -> [String: Double] {
        guard let summary = try await store.summary(session: session, showsNames: false) else { return [:] }
        var scores = CallScores(summary)
        var query = WindowQuery(session: session)
        while true {
            let samples = try await SessionReport.samples(query, from: store, upTo: piece)
            // No event of a stored call costs points.
            scores.add(SessionReport(summary: summary, samples: samples.items, events: [], reports: []))
            guard samples.isCut, !samples.items.isEmpty else { break }
            query.cursor = samples.cursor
        }
        return scores.byConnection
    }
}
