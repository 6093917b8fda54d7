// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LibWebRTC
import SessionServer
import SessionWire
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    /// Networks and servers that fail, with everything real but the network.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct ReconnectionTests {
        private struct Pair {
            let alice: TestClient
            let bob: TestClient
            let publisher: Publisher
            let subscriber: Subscriber

            init(
                url: String, token: (TokenRole, String) async throws -> String,
                _ change: (inout SessionConfiguration) -> Void = { _ in }
            ) async throws {
                let engine = try LibWebRTCEngine()
                alice = try TestClient(
                    "alice", url: url, token: try await token(.publisher, "alice"), engine: engine)
                bob = try TestClient(
                    "bob", url: url, token: try await token(.subscriber, "bob"), engine: engine, change)
                try await alice.connect()
                publisher = try await alice.publish()
                try await bob.connect()
                subscriber = try await bob.subscribeToFirst()
                try await bob.waitForFrames(subscriber, within: .seconds(30))
            }

            func end() async {
                await bob.session.disconnect()
                await alice.session.disconnect()
            }
        }

        private static func isReconnection(_ event: SessionEvent) -> Bool {
            [.sessionDidBeginReconnecting, .sessionDidReconnect, .sessionDidDisconnect].contains(event)
        }

        private static func isTurn(_ event: SubscriberLifeEvent) -> Bool {
            [.didConnectToStream, .didDisconnectFromStream, .didReconnectToStream].contains(event)
        }

        private static func isAboutOthers(_ event: SessionEvent) -> Bool {
            switch event {
            case .streamDestroyed, .connectionDestroyed: true
            default: false
            }
        }

        @Test("signalling that is away for three seconds is no one's concern, and nothing of it is lost")
        func shortDrop() async throws {
            let harness = try await CallHarness()
            let pair = try await Pair(url: harness.url, token: harness.token)
            pair.bob.setSignaling(false)
            pair.publisher.publishAudio = false
            try await pair.bob.waitForFrames(pair.subscriber, 30, within: .seconds(20))
            #expect(pair.bob.session.streams.first?.hasAudio == true)
            pair.bob.setSignaling(true)
            try await eventually("the change") { pair.bob.session.streams.first?.hasAudio == false }
            let updates = {
                pair.bob.events.count { if case .streamPropertyChanged = $0 { true } else { false } }
            }
            try await eventually("its event") { updates() > 0 }
            #expect(updates() == 1)
            #expect(pair.bob.life(pair.subscriber) == [.didConnectToStream])
            await pair.end()
            try await harness.close()
        }

        /// After thirty the router's end of the path has long failed.
        @Test(
            "after an outage of the whole network a subscriber is back within five seconds, and no one else noticed",
            arguments: [20, 30])
        func outage(seconds: Int) async throws {
            let harness = try await CallHarness()
            let pair = try await Pair(url: harness.url, token: harness.token)
            pair.bob.setOutage(true)
            try await Task.sleep(for: .seconds(seconds))
            #expect(pair.bob.session.state == .reconnecting)
            #expect(pair.bob.life(pair.subscriber) == [.didConnectToStream, .didDisconnectFromStream])
            let start = ContinuousClock.now
            pair.bob.setOutage(false)
            try await pair.bob.waitForFrames(pair.subscriber, within: .seconds(30))
            let back = ContinuousClock.now - start
            #expect(back <= .seconds(5), "back after \(back)")
            try await eventually("it hears so") {
                pair.bob.life(pair.subscriber).contains(.didReconnectToStream)
            }
            // The router may doubt for a moment whether the path carries video.
            #expect(
                pair.bob.life(pair.subscriber).filter(Self.isTurn)
                    == [.didConnectToStream, .didDisconnectFromStream, .didReconnectToStream])
            #expect(
                pair.bob.events.filter(Self.isReconnection)
                    == [.sessionDidBeginReconnecting, .sessionDidReconnect])
            #expect(!pair.bob.events.contains(where: Self.isAboutOthers))
            #expect(!pair.alice.events.contains(where: Self.isAboutOthers))
            #expect(pair.bob.totalsThatWentBack.isEmpty)
            await pair.end()
            try await harness.close()
        }

        @Test("an outage that is longer than the client may be away ends cleanly, on both sides")
        func tooLong() async throws {
            let harness = try await CallHarness(onReport: nil) { $0.timeouts.resumption = .seconds(3) }
            let pair = try await Pair(url: harness.url, token: harness.token) {
                $0.reconnectionTime = .seconds(3)
            }
            pair.bob.setOutage(true)
            try await eventually("bob's end", within: .seconds(40)) {
                pair.bob.events.last == .sessionDidDisconnect
            }
            let end = pair.bob.events.drop { $0 != .sessionDidBeginReconnecting }.filter { event in
                // Levels and warnings say what they think of it.
                switch event {
                case .networkQualityLevelChanged, .callDidEmitCallQualityEvent: false
                default: true
                }
            }
            #expect(end.count == 4, "\(end)")
            #expect(end.dropFirst(2).first == .streamDestroyed(pair.subscriber.stream))
            try await eventually("alice is notified of it", within: .seconds(40)) {
                pair.alice.events.contains { if case .connectionDestroyed = $0 { true } else { false } }
            }
            #expect(await harness.server.health.connections == 1)
            await pair.end()
            try await harness.close()
        }

        @Test(
            "of a killed server of a cluster the session goes on at another one, with media, within twelve seconds",
            .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"))
        func killedNode() async throws {
            let nodes = try await ClusterDatabase(PostgresCluster.shared.value).nodes(2)
            let (home, other) = (nodes[1], nodes[0])
            // One that the other one has made, and that is at this one.
            var session = ""
            try await eventually("a session at the other server", within: .seconds(20)) {
                let before = try await home.get("readyz", Health.self).unusedSessions
                session = try await other.createSession()
                return try await home.get("readyz", Health.self).unusedSessions > before
            }
            let pair = try await Pair(url: other.url) { try await other.token(session, $0, $1) }
            #expect(try await home.get("readyz", Health.self).connections == 2)
            let (stream, id) = (pair.subscriber.stream.streamId, pair.bob.session.connection?.connectionId)
            let start = ContinuousClock.now
            home.kill()
            try await eventually("both notice", within: .seconds(12)) {
                pair.alice.session.state == .reconnecting && pair.bob.session.state == .reconnecting
            }
            try await eventually("both are back", within: .seconds(40)) {
                pair.alice.session.isConnected && pair.bob.session.isConnected
            }
            try await pair.bob.waitForFrames(pair.subscriber, within: .seconds(40))
            let back = ContinuousClock.now - start
            print("back after \(back)")
            #expect(back <= .seconds(12), "back after \(back)")
            #expect(pair.bob.session.streams.map(\.streamId) == [stream])
            #expect(pair.bob.session.connection?.connectionId == id)
            #expect(try await other.get("readyz", Health.self).connections == 2)
            for client in [pair.alice, pair.bob] {
                #expect(!client.events.contains(where: Self.isAboutOthers))
                #expect(client.totalsThatWentBack.isEmpty)
            }
            await pair.end()
            try await other.end()
        }

        @Test("a killed server that is started again has everyone back, with media, within ten seconds")
        func killedServer() async throws {
            let server = try await ServerProcess()
            let session = try await server.createSession()
            let pair = try await Pair(url: server.url) { try await server.token(session, $0, $1) }
            let stream = pair.subscriber.stream.streamId
            server.kill()
            try await eventually("both notice") {
                pair.alice.session.state == .reconnecting && pair.bob.session.state == .reconnecting
            }
            try await server.startAgain()
            let start = ContinuousClock.now
            try await pair.bob.waitForFrames(pair.subscriber, within: .seconds(40))
            let back = ContinuousClock.now - start
            #expect(back <= .seconds(10), "back after \(back)")
            #expect(pair.bob.session.streams.map(\.streamId) == [stream])
            try await eventually("all events") {
                pair.bob.life(pair.subscriber).contains(.didReconnectToStream)
            }
            #expect(
                pair.bob.life(pair.subscriber).filter(Self.isTurn)
                    == [.didConnectToStream, .didDisconnectFromStream, .didReconnectToStream])
            for client in [pair.alice, pair.bob] {
                #expect(
                    client.events.filter(Self.isReconnection)
                        == [.sessionDidBeginReconnecting, .sessionDidReconnect])
                #expect(client.events.count { if case .streamCreated = $0 { true } else { false } } == 1)
                #expect(!client.events.contains(where: Self.isAboutOthers))
                #expect(client.totalsThatWentBack.isEmpty)
            }
            await pair.end()
            try await server.end()
        }
    }
}
