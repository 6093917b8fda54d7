// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import PostgresClient
import Synchronization

/// What another node had logged of calls that this one has by now.
extension ClusterHistory {
    /// How much is known of what a run of another node has logged lately.
    struct Recall: Sendable {
        /// The number of the last batch that was read; `nil` if there was none.
        var last: Int64?
        /// Whether nothing more comes, since it was recovered before.
        var isWhole: Bool
        /// When that reading began.
        var begin: ContinuousClock.Instant

        /// Whether whoever wants to know all that there was at a time need not read it again.
        func covers(_ time: ContinuousClock.Instant) -> Bool { isWhole || begin >= time }
    }

    /// For how long a node that had a call may have stored what no one was answered, and may come again, ms.
    private static let doubt: Int64 = 120_000
    /// Batches before the last one that was read that may have been under way then.
    private static let overlap: Int64 = 50
    /// Most runs of which is remembered what was read.
    private static let mostRecalled = 1000

    /// Has samples of observed calls count once that other nodes have logged, and that come again here since this node has the call.
    ///
    /// What is read is the log of the node that had the call last, gone or not, which adds no more of the call to it (``CallFence``), and
    /// those that were recovered lately. What was read is not read again, though very many may ask at once when a node dies.
    ///
    /// - Throws: `PostgresError`.
    package func recall(_ call: String) async throws {
        // The call is this node's by now: what is read later than this has all of it, for whichever call it was read.
        let asked = ContinuousClock.now
        try await recalling.take { [self] in
            let (node, known) = (node, state.withLock { $0.recalled })
            let (runs, marks) = try await reading { session in
                try Self.recall(call, at: node, known, since: asked, session)
            }
            state.withLock { state in
                // By the clock of this node, which need not be the other one's.
                for mark in marks {
                    state.minutes.remember(
                        capturedAt: mark.capturedAt, event: mark.event, receivedAt: Self.now)
                }
                state.figures.recalledRuns += runs.keys.filter { known[$0] == nil }.count
                if state.recalled.count > Self.mostRecalled { state.recalled = [:] }
                state.recalled.merge(runs) { $1 }
            }
        }
    }

    private static func recall(
        _ call: String, at node: String, _ known: [SampleLog.Instance: Recall],
        since asked: ContinuousClock.Instant, _ session: PostgresSession
    ) throws -> (runs: [SampleLog.Instance: Recall], marks: [Mark]) {
        let begin = ContinuousClock.now
        let rows = try session.execute(
            """
            SELECT instance, recovered_at IS NOT NULL FROM instances
            WHERE node <> $1 AND (recovered_at > now() - interval '\(doubt) milliseconds'
                OR recovered_at IS NULL AND node = (
                    SELECT former.node FROM sessions JOIN instances AS former USING (instance)
                    WHERE sessions.name = $2))
            """, [.text(node), .stored(call)])
        var (runs, marks): ([SampleLog.Instance: Recall], [Mark]) = ([:], [])
        for row in rows {
            let run = SampleLog.Instance(number: try row.value(0))
            guard known[run]?.covers(asked) != true else { continue }
            let new = try self.marks(of: run, after: known[run]?.last, session)
            marks += new.marks
            runs[run] = Recall(last: new.last, isWhole: try row.value(1), begin: begin)
        }
        return (runs, marks.isEmpty ? [] : try observed(marks, session))
    }

    /// What a run has logged lately, after a batch up to which that is known.
    private static func marks(
        of run: SampleLog.Instance, after known: Int64?, _ session: PostgresSession
    ) throws -> (marks: [Mark], last: Int64?) {
        var (marks, last): ([Mark], Int64?) = ([], known)
        guard let first = try first(of: run, within: doubt, session) else { return (marks, last) }
        let start = max(first - 1, known.map { $0 - overlap } ?? .min)
        try SampleLog.readTail(of: run, after: start, session) { sequence, data in
            marks += (SampleBatch.entries(data) ?? []).map(Mark.init)
            last = max(last ?? sequence, sequence)
        }
        return (marks, last)
    }

    /// Those of samples that are of observed calls.
    private static func observed(_ marks: [Mark], _ session: PostgresSession) throws -> [Mark] {
        let rows = try session.execute(
            """
            SELECT flows.id FROM flows JOIN sessions ON sessions.id = flows.session
            WHERE flows.id = ANY($1) AND media_mode = $2
            """, [.int64s(Array(Set(marks.map(\.flow)))), .text(SessionKind.observed.name)])
        let flows = Set(try rows.map { try $0.value(0, as: Int64.self) })
        return marks.filter { flows.contains($0.flow) }
    }
}
