// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// State of a video under audio fallback.
package enum FallbackState: String, VocabularyWord {
    /// Video is sent, if it is wanted.
    case on
    /// Video is sent, but will be switched off unless the network gets better.
    case warned
    /// Video is switched off; audio continues.
    case off

    /// What people call it.
    package var label: String {
        switch self {
        case .on: "video is on"
        case .warned: "video is about to be switched off"
        case .off: "video is off in favour of audio"
        }
    }
}
