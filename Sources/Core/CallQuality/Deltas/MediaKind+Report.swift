// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// The two kinds of media that are observed.
enum StreamKind: Sendable {
    case audio
    case video

    /// The kind of a report's entry; `nil` for other kinds.
    init?(_ kind: StatsReport.MediaKind?) {
        switch kind {
        case .audio?: self = .audio
        case .video?: self = .video
        default: return nil
        }
    }
}
