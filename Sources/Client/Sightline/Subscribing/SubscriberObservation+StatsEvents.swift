// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension SubscriberObservation {
    /// The tick's figures, and what it caused with the figures that each callback carries.
    var statsEvents: [SubscriberNetworkStatsEvent] {
        let (video, audio) = (SubscriberVideoNetworkStats(self), SubscriberAudioNetworkStats(self))
        let link = SubscriberMediaLinkStats(self)
        let figures: [SubscriberNetworkStatsEvent?] = [
            video.map { .videoNetworkStatsUpdated($0) }, audio.map { .audioNetworkStatsUpdated($0) },
            .mediaLinkStatsUpdated(link),
        ]
        let caused: [SubscriberNetworkStatsEvent?] = events.map { event in
            switch event {
            case .networkConditionChanged(let change): .networkConditionChanged(link, change)
            case .videoQualityChanged(let change): video.map { .videoQualityChanged($0, change) }
            // Warnings are the session's to deliver.
            case .callQuality: nil
            }
        }
        return (figures + caused).compactMap(\.self)
    }
}
