// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import NIOCore
import NIOHTTP1
import NIOWebSocket
import SessionCore
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite("Sockets of those who mean no good", .timeLimit(.minutes(3)))
struct HostileSocketTests {
    @Test("a client that only pings and never reads is gone when its time to join is over")
    func deafPinger() async throws {
        var configuration = TestServer.configuration
        configuration.timeouts.join = .milliseconds(300)
        configuration.timeouts.goodbye = .milliseconds(100)
        // What stops it is that it reads nothing, not how much it sends.
        configuration.limits.framesPerSecond = 1_000_000
        try await TestServer.run(configuration) { server in
            let mallory = try await RawConnection.deafSocket(port: server.port)
            let pings = RawConnection.frames(.ping, Array(repeating: 7, count: 125), count: 1000)
            for _ in 0..<100 { mallory.push(pings) }
            try await eventually("its socket is gone") { server.server.connections.figures == .init() }
            await mallory.close()
        }
    }

    @Test("a deaf client that has joined is gone soon after the server says goodbye to it")
    func deafMember() async throws {
        var configuration = TestServer.configuration
        configuration.timeouts.goodbye = .milliseconds(100)
        configuration.limits.framesPerSecond = 1_000_000
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session, .moderator)
            let mallory = try await RawConnection.connect(port: server.port)
            try await mallory.send(RawConnection.upgrade())
            try await eventually("the upgrade") { mallory.text.hasPrefix("HTTP/1.1 101") }
            let join = ClientMessage(id: 1, .join(.init(token: try await server.token(session))))
            let text = Array(try join.json())
            var frame = ByteBuffer(bytes: [0x81, 0xFE])
            frame.writeInteger(UInt16(text.count))
            frame.writeBytes([0, 0, 0, 0] + text)
            mallory.push(frame)
            guard case .connectionCreated(let other) = try await alice.message().body else {
                Issue.record("mallory has not joined")
                return
            }
            try await mallory.readNothing()
            let pings = RawConnection.frames(.ping, Array(repeating: 7, count: 125), count: 1000)
            for _ in 0..<100 { mallory.push(pings) }
            try await alice.send(ClientMessage(id: 2, .forceDisconnect(.init(connection: other.id))))
            try await eventually("its socket is gone") { server.server.connections.figures.connections == 1 }
            #expect(server.server.connections.figures == .init(connections: 1, sockets: 1, newSockets: 0))
            await mallory.close()
        }
    }

    @Test("a flood of empty fragments ends the socket, and the answer says why")
    func emptyFragments() async throws {
        try await TestServer.run { server in
            let socket = try await TestSocket.connect(port: server.port)
            try await socket.send(.text, ByteBuffer(string: "{"), fin: false)
            for _ in 0..<100 { try? await socket.send(.continuation, ByteBuffer(), fin: false) }
            #expect(try await socket.error().code == .tooLarge)
            #expect(try await socket.end() == 1008)
        }
    }

    @Test("who has not joined sends no long messages, who has does")
    func longBeforeJoin() async throws {
        try await TestServer.run { server in
            let length = TestServer.configuration.limits.unjoinedMessageBytes + 1
            let mallory = try await TestSocket.connect(port: server.port)
            try await mallory.send(.text, ByteBuffer(repeating: 32, count: length))
            #expect(try await mallory.error().code == .tooLarge)
            #expect(try await mallory.end() == 1008)
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            var text = #"{"id":2,"type":"unpublish","leg":"x","filler":""#
            text += String(repeating: "y", count: length) + #""}"#
            try await alice.send(text: text)
            #expect(try await alice.error().code == .unknownLeg)
        }
    }

    @Test(
        "sockets that have not joined have a limit, and count until they are gone; those that have are not of them"
    )
    func socketLimits() async throws {
        var configuration = TestServer.configuration
        configuration.limits.unjoinedConnections = 1
        configuration.timeouts.goodbye = .seconds(60)
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            // The second is closed by the server as one too many, but does not go.
            let first = try await RawConnection.deafSocket(port: server.port)
            let second = try await RawConnection.deafSocket(port: server.port)
            func status() async throws -> String {
                let connection = try await RawConnection.connect(port: server.port)
                try await connection.send(RawConnection.upgrade())
                try await eventually("an answer, or the end") { connection.hasHead || connection.isOver }
                await connection.close()
                return String(connection.text.prefix(12))
            }
            #expect(try await status() == "HTTP/1.1 503")
            await first.close()
            try await eventually("the first is gone") { server.server.connections.figures.sockets == 2 }
            #expect(try await status() == "HTTP/1.1 101")
            await second.close()
            await alice.close()
        }
    }

    @Test("pages of other origins open no socket unless they are allowed to")
    func origins() async throws {
        var configuration = TestServer.configuration
        configuration.site.allowedOrigins = ["https://app.example.org"]
        try await TestServer.run(configuration) { (server) async throws in
            func status(_ fields: [String: String]) async throws -> String {
                let connection = try await RawConnection.connect(port: server.port)
                try await connection.send(RawConnection.upgrade(fields))
                try await eventually("an answer, or the end") { connection.hasHead || connection.isOver }
                await connection.close()
                return String(connection.text.prefix(12).suffix(3))
            }
            let own = "localhost:\(server.port)"
            #expect(try await status([:]) == "101")
            #expect(try await status(["Host": own, "Origin": "http://\(own)"]) == "101")
            #expect(try await status(["Origin": "https://app.example.org"]) == "101")
            #expect(try await status(["Origin": "https://evil.example.org"]) == "403")
            #expect(try await status(["Origin": "null"]) == "403")
            #expect(try await status(["Host": own, "Origin": "http://localhost:1"]) == "403")
            // A name that was made to lead here (DNS rebinding): the browser takes it for the page's own.
            let trick = ["Host": "evil.example.org", "Origin": "http://evil.example.org"]
            #expect(try await status(trick) == "421")
        }
    }

    @Test(
        "who is refused a socket gets an answer in JSON that says why, and the connection ends",
        arguments: [
            (["Origin": "https://evil.example.org"], 403, "forbidden"),
            (["Sec-WebSocket-Version": "7"], 426, "malformed"), (["Upgrade": "h2c"], 426, "malformed"),
            (["Content-Length": "3"], 415, "malformed"),
        ])
    func refusedUpgrade(fields: [String: String], status: Int, code: String) async throws {
        try await TestServer.run { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send(
                RawConnection.upgrade(fields) + (fields["Content-Length"] == nil ? "" : "abc"))
            try await eventually("an answer") { connection.text.contains("}}") || connection.isOver }
            #expect(connection.text.hasPrefix("HTTP/1.1 \(status)"))
            #expect(connection.text.contains(#""code":"\#(code)""#))
            try await eventually("the end") { connection.isOver }
            await connection.close()
        }
    }
}
