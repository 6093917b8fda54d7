// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

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
        case publisherQuality(PublisherVideoNetworkStats, PublisherVideoEventReason)
        case publisherCondition(PublisherMediaLinkStats, NetworkReason)
        case subscriberQuality(SubscriberVideoNetworkStats, SubscriberVideoEventReason)
        case subscriberCondition(SubscriberMediaLinkStats, NetworkReason)
        /// What a tick was judged to be; for people only, since no callback brings it.
        case judgement(Diagnosis, StreamLevels)
        /// A step in the life of the session or of a stream, under its callback's name.
        case life(type: String, message: String?)
        /// Totals at the end; the last event.
        case summary(CallSummary)
    }
}

extension CallEvent {
    /// The name of the callback that brought it.
    var type: String {
        switch kind {
        case .publisherVideo, .subscriberVideo: "videoNetworkStatsUpdated"
        case .publisherAudio, .subscriberAudio: "audioNetworkStatsUpdated"
        case .publisherMediaLink, .subscriberMediaLink: "mediaLinkStatsUpdated"
        case .publisherQuality, .subscriberQuality: "videoQualityChanged"
        case .publisherCondition, .subscriberCondition: "networkConditionChanged"
        case .judgement: "judgement"
        case .life(let type, _): type
        case .summary: "summary"
        }
    }
}

extension CallEvent {
    /// What a person reads of an event that is no table row; `nil` for those that are.
    var text: String? {
        switch kind {
        case .life(_, let message): message ?? ""
        case .publisherQuality(_, let reason): reason.name
        case .subscriberQuality(_, let reason): reason.name
        case .publisherCondition(let stats, let reason): Self.text(stats.transport, reason)
        case .subscriberCondition(let stats, let reason): Self.text(stats.transport, reason)
        default: nil
        }
    }

    private static func text(_ transport: TransportStats, _ reason: NetworkReason) -> String {
        "\(transport.networkCondition.name) (\(transport.networkConditionReason.name); \(reason.name))"
    }
}
