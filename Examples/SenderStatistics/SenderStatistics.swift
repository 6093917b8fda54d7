// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import NIOSignaling
import Sightline

/// Publishes, lets subscribers see this client's own figures, and prints them.
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
        try await session.connect()
        var settings = PublisherSettings()
        settings.senderStatsTrack = true
        let publisher = Publisher(settings: settings)
        let printer = Printer()
        publisher.networkStatsDelegate = printer
        try await session.publish(publisher)
        try await Task.sleep(for: .seconds(arguments.dropFirst(3).first.flatMap(Double.init) ?? 10))
        await session.disconnect()
    }

    static func usage() {
        print("usage: SenderStatistics URL TOKEN [SECONDS]")
        exit(64)
    }
}

final class Printer: PublisherNetworkStatsDelegate {
    func publisher(_ publisher: Publisher, videoNetworkStatsUpdated stats: [PublisherVideoNetworkStats]) {
        for video in stats {
            guard let bitrate = video.bitrate, let lost = video.videoPacketsLost else { continue }
            print("video: \(Int(bitrate)) bit/s in \(video.videoLayers.count) layers, \(lost) packets lost")
        }
    }

    func publisher(
        _ publisher: Publisher, networkConditionChanged stats: PublisherMediaLinkStats, reason: NetworkReason
    ) {
        print("network:", stats.transport.networkCondition, stats.transport.networkConditionReason)
    }
}
