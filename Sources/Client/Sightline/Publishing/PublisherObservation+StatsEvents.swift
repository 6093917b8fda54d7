// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension PublisherObservation {
    /// The tick's figures, and what it caused with the figures that each callback carries.
    var statsEvents: [PublisherNetworkStatsEvent] { figureEvents + causedEvents }

    /// A medium that the stream does not have has no figures.
    private var figureEvents: [PublisherNetworkStatsEvent] {
        let video = legs.compactMap { PublisherVideoNetworkStats($0) }
        let audio = legs.compactMap { PublisherAudioNetworkStats($0) }
        let figures: [PublisherNetworkStatsEvent?] = [
            video.isEmpty ? nil : .videoNetworkStatsUpdated(video),
            audio.isEmpty ? nil : .audioNetworkStatsUpdated(audio),
            legs.isEmpty ? nil : .mediaLinkStatsUpdated(legs.map { PublisherMediaLinkStats($0) }),
        ]
        return figures.compactMap(\.self)
    }

    private var causedEvents: [PublisherNetworkStatsEvent] {
        events.compactMap { event in
            switch event {
            case .networkConditionChanged(let change):
                return link(of: change).map { .networkConditionChanged($0, change) }
            case .videoQualityChanged(let change):
                return video(of: change).map { .videoQualityChanged($0, change) }
            // Warnings are the session's to deliver.
            case .callQuality: return nil
            }
        }
    }
}
