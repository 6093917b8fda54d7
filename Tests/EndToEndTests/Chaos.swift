// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import LibWebRTC
import SessionWire
import Sightline
import TestSupport
import Testing

/// A session to which bad things happen.
struct Chaos {
    /// What may happen.
    enum Mishap: CaseIterable {
        case killRouter, killServer, outage, signaling, vanish, storm
    }

    /// Number of mishaps: `SIGHTLINE_CHAOS`, or one of each kind.
    static let mishaps =
        ProcessInfo.processInfo.environment["SIGHTLINE_CHAOS"].flatMap { Int($0) } ?? Mishap.allCases.count

    /// Mishaps last as long as they may only when many were asked for.
    static var isLong: Bool { mishaps > Mishap.allCases.count }

    private let server: ServerProcess
    private let session: String
    private let engine: LibWebRTCEngine
    private let isLong: Bool
    private var random: SeededRandom
    /// Each kind once, in the order in which they come before chance decides.
    private let firstKinds: [Mishap]
    /// Those who stay to the end; two of them publish.
    private var clients: [TestClient] = []
    private var visitors = 0
    private let start = ContinuousClock.now

    init(seed: UInt64, isLong: Bool) async throws {
        random = SeededRandom(seed: seed)
        firstKinds = Mishap.allCases.shuffled(using: &random)
        self.isLong = isLong
        server = try await ServerProcess()
        session = try await server.createSession()
        engine = try LibWebRTCEngine()
        for name in isLong ? ["ann", "ben", "cleo"] : ["ann", "ben"] {
            clients.append(try await join(name, .publisher))
        }
        for client in clients.prefix(2) { try await client.publish() }
        for client in clients { try await subscribeToAll(client) }
        try await settle()
    }

    // MARK: - What happens

