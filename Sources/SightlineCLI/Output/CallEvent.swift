// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Sightline

/// Something worth showing about a call: what every form of output is made from.
struct CallEvent: Sendable {
    /// Unix ms.
    var time: Double
    /// Which end of a stream; `nil` for what concerns a session.
    var role: StreamRole?
    /// Whose view it is.
    var participant: String?
    /// The stream.
    var stream: String?
    var kind: Kind

    enum Kind: Sendable {
        case publisherVideo([PublisherVideoNetworkStats])
        case publisherAudio([PublisherAudioNetworkStats])
        case publisherMediaLink([PublisherMediaLinkStats])
        case subscriberVideo(SubscriberVideoNetworkStats)
        case subscriberAudio(SubscriberAudioNetworkStats)
        case subscriberMediaLink(SubscriberMediaLinkStats)
        case publisherQuality(PublisherVideoNetworkStats, VideoQualityChange)
        case publisherCondition(PublisherMediaLinkStats, NetworkConditionChange)
        case subscriberQuality(SubscriberVideoNetworkStats, VideoQualityChange)
        case subscriberCondition(SubscriberMediaLinkStats, NetworkConditionChange)
        /// A tick's diagnosis and level.
        case judgement(Diagnosis, NetworkQualityLevel)
        /// A call quality warning.
        case warning(CallQualityEvent)
        /// A participant's network quality level changed; the name is its connection's.
        case level(NetworkQualityStats, connection: String)
        /// A step in the life of the session or of a stream, under its callback's name.
        case life(type: String, message: String?)
        /// Totals at the end; the last event.
        case summary(CallSummary)
    }
}

extension CallEvent {
    /// The name of the callback that brought it; of a warning that of a stream's event.
    var type: String {
        switch kind {
        case .publisherVideo, .subscriberVideo: "videoNetworkStatsUpdated"
        case .publisherAudio, .subscriberAudio: "audioNetworkStatsUpdated"
        case .publisherMediaLink, .subscriberMediaLink: "mediaLinkStatsUpdated"
        case .publisherQuality, .subscriberQuality: "videoQualityChanged"
        case .publisherCondition, .subscriberCondition: "networkConditionChanged"
        case .judgement: "judgement"
        case .warning: "callQuality"
        case .level: "networkQualityLevelChanged"
        case .life(let type, _): type
        case .summary: "summary"
        }
    }
}

extension CallEvent {
    /// Text of an event that is no table row; `nil` for those that are.
    var text: String? {
        switch kind {
        case .life(_, let message):
            // Of video that was switched: JSON has the word.
            message.map { VideoEventReason(name: $0)?.label ?? $0 } ?? ""
        case .publisherQuality(_, let change): change.text
        case .subscriberQuality(_, let change): change.text
        case .publisherCondition(_, let change): Self.text(change)
        case .subscriberCondition(_, let change): Self.text(change)
        case .warning(let event): event.warning.summary
        case .level(let stats, let connection): text(stats, connection)
        default: nil
        }
    }

    /// Emphasis of the text.
    var colour: Terminal.Colour {
        switch kind {
        case .warning(let event): event.warning.phase == .trigger ? .red : .green
        case .level(let stats, _): JudgementText.colour(stats.level)
        default: .grey
        }
    }

    private func text(_ stats: NetworkQualityStats, _ connection: String) -> String {
        let bars = JudgementText.signal(stats.level) ?? "unknown"
        let whose = connection == participant ? "" : "\(connection) "
        return whose + bars + (stats.isIdle ? " (idle)" : "")
    }

    private static func text(_ change: NetworkConditionChange) -> String {
        let whose = change.side == .remote ? "the publisher's, " : ""
        return "\(whose)\(change.from.label) -> \(change.to.label) (\(change.reason.label))"
    }
}
