// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import NIOSignaling
import Sightline

/// Receives someone's stream, and says how the call is, whose network is to blame, and what to do.
///
///     Blame URL TOKEN [SECONDS]
@main
struct Blame {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return usage() }
        let session = Session(
            url: arguments[1], token: arguments[2], engine: try LibWebRTCEngine(),
            signaling: NIOSignalingTransport())
        let events = session.events()
        try await session.connect()
        for await case .streamCreated(let stream) in events where stream.connection != session.connection {
            let subscriber = Subscriber(stream: stream)
            let observations = subscriber.observations()
            try await session.subscribe(subscriber)
            for await observation in observations.prefix(arguments.count > 3 ? Int(arguments[3]) ?? 10 : 10) {
                tell(observation)
            }
            break
        }
        await session.disconnect()
    }

    static func tell(_ observation: SubscriberObservation) {
        print("mine:", observation.transport.networkCondition, terminator: ", ")
        print("theirs:", observation.remotePublisherTransport?.networkCondition ?? .unknown, terminator: ", ")
        print("to blame:", observation.networkDegradationSource, terminator: ". ")
        print(DiagnosisSentences().sentence(for: observation.diagnosis, to: .caller) ?? "")
    }

    static func usage() {
        print("usage: Blame URL TOKEN [SECONDS]")
        exit(64)
    }
}
