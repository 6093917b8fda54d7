// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import Synchronization

/// Records queued for the store: in order, in batches, in bounded space.
///
/// The submitter of records gets their receipt once they are committed, at most
/// ``StoreConfiguration/batching`` and the time of a commit later. When more comes than the disk takes,
/// samples, events and reports are dropped, whole submissions at a time, and counted; what they refer to is
/// not. When the disk refuses, writing is tried again each ``StoreConfiguration/retry``, and receipts wait. A
/// record that the database refuses while it takes others is omitted. A damaged file is left alone, whoever found the
/// damage, and everything is dropped. Every receipt comes back, of what was dropped too.
package final class StoreWriter: Sendable {
    /// This many times ``StoreConfiguration/queueLimit`` may wait of what may not be omitted.
    private static let lifeFactor = 2
    /// With a commit that neither succeeds nor fails.
    private static let commitTimeout: Duration = .seconds(2)

    private struct Submission {
        var records: [StoreRecord]
        var receipt: StoreReceipt?
        var bytes: Int
    }

    private struct State {
        var waiting: [Submission] = []
        var statistics = StoreStatistics()
        var waitingBytes = 0
        var isFinished = false
        var hasToldDamage = false
        /// When the commit that is on its way began.
        var committingSince: ContinuousClock.Instant?
    }

    private let store: any HistoryStore
    private let state = Mutex(State())
    private let signal: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let onCommit: @Sendable (_ receipts: [StoreReceipt], WriteOutcome) async -> Void
    private let onLoss: @Sendable (_ receipts: [StoreReceipt]) async -> Void
    private let onMove: @Sendable (_ sessions: [String], _ receipts: [StoreReceipt]) async -> Void
    private let onIncident: @Sendable (StoreIncident) -> Void
    private let reportsChanges: @Sendable () -> Bool

    /// Nothing is written before ``run()``.
    ///
    /// - Parameters:
    ///   - reportsChanges: Whether someone watches; asked before each commit.
    ///   - onCommit: Called after each commit, in their order.
    ///   - onIncident: Called when a failure begins, and when it is over.
    ///   - onLoss: Called with the receipts of what was taken and could not be written.
    ///   - onMove: Called with sessions that another server has by now, and the receipts of what is not stored for that.
    package init(
        store: any HistoryStore, reportsChanges: @escaping @Sendable () -> Bool = { false },
        onIncident: @escaping @Sendable (StoreIncident) -> Void = { _ in },
        onLoss: @escaping @Sendable ([StoreReceipt]) async -> Void = { _ in },
        onMove: @escaping @Sendable ([String], [StoreReceipt]) async -> Void = { _, _ in },
        onCommit: @escaping @Sendable ([StoreReceipt], WriteOutcome) async -> Void
    ) {
        self.store = store
        self.reportsChanges = reportsChanges
        self.onIncident = onIncident
        self.onLoss = onLoss
        self.onMove = onMove
        self.onCommit = onCommit
        (signal, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Queues records, with a receipt if someone waits for them.
    ///
    /// - Returns: Whether they were taken; if not, they are counted as dropped and there will be no receipt.
    @discardableResult
    package func submit(_ records: [StoreRecord], receipt: StoreReceipt? = nil) -> Bool {
        let isDroppable = records.allSatisfy(\.isDroppable)
        let bytes = records.reduce(0) { sum, record in
            if case .report(let report) = record { sum + report.byteCount } else { sum }
        }
        let limits = store.configuration
        let isDamaged = store.damage != nil
        let isTaken = state.withLock { state in
            let waits = state.statistics.waiting + records.count > limits.queueLimit
            let weighs = bytes > 0 && state.waitingBytes + bytes > limits.queueBytes
            // Lives are few, and everything else refers to them; but there is an end to everything.
            let isLost =
                state.isFinished || isDamaged
                || state.statistics.waiting > Self.lifeFactor * limits.queueLimit
            guard !isLost, !isDroppable || !(waits || weighs) else {
                state.statistics.dropped += UInt64(records.count)
                return false
            }
            state.waiting.append(.init(records: records, receipt: receipt, bytes: bytes))
            state.statistics.waiting += records.count
            state.waitingBytes += bytes
            return true
        }
        if isTaken { continuation.yield() }
        return isTaken
    }

    /// How it does.
    package var statistics: StoreStatistics {
        var statistics = state.withLock { $0.statistics }
        statistics.isDamaged = store.damage != nil
        return statistics
    }

    /// Whether what comes is stored soon: the store neither refuses it nor hangs.
    package var isStoring: Bool {
        guard store.damage == nil else { return false }
        return state.withLock { state in
            guard !state.statistics.isPaused else { return false }
            return state.committingSince.map { ContinuousClock.now - $0 < Self.commitTimeout } ?? true
        }
    }

    /// Whether another server could do better: nothing can be stored, and that is not because a database is away that others
    /// share.
    package var isFailing: Bool {
        let statistics = statistics
        return statistics.isDamaged || !statistics.isWriting && store.clusterFigures == nil
    }

    /// Says once that the store is damaged, if it is, and gives up what waits; to be called from time to time, for who
    /// reads may be the one to find out.
    package func checkDamage() {
        guard let damage = store.damage else { return }
        let isNew = state.withLock { state in
            defer { state.hasToldDamage = true }
            return !state.hasToldDamage
        }
        guard isNew else { return }
        onIncident(.damaged(damage))
        continuation.yield()
    }

    /// Stops accepting records; ``run()`` ends once everything is written.
    package func finish() {
        state.withLock { $0.isFinished = true }
        continuation.finish()
    }

    /// Writes until ``finish()`` is called; when its task is cancelled, what waits is lost and counted.
    package func run() async {
        for await _ in signal {
            // Whoever comes in the meantime is in the same commit.
            if !isFinished { try? await Task.sleep(for: store.configuration.batching) }
            await drain()
        }
        await drain()
    }

    private var isFinished: Bool { state.withLock { $0.isFinished } }

    private func drain() async {
        while !Task.isCancelled {
            let batch = takeBatch()
            guard !batch.isEmpty else { return }
            await commit(batch)
        }
    }

    private func takeBatch() -> [Submission] {
        state.withLock { state in
            var count = 0
            let limit = store.configuration.batchLimit
            let end = state.waiting.firstIndex { submission in
                count += submission.records.count
                return count > limit
            }
            let batch = Array(state.waiting.prefix(max(1, end ?? state.waiting.count)))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    private func commit(_ batch: [Submission]) async {
        let records = batch.flatMap(\.records)
        let bytes = batch.reduce(0) { $0 + $1.bytes }
        let start = ContinuousClock.now
        state.withLock { $0.committingSince = start }
        let outcome = await write(records[...])
        let seconds = (ContinuousClock.now - start).seconds
        state.withLock { state in
            state.committingSince = nil
            state.statistics.commitSeconds += seconds
            state.statistics.waiting -= records.count
            state.waitingBytes -= bytes
            if let outcome {
                state.statistics.add(outcome)
            } else {
                state.statistics.dropped += UInt64(records.count)
            }
        }
        guard let outcome else { return await onLoss(batch.compactMap(\.receipt)) }
        await tell(batch, outcome)
    }

    private func tell(_ batch: [Submission], _ outcome: WriteOutcome) async {
        let moved = outcome.moved
        guard !moved.isEmpty else { return await onCommit(batch.compactMap(\.receipt), outcome) }
        var (stored, refused): ([StoreReceipt], [StoreReceipt]) = ([], [])
        for submission in batch {
            guard let receipt = submission.receipt else { continue }
            // What was handed in together is stored together, or not at all.
            if submission.records.contains(where: moved.contains) {
                refused.append(receipt)
            } else {
                stored.append(receipt)
            }
        }
        await onMove(moved.sessions.sorted(), refused)
        await onCommit(stored, outcome)
    }

    /// `nil` if it had to be given up.
    private func write(_ records: ArraySlice<StoreRecord>) async -> WriteOutcome? {
        var refused: (count: Int, error: any Error)?
        let outcome = await write(records, &refused)
        if let refused { onIncident(.leftOut(records: refused.count, refused.error)) }
        return outcome
    }

    private func write(
        _ records: ArraySlice<StoreRecord>, _ refused: inout (count: Int, error: any Error)?
    ) async -> WriteOutcome? {
        while store.damage == nil {
            do {
                let outcome = try await store.write(Array(records), reportsChanges: reportsChanges())
                setPaused(nil)
                return outcome
            } catch is CancellationError {
                return nil
            } catch {
                state.withLock { $0.statistics.failures += 1 }
                guard store.damage == nil else { break }
                guard store.failure(error) == .passing else {
                    return await writeParts(of: records, error, &refused)
                }
                setPaused(error)
                // At the end no one waits for a disk that may never have room again.
                guard !isFinished, (try? await Task.sleep(for: store.configuration.retry)) != nil else {
                    return nil
                }
            }
        }
        checkDamage()
        return nil
    }

    /// Writes what the database takes of records that it does not take together.
    private func writeParts(
        of records: ArraySlice<StoreRecord>, _ error: any Error,
        _ refused: inout (count: Int, error: any Error)?
    ) async -> WriteOutcome? {
        guard records.count > 1 else {
            refused = ((refused?.count ?? 0) + records.count, error)
            var outcome = WriteOutcome()
            outcome.rejected = records.count
            return outcome
        }
        let middle = records.startIndex + records.count / 2
        guard var outcome = await write(records[..<middle], &refused),
            let rest = await write(records[middle...], &refused)
        else { return nil }
        outcome.add(rest)
        return outcome
    }

    /// Tells when writing stops or continues.
    private func setPaused(_ error: (any Error)?) {
        let isNew = state.withLock { state in
            defer { state.statistics.isPaused = error != nil }
            return state.statistics.isPaused != (error != nil)
        }
        guard isNew else { return }
        onIncident(error.map { .paused($0) } ?? .resumed)
    }
}