    /// Lets something go wrong, and waits a little.
    mutating func mishap(_ number: Int) async throws {
        let kind =
            number <= firstKinds.count ? firstKinds[number - 1] : firstKinds.randomElement(using: &random)
        guard let kind else { return }
        print("chaos: \(ContinuousClock.now - start) \(kind)")
        switch kind {
        case .killRouter: server.killRouter()
        case .killServer: try await restartServer()
        case .outage: try await cut { $0.setOutage($1) }
        case .signaling: try await cut { $0.setSignaling(!$1) }
        case .vanish: try await vanish()
        case .storm: try await storm()
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 200...(isLong ? 6000 : 1500), using: &random)))
    }

    private mutating func restartServer() async throws {
        server.kill()
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...3000, using: &random)))
        try await server.startAgain()
    }

    private mutating func cut(_ set: (TestClient, Bool) -> Void) async throws {
        let seconds = isLong ? [5, 20, 45] : [3, 5]
        guard let client = clients.randomElement(using: &random),
            let duration = seconds.randomElement(using: &random)
        else { return }
        print("chaos: \(client.name) for \(duration) s")
        set(client, true)
        try await Task.sleep(for: .seconds(duration))
        set(client, false)
    }

    /// A client comes, publishes, and is gone without a word.
    private mutating func vanish() async throws {
        // A server that is only just back refuses streams until its router is there.
        try await server.waitForRouter()
        let child = try await visitor()
        try await eventually("the visitor's stream", within: .seconds(60)) {
            try #require(child.isRunning, "the visitor has ended by itself: \(child.errors)")
            return clients.contains { $0.session.streams.contains { $0.name == "visitor \(visitors)" } }
        }
        child.send(signal: SIGKILL)
    }

    /// Clients come and go.
    private mutating func storm() async throws {
        try await server.waitForRouter()
        for _ in 0..<(isLong ? 8 : 3) {
            visitors += 1
            let client = try await join("guest \(visitors)", .publisher)
            if Bool.random(using: &random) { try await client.publish() }
            // Streams of those who stay: a visitor's may end at any moment.
            let lasting = client.others.filter { stream in clients.contains { $0.name == stream.name } }
            if let stream = lasting.randomElement(using: &random) { try await client.subscribe(stream) }
            await client.session.disconnect()
        }
    }

    private mutating func visitor() async throws -> ChildProcess {
        visitors += 1
        let name = "visitor \(visitors)"
        return try ChildProcess(
            BuiltProducts.sightline,
            [
                "publish", "--url", server.url, "--token", try await server.token(session, .publisher, name),
                "--name", name, "--resolution", "320x180", "--loopback-only", "--format", "json",
            ])
    }

    private func join(_ name: String, _ role: TokenRole) async throws -> TestClient {
        var failure: (any Error)?
        for _ in 0..<20 {
            let client = try TestClient(
                name, url: server.url, token: try await server.token(session, role, name), engine: engine)
            do {
                try await client.connect()
                return client
            } catch {
                // The server may be the one that is away.
                failure = error
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        throw failure ?? CancellationError()
    }

    private func subscribeToAll(_ client: TestClient) async throws {
        let publishers = clients.prefix(2).filter { $0.name != client.name }.map(\.name)
        for name in publishers {
            try await eventually("\(name)'s stream at \(client.name)'s", within: .seconds(60)) {
                client.others.contains { $0.name == name }
            }
            guard let stream = client.others.first(where: { $0.name == name }) else { continue }
            try await client.subscribe(stream)
        }
    }

    // MARK: - What must hold afterwards

    /// Waits until everyone is in, sees everyone, and gets frames.
    func settle() async throws {
        for client in clients {
            try await eventually("\(client.name) is in: \(client.events.suffix(8))", within: .seconds(90)) {
                client.session.state == .connected
            }
        }
        for client in clients {
            // Who vanished counts as there until the server has given up waiting.
            try await eventually("\(client.name) sees who is there", within: .seconds(120)) {
                Set(client.session.connections.compactMap(\.name))
                    == Set(clients.map(\.name)).subtracting([client.name])
                    && Set(client.session.streams.compactMap(\.name)) == Set(clients.prefix(2).map(\.name))
            }
            for subscriber in client.subscribers {
                try await client.waitForFrames(subscriber, within: .seconds(60))
            }
        }
    }

    func check() {
        for client in clients {
            #expect(client.totalsThatWentBack.isEmpty, "\(client.name)")
            check(client.events, of: client.name)
            for subscriber in client.subscribers { check(client.life(subscriber), of: client.name) }
        }
    }

    /// Reconnections begin and end in turn; a stream or connection comes before it goes, and not twice.
    private func check(_ events: [SessionEvent], of name: String) {
        var isAway = false
        var present: Set<String> = []
        #expect(events.first == .sessionDidConnect, "\(name)")
        for event in events.dropFirst() {
            switch event {
            case .sessionDidBeginReconnecting:
                #expect(!isAway, "\(name)")
                isAway = true
            case .sessionDidReconnect:
                #expect(isAway, "\(name)")
                isAway = false
            case .streamCreated(let stream): #expect(present.insert(stream.streamId).inserted, "\(name)")
            case .streamDestroyed(let stream): #expect(present.remove(stream.streamId) != nil, "\(name)")
            case .connectionCreated(let other):
                #expect(present.insert(other.connectionId).inserted, "\(name)")
            case .connectionDestroyed(let other):
                #expect(present.remove(other.connectionId) != nil, "\(name)")
            case .sessionDidConnect, .sessionDidDisconnect, .didFailWithError:
                Issue.record("\(name): \(event) in \(events)")
            default: break
            }
        }
        #expect(!isAway, "\(name)")
    }

    /// A subscription is lost and found in turn, after it has begun.
    private func check(_ life: [SubscriberLifeEvent], of name: String) {
        let turns = life.filter {
            [.didConnectToStream, .didDisconnectFromStream, .didReconnectToStream].contains($0)
        }
        let wanted = turns.indices.map { index -> SubscriberLifeEvent in
            index == 0
                ? .didConnectToStream
                : index.isMultiple(of: 2) ? .didReconnectToStream : .didDisconnectFromStream
        }
        #expect(turns == wanted, "\(name)")
        #expect(turns.last != .didDisconnectFromStream, "\(name)")
    }

    func end() async throws {
        for client in clients { await client.session.disconnect() }
        try await server.end()
    }
}
