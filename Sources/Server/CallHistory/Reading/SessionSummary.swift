// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// A session: who was in it, how each of them did, and when it was worst.
package struct SessionSummary: Sendable, Equatable, Codable {
    /// Its columns in the list.
    package var overview: SessionOverview
    /// Who was in it, in the order in which they joined.
    package var connections: [ConnectionSummary]
    /// What was published.
    package var streams: [StreamSummary]
    /// Each stream at each connection, and how it did there.
    package var flows: [FlowSummary]
    /// The minutes in which it was worst, the worst first; at most ``worstMinuteLimit``.
    package var worstMinutes: [WorstMinute]
    /// Participants' ratings of it, in the order in which they said so; a thousand at most.
    package var ratings: [RatedCall]

    /// Most of the worst minutes.
    package static let worstMinuteLimit = 5

    /// Describes one.
    package init(
        overview: SessionOverview, connections: [ConnectionSummary], streams: [StreamSummary],
        flows: [FlowSummary], worstMinutes: [WorstMinute], ratings: [RatedCall]
    ) {
        self.overview = overview
        self.connections = connections
        self.streams = streams
        self.flows = flows
        self.worstMinutes = worstMinutes
        self.ratings = ratings
    }
}

/// A client in a session.
package struct ConnectionSummary: Sendable, Equatable, Codable {
    /// Its id.
    package var connection: String
    /// Pseudonym of the person or device; `nil` if it has no name.
    package var participant: String?
    /// Its name; `nil` unless names are kept and may be shown.
    package var name: String?
    /// Its token's role.
    package var role: TokenRole
    /// Its client's name and version.
    package var client: String?
    /// When it joined, Unix ms.
    package var joinTime: Double
    /// When it left, Unix ms; `nil` while it is there.
    package var leaveTime: Double?
    /// Why it left; `nil` while it is there.
    package var reason: EndReason?

    /// Describes one.
    package init(
        connection: String, participant: String?, name: String?, role: TokenRole, client: String?,
        joinTime: Double, leaveTime: Double?, reason: EndReason?
    ) {
        self.connection = connection
        self.participant = participant
        self.name = name
        self.role = role
        self.client = client
        self.joinTime = joinTime
        self.leaveTime = leaveTime
        self.reason = reason
    }
}

/// A stream of a session.
package struct StreamSummary: Sendable, Equatable, Codable {
    /// Its id.
    package var stream: String
    /// The connection that published it; `nil` if that was deleted.
    package var connection: String?
    /// Its publisher's name for it; `nil` unless names are kept and may be shown.
    package var name: String?
    /// Whether it had audio, as last said.
    package var hasAudio: Bool
    /// Whether it had video, as last said.
    package var hasVideo: Bool
    /// What its video shows.
    package var videoType: VideoType
    /// When it was published, Unix ms.
    package var creationTime: Double
    /// When it ended, Unix ms; `nil` while it continues.
    package var endTime: Double?

    /// Describes one.
    package init(
        stream: String, connection: String?, name: String?, hasAudio: Bool, hasVideo: Bool,
        videoType: VideoType,
        creationTime: Double, endTime: Double?
    ) {
        self.stream = stream
        self.connection = connection
        self.name = name
        self.hasAudio = hasAudio
        self.hasVideo = hasVideo
        self.videoType = videoType
        self.creationTime = creationTime
        self.endTime = endTime
    }
}

/// A stream at a connection, and how it did there.
package struct FlowSummary: Sendable, Equatable, Codable {
    /// Which one.
    package var flow: FlowDescription
    /// When it began, Unix ms.
    package var creationTime: Double
    /// When it ended, Unix ms; `nil` while it continues.
    package var endTime: Double?
    /// How it did, by each of those who measured it.
    package var judgements: [FlowJudgement]
    /// How often each warning was raised.
    package var warnings: WordCounts<CallQualityWarning.Kind>
    /// Sustained issues.
    package var alerts: Int

    /// Describes one.
    package init(
        flow: FlowDescription, creationTime: Double, endTime: Double?, judgements: [FlowJudgement],
        warnings: WordCounts<CallQualityWarning.Kind>, alerts: Int
    ) {
        self.flow = flow
        self.creationTime = creationTime
        self.endTime = endTime
        self.judgements = judgements
        self.warnings = warnings
        self.alerts = alerts
    }
}

/// How a flow did over a time; counts are of samples.
package struct FlowJudgement: Sendable, Equatable, Codable {
    /// Who measured.
    package var observer: Observer
    /// Samples.
    package var samples: Int
    /// The worst network condition; `nil` if none was known.
    package var worstCondition: NetworkCondition?
    /// Samples by network condition.
    package var conditions: WordCounts<NetworkCondition>
    /// Samples by the cause that was diagnosed.
    package var causes: WordCounts<Diagnosis.Cause>
    /// Samples by whose network was blamed; empty for publishers.
    package var sources: WordCounts<NetworkDegradationSource>
    /// Mean MOS of the audio, 1 to 4.5; `nil` if there was none.
    package var audioMOS: Double?
    /// Mean MOS of the video, 1 to 5; `nil` if there was none.
    package var videoMOS: Double?
    /// Freezes; `nil` if no one counted.
    package var freezes: Int?
    /// Their length together, ms.
    package var freezesDuration: Double?
    /// Pauses; `nil` if no one counted.
    package var pauses: Int?
    /// Their length together, ms.
    package var pausesDuration: Double?

    /// Describes one.
    package init(
        observer: Observer, samples: Int, worstCondition: NetworkCondition?,
        conditions: WordCounts<NetworkCondition>,
        causes: WordCounts<Diagnosis.Cause>, sources: WordCounts<NetworkDegradationSource>, audioMOS: Double?,
        videoMOS: Double?, freezes: Int?,
        freezesDuration: Double?, pauses: Int?, pausesDuration: Double?
    ) {
        self.observer = observer
        self.samples = samples
        self.worstCondition = worstCondition
        self.conditions = conditions
        self.causes = causes
        self.sources = sources
        self.audioMOS = audioMOS
        self.videoMOS = videoMOS
        self.freezes = freezes
        self.freezesDuration = freezesDuration
        self.pauses = pauses
        self.pausesDuration = pausesDuration
    }
}

/// A minute of a session in which it was bad.
package struct WorstMinute: Sendable, Equatable, Codable {
    /// When it began, Unix ms.
    package var time: Double
    /// The worst network condition in it.
    package var worstCondition: NetworkCondition
    /// Samples with a condition of fair or worse.
    package var badSamples: Int
    /// All samples.
    package var samples: Int
    /// The cause that was diagnosed most often, of those that are one; `nil` if there was none.
    package var cause: Diagnosis.Cause?
    /// The connections with bad samples in it.
    package var connections: [String]

    /// Describes one.
    package init(
        time: Double, worstCondition: NetworkCondition, badSamples: Int, samples: Int,
        cause: Diagnosis.Cause?,
        connections: [String]
    ) {
        self.time = time
        self.worstCondition = worstCondition
        self.badSamples = badSamples
        self.samples = samples
        self.cause = cause
        self.connections = connections
    }
}

/// A flow's minute.
package struct FlowMinute: Sendable, Equatable, Codable {
    /// Which flow.
    package var flow: FlowDescription
    /// When the minute began, Unix ms.
    package var time: Double
    /// How it did in it; freezes and pauses are totals at its end.
    package var judgement: FlowJudgement

    /// Describes one.
    package init(flow: FlowDescription, time: Double, judgement: FlowJudgement) {
        self.flow = flow
        self.time = time
        self.judgement = judgement
    }
}
