// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallStore
import Synchronization

/// A store in memory to which nothing is written, or nothing can be, for as long as a test wants.
final class GatedStore: HistoryStore {
    /// Why nothing can be written.
    struct Full: Error {}

    private enum Gate {
        case open
        case closed([CheckedContinuation<Void, Never>])
        case full
    }

    private let store: any HistoryStore
    private let gate: Mutex<Gate>

    /// One that is closed.
    init(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws {
        var configuration = StoreConfiguration()
        configuration.batching = .milliseconds(10)
        configuration.retry = .milliseconds(10)
        change(&configuration)
        store = try SQLiteCallStore.inMemory(configuration: configuration)
        gate = Mutex(.closed([]))
    }

    /// Whether someone waits for a write.
    var isWaiting: Bool {
        gate.withLock { if case .closed(let waiting) = $0 { !waiting.isEmpty } else { false } }
    }

    /// Everything is written from now on.
    func open() { set(.open) }
    /// Nothing can be written from now on.
    func fail() { set(.full) }

    private func set(_ next: Gate) {
        let waiting = gate.withLock { gate -> [CheckedContinuation<Void, Never>] in
            defer { gate = next }
            if case .closed(let waiting) = gate { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume() }
    }

    func write(
        _ records: [StoreRecord], reportsChanges: Bool, uptime: Duration
    ) async throws -> WriteOutcome {
        await withCheckedContinuation { continuation in
            let isOpen = gate.withLock { gate in
                guard case .closed(let waiting) = gate else { return true }
                gate = .closed(waiting + [continuation])
                return false
            }
            if isOpen { continuation.resume() }
        }
        let isFull = gate.withLock { if case .full = $0 { true } else { false } }
        if isFull { throw Full() }
        return try await store.write(records, reportsChanges: reportsChanges, uptime: uptime)
    }

    func failure(_ error: any Error) -> StoreFailure { error is Full ? .passing : store.failure(error) }

    // MARK: The same as of any other

    var configuration: StoreConfiguration { store.configuration }
    var damage: (any Error)? { store.damage }

    func maintenance(now: Double, uptime: Duration) async throws -> MaintenanceOutcome {
        try await store.maintenance(now: now, uptime: uptime)
    }

    func deleteParticipant(_ participant: String) async throws -> Int {
        try await store.deleteParticipant(participant)
    }

    func rate(
        session: String, participant: String, _ rating: CallRating, at time: Double
    ) async throws -> Bool {
        try await store.rate(session: session, participant: participant, rating, at: time)
    }

    func judge(_ session: UnjudgedSession, _ scores: [String: Double]) async throws {
        try await store.judge(session, scores)
    }

    func close() async throws { try await store.close() }

    func sessions(_ query: SessionQuery) async throws -> StorePage<SessionOverview> {
        try await store.sessions(query)
    }

    func summary(session: String, showsNames: Bool) async throws -> SessionSummary? {
        try await store.summary(session: session, showsNames: showsNames)
    }

    func minutes(_ query: WindowQuery) async throws -> StorePage<FlowMinute>? {
        try await store.minutes(query)
    }

    func samples(_ query: WindowQuery) async throws -> StorePage<SampleEntry>? {
        try await store.samples(query)
    }

    func timeline(_ query: WindowQuery) async throws -> StorePage<TimelineEntry>? {
        try await store.timeline(query)
    }

    func reports(_ query: WindowQuery) async throws -> StorePage<ReportEntry>? {
        try await store.reports(query)
    }

    func lastReports(_ query: WindowQuery) async throws -> [ReportEntry] {
        try await store.lastReports(query)
    }

    func alerts(_ query: AlertQuery) async throws -> StorePage<Alert> { try await store.alerts(query) }
    func fleet(_ query: FleetQuery) async throws -> Fleet { try await store.fleet(query) }

    func share(_ query: FleetQuery) async throws -> FleetComparison.Share {
        try await store.share(query)
    }

    func ratings(_ query: RatingQuery) async throws -> StorePage<RatedCall> {
        try await store.ratings(query)
    }

    func agreement(_ query: RatingQuery) async throws -> RatingAgreement {
        try await store.agreement(query)
    }

    func unjudgedSessions(before time: Double, limit: Int) async throws -> [UnjudgedSession] {
        try await store.unjudgedSessions(before: time, limit: limit)
    }

    func sessionsThatMayReturn() async throws -> [String: MediaMode]? {
        try await store.sessionsThatMayReturn()
    }

    func endedCalls() async throws -> [String: Double] { try await store.endedCalls() }
    func endOpenAlerts() async throws -> [Alert] { try await store.endOpenAlerts() }

    func kind(ofSession name: String) async throws -> SessionKind? {
        try await store.kind(ofSession: name)
    }

    func bytes() async throws -> Int64 { try await store.bytes() }
}
