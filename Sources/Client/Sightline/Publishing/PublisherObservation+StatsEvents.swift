// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension PublisherObservation {
    /// What the tick caused, with the figures that each callback carries.
    var statsEvents: [PublisherNetworkStatsEvent] {
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
