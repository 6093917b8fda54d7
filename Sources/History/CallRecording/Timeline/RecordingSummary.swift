// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Result of reading one recording.
public struct RecordingSummary: Sendable, Equatable {
    /// The recording's name: the file's, without its directory.
    public var name: String
    /// Its form; `nil` if it came from nowhere that has one.
    public var format: RecordingFormat?
    /// Number of reports read.
    public var reports: Int
    /// Its peer connections and what each was there for, in the order in which they came.
    public var connections: [RecordedConnection]
    /// What could not be read.
    public var issues: [RecordingIssue]
    /// How many more issues there were.
    public var omittedIssues: Int

    /// Creates a summary.
    public init(
        name: String, format: RecordingFormat? = nil, reports: Int = 0,
        connections: [RecordedConnection] = [], issues: [RecordingIssue] = [], omittedIssues: Int = 0
    ) {
        self.name = name
        self.format = format
        self.reports = reports
        self.connections = connections
        self.issues = issues
        self.omittedIssues = omittedIssues
    }
}
