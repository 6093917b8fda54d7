// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire

extension Subscription: MonitorInputs {
    var streamId: String? { subscriber.stream.streamId }

    func intent(for role: StreamRole) -> MediaIntent {
        let stream = subscriber.stream
        let sender = media.freshMetrics?.sender
        return MediaIntent(
            role: role, routing: isRelayed ? .relayed : .routed,
            audio: AudioIntent(
                enabled: subscriber.subscribeToAudio, muted: !stream.hasAudio,
                discontinuous: stream.hasAudioPauses,
                maximumBitrate: AudioIntent.usualBitrate, outputVolume: media.context.quality.outputVolume),
            video: VideoIntent(
                enabled: expectsVideo, isCapturing: stream.hasVideo, videoType: stream.videoType,
                wantedLayer: sender?.wantedLayer,
                preferredFrameRate: subscriber.preferredFrameRate,
                preferredResolution: subscriber.preferredResolution, retransmission: .ownSSRC))
    }

    func remoteMetrics() -> RemoteMetrics {
        media.remoteMetrics(
            senderStatsTrack: subscriber.stream.senderStatsTrack, isRouted: !isRelayed)
    }

    func noteQueue(_ direction: NetworkDirection?) {
        media.noteQueue(direction, isRouted: !isRelayed)
    }
}
