// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

extension ClientMessage.Publish {
    /// A request to publish a camera.
    static func camera(_ leg: LegName) -> Self {
        Self(
            leg: leg, content: .init(name: "cam", hasAudio: true, hasVideo: true), senderStatsTrack: false,
            offer: "offer-\(leg)")
    }
}
