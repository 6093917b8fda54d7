// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The last reports of a participant of an observed call: one whose sender does not know that it was taken comes again.
///
/// Pure and bounded. What is older than that the store alone tells from others: it has no two measurements of one moment.
struct TakenReports: Sendable {
    /// For how long one is known after it came last: senders wait less than that before they send it again.
    static let memory: Duration = .seconds(60)
    /// Most that are known.
    static let limit = 512

    /// One that was taken.
    struct Report: Sendable {
        fileprivate let peerConnection: String
        fileprivate let time: Double
        /// The message that brought it; `nil` without a store.
        let ticket: ReportTicket?
        fileprivate var heardAt: Duration
    }

    private var reports: [Report] = []

    /// Reports that are known.
    var count: Int { reports.count }

    /// The report that was taken under a peer connection's name and a time, which is known for as long again from now on.
    ///
    /// - Returns: `nil` if none was of late.
    mutating func again(_ peerConnection: String, time: Double, at now: Duration) -> Report? {
        let place = reports.lastIndex { $0.time == time && $0.peerConnection == peerConnection }
        guard let place else { return nil }
        reports[place].heardAt = now
        return reports[place]
    }

    /// Takes note of one that was taken.
    mutating func insert(
        _ peerConnection: String, time: Double, _ ticket: ReportTicket?, at now: Duration
    ) {
        let old = reports.prefix { $0.heardAt + Self.memory <= now }.count
        reports.removeFirst(max(old, reports.count - Self.limit + 1))
        reports.append(
            Report(peerConnection: peerConnection, time: time, ticket: ticket, heardAt: now))
    }
}
