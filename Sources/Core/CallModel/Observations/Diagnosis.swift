// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The one judgement behind everything that is reported about a call: severity, cause, direction, side, and
/// start.
public struct Diagnosis: Sendable, Equatable, Codable {
    /// What is wrong.
    public var cause: Cause
    /// Direction of the path; `nil` where it does not apply.
    ///
    /// The round trip time has no direction: ``NetworkDirection/both``. Nor has a connection between two ends over which nothing
    /// comes at all.
    public var direction: NetworkDirection?
    /// The side to blame, for subscribers; `nil` for publishers.
    public var side: NetworkDegradationSource?
    /// Severity; `nil` while nothing is wrong or nothing is known.
    public var severity: Severity?
    /// The track that shows it, where not the whole connection does; `nil` otherwise, and where no one names it.
    public var track: MediaTrack?
    /// How sure the cause is; `nil` while nothing is wrong or nothing is known.
    public var confidence: Confidence?
    /// The cause that explains the figures next best; `nil` if none else does.
    public var runnerUp: Cause?
    /// The figures that the diagnosis rests on; `nil` while nothing is wrong or nothing is known.
    public var evidence: Evidence?
    /// Time of the first report with this cause, in Unix ms; `nil` before the first report.
    public var since: Double?

    /// How much it impairs the call.
    public enum Severity: Int, Hashable, Codable, Sendable, CaseIterable, Comparable {
        /// Noticeable to those who look for it.
        case noticeable = 1
        /// Disturbing.
        case disturbing = 2
        /// The call is bad.
        case bad = 3
        /// The call cannot be used.
        case unusable = 4

        /// Orders by how bad it is.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// How sure a cause is.
    public enum Confidence: String, Hashable, Codable, Sendable, CaseIterable {
        /// One of several that fit, or inferred from what a report does not say itself.
        case low
        /// The best explanation; another is possible.
        case medium
        /// The figures show it.
        case high
    }

    /// Creates a diagnosis; `unknown` unless said otherwise.
    public init(
        cause: Cause = .unknown, direction: NetworkDirection? = nil, side: NetworkDegradationSource? = nil,
        severity: Severity? = nil, since: Double? = nil, confidence: Confidence? = nil,
        runnerUp: Cause? = nil,
        track: MediaTrack? = nil, evidence: Evidence? = nil
    ) {
        self.cause = cause
        self.direction = direction
        self.side = side
        self.severity = severity
        self.since = since
        self.confidence = confidence
        self.runnerUp = runnerUp
        self.track = track
        self.evidence = evidence
    }
}
