// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension SubscriberObservation {
    /// What the tick caused, with the figures that each callback carries.
    var statsEvents: [SubscriberNetworkStatsEvent] {
        events.compactMap { event in
            switch event {
            case .networkConditionChanged(let change): .networkConditionChanged(mediaLink, change)
            case .videoQualityChanged(let change): video.map { .videoQualityChanged($0, change) }
            // Warnings are the session's to deliver.
            case .callQuality: nil
            }
        }
    }
}
