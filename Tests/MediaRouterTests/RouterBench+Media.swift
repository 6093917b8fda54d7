// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import TestSupport
import Testing
import WebRTCStats

@testable import MediaRouter

/// Legs with real media, and what is expected of them.
extension RouterBench {
    static let twoLayers: [(rid: String, scale: Double, bitrate: Int32)] = [
        ("q", 2, 150_000), ("h", 1, 500_000),
    ]

    func makePublisher(
        on stream: StreamNumber, layers: [(rid: String, scale: Double, bitrate: Int32)] = [],
        codec: String = "VP8"
    ) async throws -> (client: TestClient, leg: LegNumber) {
        let client = try makeClient()
        try client.publish(layers: layers, codec: codec)
        let leg = makeLeg()
        try await connect(client, as: .publisher, leg: leg, stream: stream)
        return (client, leg)
    }

    func makeSubscriber(on stream: StreamNumber) async throws -> (
        client: TestClient, leg: LegNumber
    ) {
        let client = try makeClient()
        client.subscribe()
        let leg = makeLeg()
        try await connect(client, as: .subscriber, leg: leg, stream: stream)
        return (client, leg)
    }

    func layers(of stream: StreamNumber, atLeast count: Int) async throws -> [LayerCounters] {
        var layers: [LayerCounters] = []
        try await eventually("\(count) layers send") {
            layers = router.layers(of: stream).filter { $0.frames > 5 && $0.height != nil }
            return layers.count >= count
        }
        return layers
    }

    func expectAudio(at client: TestClient) async throws {
        try await eventually("the tone is heard") {
            let audio = try await client.statistics().inboundRTP.first { $0.kind == .audio }
            return (audio?.audioLevel ?? 0) > 0.15 && (audio?.audioLevel ?? 1) < 0.35
        }
    }

    /// Waits for more audio than has arrived.
    func expectMoreAudio(at client: TestClient) async throws {
        func received() async throws -> UInt64 {
            let audio = try await client.statistics().inboundRTP.first { $0.kind == .audio }
            return audio?.packetsReceived ?? 0
        }
        let before = try await received()
        try await eventually("audio continues") { try await received() > before + 20 }
        try await expectAudio(at: client)
    }
}

/// Expects `body` to be refused as `kind`.
func expectRefusal(
    _ kind: RouterEngineError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Any
) async {
    let error = await #expect(throws: RouterEngineError.self, sourceLocation: sourceLocation) {
        try await body()
    }
    #expect(error?.kind == kind, "\(error?.message ?? "")", sourceLocation: sourceLocation)
}
