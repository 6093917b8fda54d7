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
        case .life(let type, _): type
        case .summary: "summary"
        }
    }
}
