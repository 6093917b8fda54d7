// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import NIOSignaling
import SessionServer
import SessionWire
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    /// Ends that speak different versions of the session protocol.
    @Suite(.timeLimit(.minutes(2))) struct VersionTests {
        @Test("an older or newer client is refused, and says which versions there are", arguments: [0, 2])
        func otherVersion(version: Int) async throws {
            let harness = try await CallHarness()
            let signaling = AlteredSignaling { text in
                text.replacing("\"version\":\(SessionProtocol.version)", with: "\"version\":\(version)")
            }
            let error = await #expect(throws: SightlineError.self) {
                _ = try await harness.client("alice", signaling: signaling)
            }
            #expect(error?.code == .unsupportedVersion)
            #expect(error?.message.contains("speaks version \(SessionProtocol.version)") == true)
            #expect(error?.message.contains("not \(version)") == true)
            #expect(await harness.server.health.connections == 0)
            try await harness.close()
        }

        @Test("what a newer server says beside what is known is passed over, and the call continues")
        func newerServer() async throws {
            let harness = try await CallHarness()
            let signaling = AlteredSignaling(received: { text in
                // A message of a new kind before each one, and a new member in it.
                let news = "{\"type\":\"weather\",\"sky\":{\"clouds\":[1,2]}}"
                return [news, "{\"mood\":[\"new\"]," + text.dropFirst()]
            })
            let alice = try await harness.client("alice", signaling: signaling)
            try await alice.publish(Publisher())
            let bob = try await harness.client("bob", role: .subscriber, signaling: signaling)
            try await eventually("the stream at bob's") { !bob.streams.isEmpty }
            let subscriber = Subscriber(stream: bob.streams[0])
            let frames = subscriber.frames()
            try await bob.subscribe(subscriber)
            let first = try await within(.seconds(30)) { () -> Bool in
                for await _ in frames { return true }
                return false
            }
            #expect(first)
            await bob.disconnect()
            await alice.disconnect()
            try await harness.close()
        }
    }
}

/// Signalling whose text is changed on its way.
private struct AlteredSignaling: SignalingTransport {
    var sent: @Sendable (String) -> String = { $0 }
    var received: @Sendable (String) -> [String] = { [$0] }

    func open(_ address: SignalingAddress) async throws -> any SignalingChannel {
        Channel(base: try await NIOSignalingTransport().open(address), sent: sent, received: received)
    }

    func open(
        _ address: SignalingAddress, notifying _: @escaping @Sendable (SignalingProgress) -> Void
    ) async throws -> any SignalingChannel {
        try await open(address)
    }

    private struct Channel: SignalingChannel {
        let base: any SignalingChannel
        let sent: @Sendable (String) -> String
        let received: @Sendable (String) -> [String]

        var messages: AsyncThrowingStream<String, any Error> {
            let (stream, continuation) = AsyncThrowingStream<String, any Error>.makeStream()
            let (messages, received) = (base.messages, received)
            let task = Task {
                do {
                    for try await text in messages { for text in received(text) { continuation.yield(text) } }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
            return stream
        }

        func send(_ text: String) async throws { try await base.send(sent(text)) }
        func close() async { await base.close() }
    }
}
