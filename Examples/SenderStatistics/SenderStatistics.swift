// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import NIOSignaling
import Sightline

/// Publishes, receives everyone else, and prints both sides' statistics: what the own publisher sends, what arrives of
/// the others, and what their senders say of themselves.
///
///     SenderStatistics URL TOKEN [SECONDS]
@main
struct SenderStatistics {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return usage() }
        let session = Session(
            url: arguments[1], token: arguments[2], engine: try LibWebRTCEngine(),
            signaling: NIOSignalingTransport())
        let printer = Printer()
        let events = session.events()
        try await session.connect()
        let receiving = Task {
            var subscribers: [Subscriber] = []
            for await case .streamCreated(let stream) in events where stream.connection != session.connection
            {
                let subscriber = Subscriber(stream: stream)
                subscriber.networkStatsDelegate = printer
                try await session.subscribe(subscriber)
                subscribers.append(subscriber)
            }
        }
        var settings = PublisherSettings()
        // Lets subscribers see this client's own figures; off by default.
        settings.senderStatsTrack = true
        let publisher = Publisher(settings: settings)
        publisher.networkStatsDelegate = printer
        try await session.publish(publisher)
        try await Task.sleep(for: .seconds(arguments.dropFirst(3).first.flatMap(Double.init) ?? 10))
        await session.disconnect()
        try await receiving.value
    }

    static func usage() {
        print("usage: SenderStatistics URL TOKEN [SECONDS]")
        exit(64)
    }
}

final class Printer: PublisherNetworkStatsDelegate, SubscriberNetworkStatsDelegate, Sendable {
    func publisher(_ publisher: Publisher, videoNetworkStatsUpdated stats: [PublisherVideoNetworkStats]) {
        for video in stats {
            guard let bitrate = video.bitrate, let lost = video.videoPacketsLost else { continue }
            print("video: \(Int(bitrate)) bit/s in \(video.videoLayers.count) layers, \(lost) packets lost")
        }
    }

    func publisher(
        _ publisher: Publisher, networkConditionChanged stats: PublisherMediaLinkStats,
        change: NetworkConditionChange
    ) {
        print("network: from \(change.from) to \(change.to), \(change.reason)")
    }

    func publisher(
        _ publisher: Publisher, videoQualityChanged stats: PublisherVideoNetworkStats,
        change: VideoQualityChange
    ) {
        print("video quality: \(change.reason) \(change.phase == .trigger ? "begins" : "ends")")
    }

    func subscriber(_ subscriber: Subscriber, videoNetworkStatsUpdated stats: SubscriberVideoNetworkStats) {
        // Absent until the first figures have come, and from publishers that keep theirs to themselves.
        guard let sender = stats.senderStats, let estimate = sender.connectionEstimatedBandwidth else {
            return
        }
        let most = sender.connectionMaxAllocatedBitrate.map { "\(Int($0))" } ?? "any number of"
        print(
            "sender of \(subscriber.stream.streamId): may send \(most) bit/s, estimates \(Int(estimate)) bit/s"
        )
    }

    func subscriber(_ subscriber: Subscriber, mediaLinkStatsUpdated stats: SubscriberMediaLinkStats) {
        guard stats.networkDegradationSource != .none else { return }
        print("whose network is to blame: \(stats.networkDegradationSource)")
    }

    func subscriber(
        _ subscriber: Subscriber, networkConditionChanged stats: SubscriberMediaLinkStats,
        change: NetworkConditionChange
    ) {
        let whose = change.side == .remote ? "the publisher's" : "mine"
        print("network, \(whose): from \(change.from) to \(change.to), \(change.reason)")
        print("now: mine \(change.localCondition), the publisher's \(change.remoteCondition)")
    }
}
