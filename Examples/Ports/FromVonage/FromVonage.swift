// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import NIOSignaling
import Sightline

/// The usual first app with Vonage's iOS SDK, ported: connect, publish, subscribe to what others publish, watch the network.
///
///     FromVonage URL TOKEN [SECONDS]
///
/// Each comment names what stands there in an app for Vonage.
@main
struct FromVonage {
    @MainActor static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: FromVonage URL TOKEN [SECONDS]")
            exit(64)
        }
        let controller = CallController(
            // OTSession(apiKey:sessionId:delegate:): the token names application and session.
            session: Session(
                url: arguments[1], token: arguments[2], engine: try LibWebRTCEngine(),
                signaling: NIOSignalingTransport()))
        try await controller.start()
        try await Task.sleep(for: .seconds(arguments.dropFirst(3).first.flatMap(Double.init) ?? 10))
        // session.disconnect(&error)
        await controller.session.disconnect()
    }
}

// Vonage calls delegates on the main queue; so does this, by the conformances' actor and setDelegate(_:).
@MainActor
final class CallController: @MainActor SessionDelegate {
    let session: Session
    private let publisher: Publisher

    init(session: Session) {
        self.session = session
        // OTPublisherSettings: name, senderStatsTrack, publisherAudioFallbackEnabled.
        var settings = PublisherSettings()
        settings.name = "ported"
        settings.senderStatsTrack = true
        settings.publisherAudioFallbackEnabled = true
        // OTPublisher(delegate:settings:)
        publisher = Publisher(settings: settings)
        publisher.setNetworkStatsDelegate(self)
        session.setDelegate(self)
    }

    func start() async throws {
        // session.connect(withToken:error:), and session.publish(_:error:) in sessionDidConnect(_:): both throw in place
        // of an error by reference, and return when it is done.
        try await session.connect()
        try await session.publish(publisher)
    }

    // session(_:streamCreated:), with one difference: one's own streams come as well.
    func session(_ session: Session, streamCreated stream: MediaStream) {
        guard stream.connection != session.connection else { return }
        // OTSubscriber(stream:delegate:)
        let subscriber = Subscriber(stream: stream)
        subscriber.setDelegate(self)
        subscriber.setNetworkStatsDelegate(self)
        // session.subscribe(_:error:)
        Task { try await session.subscribe(subscriber) }
    }
}

extension CallController: @MainActor SubscriberDelegate {
    // subscriberDidConnect(toStream:)
    func subscriberDidConnectToStream(_ subscriber: Subscriber) { print("connected to a stream") }

    // subscriberVideoDisabled(_:reason:)
    func subscriberVideoDisabled(_ subscriber: Subscriber, reason: VideoEventReason) {
        print("video disabled: \(reason)")
    }

    // The subscriber's part of session(_:streamDestroyed:): its view goes.
    func subscriber(_ subscriber: Subscriber, didEnd end: SubscriptionEnd) {
        print("a stream is over: \(end)")
    }
}

// OTPublisherKitNetworkStatsDelegate and OTSubscriberKitNetworkStatsDelegate
extension CallController: @MainActor PublisherNetworkStatsDelegate, @MainActor SubscriberNetworkStatsDelegate
{
    // publisher(_:videoNetworkStatsUpdated:)
    func publisher(_ publisher: Publisher, videoNetworkStatsUpdated stats: [PublisherVideoNetworkStats]) {
        // An element at least; each figure is nil until someone has measured it.
        print("sent \(stats[0].videoPacketsSent ?? 0) video packets in \(stats[0].videoLayers.count) layers")
    }

    // subscriber(_:videoNetworkStatsUpdated:)
    func subscriber(_ subscriber: Subscriber, videoNetworkStatsUpdated stats: SubscriberVideoNetworkStats) {
        print("received \(stats.videoPacketsReceived ?? 0) video packets")
    }

    // subscriber(_:networkConditionChanged:reason:): the change has the reason, and whose condition it is.
    func subscriber(
        _ subscriber: Subscriber, networkConditionChanged stats: SubscriberMediaLinkStats,
        change: NetworkConditionChange
    ) {
        switch change.side {
        case .local: print("my network: \(change.to)")
        case .remote: print("the publisher's network: \(change.to)")
        default: print("from \(change.from) to \(change.to)")
        }
    }
}
