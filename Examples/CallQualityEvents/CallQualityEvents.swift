// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import MediaEngine
import NIOSignaling
import Sightline

/// Receives someone's stream over a network that loses packets for a while, and shows the call quality warnings.
///
///     CallQualityEvents URL TOKEN
@main
struct CallQualityEvents {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: CallQualityEvents URL TOKEN")
            exit(64)
        }
        var configuration = SessionConfiguration()
        // Sinch's seven are the default; these are ours as well.
        configuration.quality.warnings = .extended
        // Banners that come and go too fast help no one.
        configuration.quality.warnings.highInboundPacketLoss.hold = 2
        let session = Session(
            url: arguments[1], token: arguments[2], engine: try LibWebRTCEngine(),
            signaling: NIOSignalingTransport(), configuration: configuration)
        let events = session.events()
        try await session.connect()
        var subscriber: Subscriber?
        for await event in events {
            switch event {
            case .streamCreated(let stream) where stream.connection != session.connection:
                subscriber = try await subscribe(to: stream, in: session)
            case .callDidEmitCallQualityEvent(let event):
                show(event)
                print("raised now:", session.raisedWarnings.map(\.warning.kind.rawValue))
                let isLoss = event.warning.kind == .highInboundPacketLoss && event.warning.media == .audio
                if isLoss, event.warning.phase == .trigger {
                    try subscriber?.setNetworkConditions(NetworkConditions())
                } else if isLoss {
                    await session.disconnect()
                }
            default: break
            }
        }
    }

    static func subscribe(to stream: MediaStream, in session: Session) async throws -> Subscriber {
        var bad = NetworkConditions()
        bad.down.loss = 10
        var settings = SubscriberSettings()
        settings.networkConditions = bad
        let subscriber = Subscriber(stream: stream, settings: settings)
        try await session.subscribe(subscriber)
        return subscriber
    }

    static func show(_ event: CallQualityEvent) {
        let warning = event.warning
        let what = [warning.kind.rawValue, warning.media?.rawValue, warning.direction?.rawValue]
            .compactMap(\.self).joined(separator: ", ")
        switch (warning.phase, warning.recovery) {
        case (.trigger, _): print("trigger: \(what)")
        case (.recover, .notApplicable):
            print("recover: \(what), since nothing is left that it could be about")
        case (.recover, _): print("recover: \(what)")
        }
    }
}
