// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// A peer connection of a recording: what it was there for.
public struct RecordedConnection: Sendable, Equatable, Encodable {
    /// The peer connection, by its name in the recording.
    public var pc: String
    /// Number of reports.
    public var reports: Int
    /// Its roles, publisher first; empty if its reports show none.
    public var roles: [StreamRole]

    /// Creates a peer connection.
    public init(pc: String, reports: Int = 0, roles: [StreamRole] = []) {
        self.pc = pc
        self.reports = reports
        self.roles = roles
    }

    /// Counts a report, and takes from it what the peer connection does.
    mutating func note(_ record: RecordedReport) {
        reports += 1
        let intended = record.intent?.role
        let publishes = intended == .publisher || (intended == nil && record.report.sendsMedia)
        let subscribes = intended == .subscriber || (intended == nil && record.report.receivesMedia)
        if publishes, !roles.contains(.publisher) { roles.insert(.publisher, at: 0) }
        if subscribes, !roles.contains(.subscriber) { roles.append(.subscriber) }
    }
}
