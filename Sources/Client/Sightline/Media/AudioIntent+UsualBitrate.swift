// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension AudioIntent {
    /// What libwebrtc gives a mono Opus stream when no one says otherwise, bps; part of the demand on a path.
    static let usualBitrate = 32_000.0
}
