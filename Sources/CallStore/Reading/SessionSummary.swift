// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A session: who was in it, how each of them did, and when it was worst.
public struct SessionSummary: Sendable, Equatable, Codable {
    /// What the list says of it.
    public var overview: SessionOverview
    /// Who was in it, in the order in which they joined.
    public var connections: [ConnectionSummary]
    /// What was published.
    public var streams: [StreamSummary]
    /// Each stream at each connection, and how it did there.
    public var flows: [FlowSummary]
    /// The minutes in which it was worst, the worst first; at most ``worstMinuteLimit``.
    public var worstMinutes: [WorstMinute]

    /// Most of the worst minutes.
    public static let worstMinuteLimit = 5
}

/// A client in a session.
public struct ConnectionSummary: Sendable, Equatable, Codable {
    /// Its id.
    public var connection: String
    /// What stands for the person or device; `nil` if it has no name.
    public var participant: String?
    /// Its name; `nil` unless names are kept and may be shown.
    public var name: String?
    /// What its token allowed.
    public var role: String
    /// What it said it is.
    public var client: String?
    /// When it joined, Unix ms.
    public var joinTime: Double
    /// When it left, Unix ms; `nil` while it is there.
    public var leaveTime: Double?
    /// Why it left; `serverLost` if the server was killed.
    public var reason: String?
}

/// A stream of a session.
public struct StreamSummary: Sendable, Equatable, Codable {
    /// Its id.
    public var stream: String
    /// The connection that published it; `nil` if that was deleted.
    public var connection: String?
    /// Its publisher's name for it; `nil` unless names are kept and may be shown.
    public var name: String?
    /// Whether it had audio, as last said.
    public var hasAudio: Bool
    /// Whether it had video, as last said.
    public var hasVideo: Bool
    /// `camera`, `screen` or `custom`.
    public var videoType: String
    /// When it was published, Unix ms.
    public var creationTime: Double
    /// When it ended, Unix ms; `nil` while it goes on.
    public var endTime: Double?
}

/// A stream at a connection, and how it did there.
public struct FlowSummary: Sendable, Equatable, Codable {
    /// Which one.
    public var flow: FlowDescription
    /// When it began, Unix ms.
    public var creationTime: Double
    /// When it ended, Unix ms; `nil` while it goes on.
    public var endTime: Double?
    /// How it did, by each of those who measured it.
    public var judgements: [FlowJudgement]
    /// How often each warning was raised.
    public var warnings: [String: Int]
    /// Sustained issues.
    public var alerts: Int
}

/// How a flow did over a time; counts are of samples.
public struct FlowJudgement: Sendable, Equatable, Codable {
    /// Who measured.
    public var observer: Observer
    /// Samples.
    public var samples: Int
    /// The worst network condition; `nil` if none was known.
    public var worstCondition: String?
    /// Samples by network condition.
    public var conditions: [String: Int]
    /// Samples by the cause that was diagnosed.
    public var causes: [String: Int]
    /// Samples by whose network was blamed; empty for publishers.
    public var sources: [String: Int]
    /// Mean MOS of the sound, 1 to 4.5; `nil` if there was none.
    public var audioMOS: Double?
    /// Mean MOS of the pictures, 1 to 5; `nil` if there was none.
    public var videoMOS: Double?
    /// Freezes; `nil` if nobody counted.
    public var freezes: Int?
    /// Their length together, ms.
    public var freezesDuration: Double?
    /// Pauses; `nil` if nobody counted.
    public var pauses: Int?
    /// Their length together, ms.
    public var pausesDuration: Double?
}

/// A minute of a session in which it was bad.
public struct WorstMinute: Sendable, Equatable, Codable {
    /// When it began, Unix ms.
    public var time: Double
    /// The worst network condition in it.
    public var worstCondition: String
    /// Samples with a condition of fair or worse.
    public var badSamples: Int
    /// All samples.
    public var samples: Int
    /// The cause that was diagnosed most often, of those that are one; `nil` if there was none.
    public var cause: String?
    /// Whose samples were bad.
    public var connections: [String]
}

/// A flow's minute.
public struct FlowMinute: Sendable, Equatable, Codable {
    /// Which flow.
    public var flow: FlowDescription
    /// When the minute began, Unix ms.
    public var time: Double
    /// How it did in it; freezes and pauses are totals at its end.
    public var judgement: FlowJudgement
}
