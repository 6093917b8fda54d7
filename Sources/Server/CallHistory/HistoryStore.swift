// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Calls as a server keeps them: who was there, what was measured, what followed from it.
///
/// What every verb promises is tested once for all that conform. Errors are the store's own, and ``failure(_:)`` says what
/// follows from one. Times are Unix ms. What a reader gets is as of one moment, and may be
/// ``StoreConfiguration/maintenance`` old where it is summed up.
package protocol HistoryStore: AnyObject, Sendable {
    /// How it is kept.
    var configuration: StoreConfiguration { get }

    // MARK: Writing

    /// Writes records in their order, all or, after an error, none.
    ///
    /// A measurement that is there already counts as a duplicate, whoever sends it again for the same person. A record that
    /// refers to nothing that is there is rejected, and those beside it are written.
    ///
    /// - Parameters:
    ///   - reportsChanges: Whether the outcome is to name what is new.
    ///   - uptime: Of a clock that no one sets: hours of ``StoreConfiguration/alertsPerSession`` pass by it.
    /// - Returns: What happened to them.
    /// - Throws: The store's error, such as for a full disk; then nothing was written.
    func write(_ records: [StoreRecord], reportsChanges: Bool, uptime: Duration) async throws -> WriteOutcome

    /// Sums up minutes, deletes what is too old or too much, and gives freed space back.
    ///
    /// In small pieces; writing continues in between.
    ///
    /// - Parameters:
    ///   - now: Unix ms.
    ///   - uptime: Of a clock that no one sets, which reveals a step of the other one.
    /// - Throws: The store's error.
    @discardableResult
    func maintenance(now: Double, uptime: Duration) async throws -> MaintenanceOutcome

    /// Deletes a participant: its connections, and everything that was measured at them.
    ///
    /// The streams that it published stay, without a name and a publisher, for what others measured of them. What is still
    /// queued for the store is rejected there.
    ///
    /// - Parameter participant: What stands for the person, see ``ConnectionRecord/participant``.
    /// - Returns: The connections that were deleted.
    /// - Throws: The store's error.
    func deleteParticipant(_ participant: String) async throws -> Int

    /// Keeps what a participant says of a session that it was in, at its last connection; ``write(_:reportsChanges:uptime:)``
    /// takes what a client says that is there.
    ///
    /// - Parameter participant: See ``ConnectionRecord/participant``.
    /// - Returns: Whether the participant was in the session.
    /// - Throws: The store's error.
    func rate(session: String, participant: String, _ rating: CallRating, at time: Double) async throws
        -> Bool

    /// Keeps what the rules say of a session for those who rated it, by their connections' names; nothing could be judged
    /// of the others.
    ///
    /// Not if more came of the session than what was judged.
    ///
    /// - Throws: The store's error.
    func judge(_ session: UnjudgedSession, _ scores: [String: Double]) async throws

    /// Ends it, once what is being written is; no verb may be called any more.
    ///
    /// - Throws: The store's error. What is committed is safe all the same.
    func close() async throws

    // MARK: Reading

    /// Sessions, the newest first.
    ///
    /// - Throws: ``ForeignCursor``, or the store's error.
    func sessions(_ query: SessionQuery) async throws -> StorePage<SessionOverview>

    /// A session; `nil` if there is none of that name.
    ///
    /// - Parameter showsNames: Whether names are in it, if they are kept.
    /// - Throws: The store's error.
    func summary(session: String, showsNames: Bool) async throws -> SessionSummary?

    /// A session's minutes, by flow and observer, in the order of their times; `nil` if there is no such session.
    ///
    /// - Throws: ``ForeignCursor``, or the store's error.
    func minutes(_ query: WindowQuery) async throws -> StorePage<FlowMinute>?

    /// Samples of a session in the order in which they came; `nil` if there is no such session.
    ///
    /// The page's cursor is never `nil`, and good for asking later what has come since.
    ///
    /// - Throws: ``ForeignCursor``, or the store's error.
    func samples(_ query: WindowQuery) async throws -> StorePage<SampleEntry>?

    /// Events of a session in the order in which they came; `nil` if there is no such session.
    ///
    /// What is the session's belongs to every connection. The page's cursor is never `nil`, and good for asking later what
    /// has come since. There may be more unless there are none: a page has about ``TimelineEntry/pageBytes`` at most.
    ///
    /// - Throws: ``ForeignCursor``, or the store's error.
    func timeline(_ query: WindowQuery) async throws -> StorePage<TimelineEntry>?

    /// Raw reports of a session in the order in which they came; `nil` if there is no such session.
    ///
    /// The page's cursor is never `nil`. There may be more unless there are none: a page has about
    /// ``ReportEntry/pageBytes`` at most. ``WindowQuery/observer`` counts for nothing.
    ///
    /// - Throws: ``ForeignCursor``, or the store's error.
    func reports(_ query: WindowQuery) async throws -> StorePage<ReportEntry>?

    /// The last raw report of each flow that has some, of at most ``ReportEntry/lastLimit`` flows and about
    /// ``ReportEntry/pageBytes``; none if there is no such session.
    ///
    /// - Throws: The store's error.
    func lastReports(_ query: WindowQuery) async throws -> [ReportEntry]

    /// Sustained issues, the newest first.
    ///
    /// - Throws: ``ForeignCursor``, or the store's error.
    func alerts(_ query: AlertQuery) async throws -> StorePage<Alert>

    /// All calls of a time together, as their clients measured them.
    ///
    /// - Throws: The store's error.
    func fleet(_ query: FleetQuery) async throws -> Fleet

    /// How many parts of participants in calls there were in a time, and how many of them were bad.
    ///
    /// - Throws: The store's error.
    func share(_ query: FleetQuery) async throws -> FleetComparison.Share

    /// Ratings, the newest first.
    ///
    /// - Throws: ``ForeignCursor``, or the store's error.
    func ratings(_ query: RatingQuery) async throws -> StorePage<RatedCall>

    /// How well the newest ``RatingAgreement/limit`` of some ratings agree with what the rules say; limit and cursor of the
    /// query count for nothing.
    ///
    /// - Throws: The store's error.
    func agreement(_ query: RatingQuery) async throws -> RatingAgreement

    /// Sessions that are over, with ratings that the rules have not judged, or not since more came of the session; a
    /// few at a time.
    ///
    /// What it takes follows from those ratings alone, however many others there are.
    ///
    /// - Parameter time: Those that were last active before, Unix ms: what is sent late is there then.
    /// - Throws: The store's error.
    func unjudgedSessions(before time: Double, limit: Int) async throws -> [UnjudgedSession]

    // MARK: State

    /// Sessions that ended with an earlier run of the server and have not returned, and how media flows in them;
    /// `nil` if the store knows of no earlier run.
    ///
    /// - Throws: The store's error.
    func sessionsThatMayReturn() async throws -> [String: MediaMode]?

    /// Observed calls that the application has ended, and when; the last ``EndedCallMemory/limit``.
    ///
    /// - Throws: The store's error.
    func endedCalls() async throws -> [String: Double]

    /// Ends alerts that an earlier run of the server left open; gives them, for those who heard of their beginning.
    ///
    /// - Throws: The store's error.
    func endOpenAlerts() async throws -> [Alert]

    /// What a session is, or was last; `nil` if there is none of that name.
    ///
    /// - Throws: The store's error.
    func kind(ofSession name: String) async throws -> SessionKind?

    /// Bytes that are in use.
    ///
    /// - Throws: The store's error.
    func bytes() async throws -> Int64

    /// How it does with a database that others share; `nil` for a store of its own.
    var clusterFigures: ClusterFigures? { get }

    /// What has shown that the store is damaged, whoever came across it; `nil` while it seems whole.
    ///
    /// Then nothing more is written to it.
    var damage: (any Error)? { get }

    /// What follows from an error that a verb threw.
    func failure(_ error: any Error) -> StoreFailure
}

extension HistoryStore {
    package var clusterFigures: ClusterFigures? { nil }
}
