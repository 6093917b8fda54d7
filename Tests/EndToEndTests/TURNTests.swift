// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import MediaEngine
import SessionServer
import SessionWire
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    /// Calls by a real TURN server, which knows nothing of clients but the secret that it shares with ours.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct TURNTests {
        @Test(
            "with a TURN server and only that, media takes it, by credentials made for each client",
            .enabled(if: TURNServer.isInstalled, "coturn is not installed: apt-get install coturn"),
            arguments: [
                (MediaMode.relayed, TURNServer.Transport.udp), (.routed, .udp), (.relayed, .tcp),
                (.routed, .tcp),
            ])
        func relayOnly(mode: MediaMode, transport: TURNServer.Transport) async throws {
            let turn = try await TURNServer(transport)
            let harness = try await CallHarness(
                mediaMode: mode,
                change: { $0.turn = TURNConfiguration(urls: [turn.url], secret: turn.secret) })
            let call = try await Call(harness, relayOnly: true)
            _ = try await call.publisher.statistics { ($0.first?.video?.packets ?? 0) > 20 }
            let reports = try await call.publisher.rtcStatsReport()
            let report = try #require(reports.first)
            let sent = try Self.selectedCandidate(report.jsonArrayOfReports, "localCandidateId")
            #expect(sent == "relay")
            if mode == .relayed {
                let received = try await call.subscriber.rtcStatsReport()
                let candidate = try Self.selectedCandidate(received, "localCandidateId")
                #expect(candidate == "relay")
            }
            await call.end()
            try await harness.close()
            try await turn.close()
        }

        @Test(
            "without the right secret there is no path: the publisher gives up, and the subscriber is notified",
            .enabled(if: TURNServer.isInstalled, "coturn is not installed: apt-get install coturn"))
        func wrongSecret() async throws {
            let turn = try await TURNServer()
            let harness = try await CallHarness(
                mediaMode: .relayed,
                change: { $0.turn = TURNConfiguration(urls: [turn.url], secret: "another") })
            let alice = try await harness.client("alice", relayOnly: true)
            try await alice.publish(Publisher())
            let bob = try await harness.client("bob", role: .subscriber, relayOnly: true)
            try await eventually("the stream") { !bob.streams.isEmpty }
            let subscriber = Subscriber(stream: bob.streams[0])
            let events = subscriber.events()
            try await bob.subscribe(subscriber)
            let error = try await within(.seconds(60)) { () -> SightlineError? in
                for await event in events { if case .didFailWithError(let error) = event { return error } }
                return nil
            }
            #expect(error?.code == .mediaLost)
            await bob.disconnect()
            await alice.disconnect()
            try await harness.close()
            try await turn.close()
        }

        @Test(
            "a TURN server over TLS whose certificate no one vouches for is not spoken to, and a call without it continues",
            .enabled(if: TURNServer.isInstalled, "coturn is not installed: apt-get install coturn"),
            .enabled(if: TestCertificate.isPossible, "needs openssl"))
        func untrustedTLS() async throws {
            let certificate = try TestCertificate()
            let turn = try await TURNServer(.tls, certificate: certificate)
            let harness = try await CallHarness(
                mediaMode: .relayed,
                change: { $0.turn = TURNConfiguration(urls: [turn.url], secret: turn.secret) })
            let call = try await Call(harness)
            _ = try await call.publisher.statistics { ($0.first?.video?.packets ?? 0) > 20 }
            // Both tried it, saw the certificate and asked for nothing.
            try await eventually("the attempt at coturn") { turn.log.contains("TLS") }
            #expect(!turn.log.contains("ALLOCATE"))
            await call.end()
            try await harness.close()
            try await turn.close()
            try certificate.remove()
        }

        /// The kind of the candidate of the selected pair.
        private static func selectedCandidate(_ json: String, _ end: String) throws -> String? {
            let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8))
            let objects = try #require(parsed as? [[String: Any]])
            let byId = Dictionary(objects.map { ($0["id"] as? String ?? "", $0) }) { first, _ in first }
            let transport = try #require(objects.first { $0["type"] as? String == "transport" })
            let pair = (transport["selectedCandidatePairId"] as? String).flatMap { byId[$0] }
            return (pair?[end] as? String).flatMap { byId[$0]?["candidateType"] as? String }
        }
    }
}
