// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

extension MediaKind {
    /// The kind of a report's entry; `nil` if it has none, or one that is not observed.
    init?(_ kind: StatsReport.MediaKind?) {
        switch kind {
        case .audio?: self = .audio
        case .video?: self = .video
        default: return nil
        }
    }
}
