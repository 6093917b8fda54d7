// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import SessionWire

extension Publication: MonitorInputs {
    var streamId: String? { publisher.stream?.streamId }

    func intent(for role: StreamRole) -> MediaIntent { intent(to: .router) }

    func intent(of connection: SubscriberConnection?) -> MediaIntent {
        intent(to: connection.map(RouteDestination.subscriber) ?? .router)
    }

    private func intent(to destination: RouteDestination) -> MediaIntent {
        let settings = publisher.settings
        return MediaIntent(
            role: .publisher, routing: destination == .router ? .routed : .relayed,
            audio: AudioIntent(
                enabled: audioSource != nil, muted: !publisher.publishAudio,
                discontinuous: settings.usesDiscontinuousTransmission,
                maximumBitrate: AudioIntent.usualBitrate),
            video: videoIntent(settings, destination))
    }

    func remoteMetrics() -> RemoteMetrics {
        media.remoteMetrics(
            senderStatsTrack: publisher.settings.senderStatsTrack, isRouted: media.leadsToRouter)
    }

    func noteQueue(_ direction: NetworkDirection?) {
        media.noteQueue(direction, isRouted: media.leadsToRouter)
    }

    private func videoIntent(
        _ settings: PublisherSettings, _ destination: RouteDestination
    ) -> VideoIntent {
        VideoIntent(
            enabled: videoSource != nil && sendsVideo(to: destination), isCapturing: publisher.publishVideo,
            videoType: settings.videoType, layers: layers(for: destination),
            preferredFrameRate: settings.frameRate,
            retransmission: encodings(for: destination).count > 1 ? .mediaSSRC : .ownSSRC)
    }

    /// What is sent to a destination: all layers to the router, which chooses among them, the largest one to
    /// a subscriber.
    func encodings(for destination: RouteDestination) -> [Encoding] {
        guard case .subscriber = destination, var largest = encodings.last else { return encodings }
        largest.rid = nil
        return [largest]
    }

    /// The configured layers; those that are larger than anyone wants are not enabled.
    private func layers(for destination: RouteDestination) -> [LayerIntent]? {
        guard let source = videoSource else { return nil }
        let encodings = encodings(for: destination)
        let size = source.dimensions
        let largest = media.freshMetrics?.largestWantedLayer
        let limit = largest.flatMap { rid in encodings.firstIndex { $0.rid == rid } } ?? encodings.count - 1
        return encodings.enumerated().map { index, encoding in
            LayerIntent(
                rid: encoding.rid, enabled: encoding.isActive && index <= limit,
                maximumBitrate: encoding.maxBitrate.map(Double.init),
                size: size.scaledDown(by: encoding.scaleResolutionDownBy),
                maximumFrameRate: encoding.maxFramerate ?? publisher.settings.frameRate,
                scalabilityMode: encoding.scalabilityMode)
        }
    }
}

extension VideoSize {
    func scaledDown(by scale: Double) -> VideoSize {
        VideoSize(width: Int(Double(width) / max(scale, 1)), height: Int(Double(height) / max(scale, 1)))
    }
}
