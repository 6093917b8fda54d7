// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import SessionWire
import Synchronization
import TestSupport
import Testing

@testable import SessionServer

@Suite("What happens, as it happens", .timeLimit(.minutes(3)))
struct LiveTests {
    /// A client that publishes, on a server with a router.
    static func publisher(_ server: TestServer) async throws -> (TestSocket, session: String) {
        let session = try await server.server.createSession().session
        let (socket, _) = try await server.join(session, name: "alice")
        let request = ClientMessage.Publish(
            leg: "cam", content: .init(hasAudio: true, hasVideo: true), offer: "offer")
        try await socket.send(ClientMessage(id: 2, .publish(request)))
        guard case .published = try await socket.message().body else {
            throw TestSocket.Unexpected(description: "not published")
        }
        return (socket, session)
    }

    static func telemetry(_ id: Int, _ condition: String) -> ClientMessage {
        var sample = StreamSample()
        sample.networkCondition = NetworkCondition(name: condition)
        sample.networkConditionReason = .packetLoss
        let event = TelemetryEvent(
            eventId: "e\(id)", capturedAt: 1_700_000_000_000 + Double(id) * 1000, leg: "cam", sample: sample)
        return ClientMessage(id: id, .telemetry(.init(events: [event])))
    }

    /// Watches a session, does something once watching has begun, and continues until `end` is among what
    /// came.
    private static func watch(
        _ server: TestServer, _ session: String, until end: String,
        _ begun: @escaping @Sendable () async throws -> Void
    ) async throws -> String {
        let channel = try await TestHTTP.connect(port: server.port)
        let token = try await server.apiToken([.read])
        return try await within(.seconds(60), "\"\(end)\" among what is sent") {
            try await channel.executeThenClose { inbound, outbound in
                let headers: HTTPHeaders = ["Host": "localhost", "Authorization": "Bearer \(token)"]
                let head = HTTPRequestHead(
                    version: .http1_1, method: .GET, uri: "/v1/live?session=\(session)", headers: headers)
                try await outbound.write(.head(head))
                try await outbound.write(.end(nil))
                var text = ""
                for try await part in inbound {
                    guard case .body(let body) = part else { continue }
                    if text.isEmpty { try await begun() }
                    text += String(buffer: body)
                    if text.contains(end) { break }
                }
                return text
            }
        }
    }

    @Test("telemetry is acknowledged, stored, and sent to those who watch, with the alert that follows")
    func telemetryToEvents() async throws {
        try await TestServer.run { server in
            try await FakeRouter.attached(to: server) {
                let (socket, session) = try await Self.publisher(server)
                let text = try await Self.watch(server, session, until: "event: alert") {
                    for id in 3...6 {
                        try await socket.send(Self.telemetry(id, "critical"))
                        // What lasts less than a second is no alert, by the server's clock.
                        try await Task.sleep(for: .milliseconds(400))
                    }
                }
                #expect(text.hasPrefix("retry: 2000\n\n"))
                #expect(text.contains("event: sample\ndata: {"))
                for id in 3...6 {
                    guard case .acknowledged(let answer) = try await socket.message().body else {
                        Issue.record("not acknowledged")
                        return
                    }
                    #expect(answer.eventIds == ["e\(id)"])
                }
                let samples = try await server.get("/v1/sessions/\(session)/samples").json(Samples.self)
                #expect(samples.samples.count == 4)
                let alerts = try await server.get("/v1/alerts?session=\(session)").json(AlertList.self).alerts
                #expect(alerts.map(\.worst) == [.critical] && alerts.map(\.reason) == [.packetLoss])
                #expect(alerts.map(\.side) == [.local])
            }
        }
    }

    @Test("a listener who reads slowly loses the oldest, and sees it by the numbers")
    func slowListener() async throws {
        let feed = LiveFeed()
        let stream = try #require(feed.listen(session: nil))
        let flow = FlowDescription(session: "s", connection: "c", stream: "st", role: .publisher)
        var outcome = WriteOutcome()
        for number in 0..<(LiveFeed.capacity + 10) {
            let mark = EventMark(time: Double(number), capturedAt: 0, event: 0)
            outcome.changes.append(
                .sample(
                    flow,
                    .init(
                        flow: .init(connection: "c", number: 1), observer: .client, mark: mark,
                        sample: .init())))
        }
        feed.publish(outcome)
        feed.close()
        var numbers: [UInt64] = []
        for await message in stream { numbers.append(message.number) }
        #expect(numbers == Array(11...UInt64(LiveFeed.capacity + 10)))
        #expect(feed.figures.dropped == 10)
        #expect(feed.listen(session: nil) == nil)
    }

    /// Whoever cancels a task holds its lock while the stream tells the feed, and yielding to it wants that
    /// lock.
    @Test("listeners may be cancelled at the moment when they are notified")
    func cancellation() async throws {
        let rounds = 200
        let count = Mutex(0)
        let feed = LiveFeed()
        var outcome = WriteOutcome()
        outcome.changes.append(
            .event(.init(session: "s", mark: .init(time: 0, capturedAt: 0, event: 0), type: "x")))
        // Threads and an executor of their own: what hangs must not take the tests' threads with it.
        let executor = QueueExecutor()
        Thread.detachNewThread { [outcome] in
            while count.withLock({ $0 < rounds }) { feed.publish(outcome) }
        }
        Thread.detachNewThread {
            for round in 1...rounds {
                let isListening = DispatchSemaphore(value: 0)
                let listener = Task(executorPreference: executor) {
                    guard let stream = feed.listen(session: nil) else { return }
                    for await _ in stream { isListening.signal() }
                }
                isListening.wait()
                listener.cancel()
                count.withLock { $0 = round }
            }
        }
        try await eventually("all listeners were cancelled", within: .seconds(30)) {
            count.withLock { $0 == rounds }
        }
    }

    @Test("listeners are notified of their session only, and there is an end to their number")
    func listeners() async throws {
        let feed = LiveFeed()
        let own = try #require(feed.listen(session: "a"))
        var streams: [AsyncStream<LiveFeed.Message>] = []
        for _ in 1..<LiveFeed.limit { streams.append(try #require(feed.listen(session: "b"))) }
        #expect(feed.listen(session: nil) == nil)
        var outcome = WriteOutcome()
        for session in ["a", "b", "a"] {
            outcome.changes.append(
                .event(.init(session: session, mark: .init(time: 0, capturedAt: 0, event: 0), type: "x")))
        }
        feed.publish(outcome)
        feed.close()
        var numbers: [UInt64] = []
        for await message in own { numbers.append(message.number) }
        #expect(numbers == [1, 2])
    }
}
