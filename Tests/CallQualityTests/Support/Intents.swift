// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension MediaIntent {
    /// What the simulcast publisher of ``ScriptedCall`` is asked for.
    static func simulcast(
        q: Bool = true, h: Bool = true, f: Bool = true, retransmission: RetransmissionPath? = .mediaSSRC
    ) -> MediaIntent {
        MediaIntent(
            role: .publisher, routing: .routed,
            audio: AudioIntent(enabled: true, maximumBitrate: 32_000),
            video: VideoIntent(
                enabled: true, isCapturing: true, videoType: .camera,
                layers: [
                    // Neither in the order of their sizes nor of their names.
                    LayerIntent(
                        rid: "f", enabled: f, maximumBitrate: 1_500_000,
                        size: VideoSize(width: 1280, height: 720)),
                    LayerIntent(
                        rid: "q", enabled: q, maximumBitrate: 160_000,
                        size: VideoSize(width: 320, height: 180)),
                    LayerIntent(
                        rid: "h", enabled: h, maximumBitrate: 500_000,
                        size: VideoSize(width: 640, height: 360)),
                ],
                retransmission: retransmission))
    }

    /// What the subscriber of ``ScriptedCall`` is asked for.
    static func subscription(
        isVideoOn: Bool = true, videoType: VideoType = .camera,
        retransmission: RetransmissionPath? = .ownSSRC
    ) -> MediaIntent {
        MediaIntent(
            role: .subscriber, routing: .routed,
            audio: AudioIntent(enabled: true, maximumBitrate: 32_000),
            video: VideoIntent(
                enabled: isVideoOn, videoType: videoType,
                wantedLayer: LayerIntent(rid: "h", maximumBitrate: 800_000),
                retransmission: retransmission))
    }
}
