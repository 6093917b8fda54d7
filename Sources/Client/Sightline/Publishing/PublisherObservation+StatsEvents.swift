// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension PublisherObservation {
    /// What the tick caused, with the figures that each callback carries.
    var statsEvents: [PublisherNetworkStatsEvent] {
        events.compactMap { event in
            switch event {
            case .networkConditionChanged(let change):
                let link = mediaLink.first {
                    $0.connectionId == change.connectionId && $0.subscriberId == change.subscriberId
                }
                return link.map { .networkConditionChanged($0, change.reason) }
            case .videoQualityChanged(let reason, _):
                return video.first.map { .videoQualityChanged($0, reason) }
            // Warnings are the session's to deliver.
            case .callQuality: return nil
            }
        }
    }
}
