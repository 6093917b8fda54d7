// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import NIOHTTP1
import SessionWire
import Synchronization
import TestSupport
import Testing

@testable import SessionServer

/// When reports of observed calls are answered, whatever the store does.
@Suite("Reports and the store", .timeLimit(.minutes(3)))
struct ObservedStorageTests {
    private static func token() async throws -> String {
        try await APITokens(applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
            .token([.observe], observer: .init(call: "call", participant: "alice")).token
    }

    private static func report(_ second: Int) -> String {
        let time = 1_700_000_000_000 + 1000 * second
        return
            #"{"reports":[{"time":\#(time),"report":[{"id":"O","type":"outbound-rtp","kind":"audio","ssrc":7,"packetsSent":\#(50 * second),"timestamp":\#(time)}]}]}"#
    }

    private static func post(
        _ second: Int, _ server: TestServer, headers: HTTPHeaders = [:]
    ) async throws -> TestHTTP.Answer {
        var fields: HTTPHeaders = ["Authorization": "Bearer \(try await token())"]
        fields.add(contentsOf: headers)
        return try await TestHTTP.request(
            .POST, "/v1/calls/call/reports", port: server.port, body: report(second), headers: fields)
    }

    private static func samples(_ store: GatedStore) async throws -> Int {
        try await store.samples(.init(session: "call"))?.items.count ?? 0
    }

    private static func socket(_ server: TestServer) async throws -> TestSocket {
        let socket = try await TestSocket.connect(port: server.port, path: "/v1/calls/call/reports")
        try await socket.send(text: #"{"token":"\#(try await token())"}"#)
        #expect(try await text(socket) == #"{"status":200}"#)
        return socket
    }

    private static func text(
        _ socket: TestSocket, within time: Duration = .seconds(20)
    ) async throws -> String {
        let event = try await socket.next(within: time)
        guard case .unreadable(let text) = event else {
            throw TestSocket.Unexpected(description: "expected an answer, got \(event)")
        }
        return text
    }

    /// The next answer, after what confirms that a message has come: a busy machine takes its time to store something.
    private static func answer(_ socket: TestSocket) async throws -> String {
        var text = confirmation
        while text == confirmation { text = try await self.text(socket) }
        return text
    }

    private static let confirmation = #"{"received":true}"#

    @Test("a request is answered once its reports are stored, and not before")
    func request() async throws {
        let store = try GatedStore()
        try await TestServer.run(store: store) { server in
            let isAnswered = Mutex(false)
            async let answer = {
                let answer = try await Self.post(1, server)
                isAnswered.withLock { $0 = true }
                return (answer, try await Self.samples(store))
            }()
            try await eventually("it is about to be stored") { store.isWaiting }
            #expect(!isAnswered.withLock { $0 })
            store.open()
            let (given, stored) = try await answer
            #expect(given.status == 200 && stored == 1)
        }
    }

    @Test("on a socket it is confirmed meanwhile that a message has come")
    func socket() async throws {
        let store = try GatedStore()
        try await TestServer.run(store: store) { server in
            let socket = try await Self.socket(server)
            try await socket.send(text: Self.report(1))
            #expect(try await Self.text(socket) == Self.confirmation)
            #expect(store.isWaiting)
            store.open()
            #expect(try await Self.answer(socket) == #"{"accepted":1,"status":200}"#)
            #expect(try await Self.samples(store) == 1)
            await socket.close()
        }
    }

    @Test("who waits for long is asked to send it again, which counts once and is answered when it is stored")
    func late() async throws {
        let store = try GatedStore()
        store.fail()
        try await TestServer.run(store: store) { server in
            let socket = try await Self.socket(server)
            try await socket.send(text: Self.report(1))
            let answer = try await Self.post(2, server)
            #expect(answer.status == 503 && answer.headers.first(name: "Retry-After") != nil)
            #expect(try await Self.text(socket) == Self.confirmation)
            #expect(try await Self.answer(socket).contains(#""status":503"#))
            store.open()
            #expect(try await Self.post(2, server).status == 200)
            try await socket.send(text: Self.report(1))
            #expect(try await Self.answer(socket) == #"{"accepted":1,"status":200}"#)
            #expect(try await Self.samples(store) == 2)
            await socket.close()
        }
    }

    @Test("what there is no room for is refused, and what came before is stored")
    func full() async throws {
        let store = try GatedStore { $0.queueLimit = 4 }
        try await TestServer.run(store: store) { server in
            // With it the call begins, which is not dropped.
            async let first = Self.post(1, server)
            try await eventually("it is about to be stored") { store.isWaiting }
            #expect(try await Self.post(2, server).status == 429)
            store.open()
            #expect(try await first.status == 200)
            #expect(try await Self.post(3, server).status == 200)
            #expect(try await Self.samples(store) == 2)
        }
    }

    @Test("another server that is never heard when it is stored does not wait for that")
    func passedOn() async throws {
        let store = try GatedStore()
        try await TestServer.run(store: store) { (server: TestServer) async throws in
            let headers: HTTPHeaders = ["Sightline-Node": "n2", "Prefer": "respond-async"]
            #expect(try await Self.post(1, server, headers: headers).status == 202)
            #expect(try await Self.samples(store) == 0)
            store.open()
            // No one else does.
            #expect(try await Self.post(2, server, headers: ["Prefer": "respond-async"]).status == 200)
            #expect(try await Self.samples(store) == 2)
        }
    }

    @Test("a server that ends stores and answers what it has")
    func end() async throws {
        let store = try GatedStore()
        let answer = Mutex<Task<Int?, Never>?>(nil)
        try await TestServer.run(store: store) { server in
            answer.withLock { $0 = Task { try? await Self.post(1, server).status } }
            try await eventually("it is about to be stored") { store.isWaiting }
            await server.server.shutdown()
            store.open()
        }
        let task = answer.withLock { $0 }
        #expect(await task?.value == 200)
    }
}
