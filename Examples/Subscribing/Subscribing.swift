// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import NIOSignaling
import Sightline

/// Receives every stream of a session, and says what happens to each: from its first frame to its end.
///
///     Subscribing URL TOKEN [SECONDS]
@main
struct Subscribing {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: Subscribing URL TOKEN [SECONDS]")
            exit(64)
        }
        let session = Session(
            url: arguments[1], token: arguments[2], engine: try LibWebRTCEngine(),
            signaling: NIOSignalingTransport())
        let receiver = Receiver()
        session.delegate = receiver
        try await session.connect()
        try await Task.sleep(for: .seconds(arguments.dropFirst(3).first.flatMap(Double.init) ?? 10))
        await session.disconnect()
        await receiver.ended()
    }
}

/// Subscribes to what others publish; delegates are called one call after the other, on Apple's systems on the main actor.
final class Receiver: SessionDelegate, SubscriberDelegate, Sendable {
    private let ends = AsyncStream.makeStream(of: Void.self)

    /// Waits for the last event of a subscriber.
    func ended() async {
        for await _ in ends.stream { return }
    }

    func session(_ session: Session, streamCreated stream: MediaStream) {
        // One's own streams come here as well.
        guard stream.connection != session.connection else { return }
        let subscriber = Subscriber(stream: stream, delegate: self)
        // No larger, and no faster, than it is shown; both can be changed in the call.
        subscriber.preferredResolution = VideoSize(width: 640, height: 360)
        subscriber.preferredFrameRate = 30
        Task {
            do { try await session.subscribe(subscriber) } catch { print("cannot subscribe: \(error)") }
        }
    }

    func session(_ session: Session, streamDestroyed stream: MediaStream) {
        print("stream \(stream.streamId) is over")
    }

    func subscriberDidConnectToStream(_ subscriber: Subscriber) {
        print("media arrives of \(subscriber.stream.streamId)")
        Task {
            let report = try await subscriber.rtcStatsReport()
            print("raw report of \(report.utf8.count) bytes")
        }
    }

    func subscriberDidDisconnectFromStream(_ subscriber: Subscriber) { print("media has stopped; wait") }
    func subscriberDidReconnectToStream(_ subscriber: Subscriber) { print("media is back") }
    func subscriberVideoDisableWarning(_ subscriber: Subscriber) {
        print("video is about to give way to audio")
    }
    func subscriberVideoDisableWarningLifted(_ subscriber: Subscriber) { print("video stays") }

    func subscriberVideoDisabled(_ subscriber: Subscriber, reason: VideoEventReason) {
        print("video is off: \(reason)")
    }

    func subscriberVideoEnabled(_ subscriber: Subscriber, reason: VideoEventReason) {
        print("video is on: \(reason)")
    }

    func subscriber(_ subscriber: Subscriber, didFailWithError error: SightlineError) {
        print("failed: \(error)")
    }

    func subscriber(_ subscriber: Subscriber, didEnd end: SubscriptionEnd) {
        // Time to take its view away.
        print("the end of \(subscriber.stream.streamId): \(end.rawValue)")
        ends.continuation.yield()
    }
}
