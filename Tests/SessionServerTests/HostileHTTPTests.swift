// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Logging
import NIOCore
import NIOHTTP1
import SessionCore
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite("HTTP of those who mean no good", .timeLimit(.minutes(3)))
struct HostileHTTPTests {
    /// What a server answers to bytes before it closes the connection.
    private static func answer(_ server: TestServer, to bytes: String) async throws -> String {
        let connection = try await RawConnection.connect(port: server.port)
        try await connection.send(bytes)
        try await eventually("the connection's end") { connection.isOver }
        await connection.close()
        return connection.text
    }

    /// Long enough for a test on a busy machine to send what it has to in time.
    private static var hasty: SessionServerConfiguration {
        var configuration = TestServer.configuration
        configuration.timeouts.request = .seconds(3)
        return configuration
    }

    @Test("a head that is refused comes without a body, which would be taken for the next answer")
    func refusedHead() async throws {
        try await TestServer.run { server in
            for (path, status) in [("/livez", 405), ("/nothing", 404)] {
                let answer = try await Self.answer(
                    server, to: "HEAD \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
                #expect(answer.hasSuffix("\r\n\r\n"))
            }
        }
    }

    @Test(
        "a request that trickles is ended when its time is over, wherever it has got to",
        arguments: [
            "GET / HTTP/1.1\r\nHost: loc",
            "POST /v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
            "POST /v1/logout HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
        ])
    func trickle(start: String) async throws {
        try await TestServer.run(Self.hasty) { server in
            let answer = try await Self.answer(server, to: start)
            #expect(answer.hasPrefix("HTTP/1.1 408"), "\(answer)")
        }
    }

    @Test("a second request that trickles is ended as well")
    func trickleLater() async throws {
        try await TestServer.run(Self.hasty) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually("the first answer") { connection.text.contains("alive") }
            try await connection.send("GET /livez HTTP/1.1\r\n")
            try await eventually("the connection's end") { connection.isOver }
            #expect(connection.text.contains("HTTP/1.1 408"), "\(connection.text)")
            await connection.close()
        }
    }

    @Test("bytes that keep coming do not make a request's time longer")
    func keptAlive() async throws {
        try await TestServer.run(Self.hasty) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send(
                "POST /v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n")
            try await eventually("the connection's end") {
                try? await connection.send(" ")
                return connection.isOver
            }
            #expect(connection.text.hasPrefix("HTTP/1.1 408"))
        }
    }

    @Test("a connection without a request is closed in time, and without a word")
    func silence() async throws {
        try await TestServer.run(Self.hasty) { server in
            let answer = try await Self.answer(server, to: "")
            #expect(answer == "")
        }
    }

    @Test("a head that is too long is refused, in one field, in many, and in the address", arguments: 0..<3)
    func longHead(kind: Int) async throws {
        try await TestServer.run { server in
            let long = String(repeating: "x", count: 1 << 15)
            let fields = (0..<2000).map { "X-Field-\($0): yyyyyyyyyyyyyyyy\r\n" }.joined()
            let head =
                switch kind {
                case 0: "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: \(long)\r\n\r\n"
                case 1: "GET / HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
                default: "GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n"
                }
            let answer = try await Self.answer(server, to: head)
            #expect(answer.hasPrefix("HTTP/1.1 431"), "\(answer)")
        }
    }

    @Test(
        "what is no HTTP is refused, first and later",
        arguments: ["", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"])
    func nonsense(before: String) async throws {
        try await TestServer.run { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send(before)
            if !before.isEmpty {
                try await eventually("the first answer") { connection.text.contains("alive") }
            }
            try await connection.send("\u{16}\u{3}nonsense\r\n\r\n")
            try await eventually("the connection's end") { connection.isOver }
            #expect(connection.text.contains("HTTP/1.1 400"), "\(connection.text)")
        }
    }

    @Test("a body over the limit is refused on every path, whether or not it says how long it is")
    func longBodies() async throws {
        try await TestServer.run { server in
            let basic = Data("\(TestServer.applicationID):\(TestServer.secret)".utf8).base64EncodedString()
            let tokens = try await APITokens(
                applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
            let observer = ObserverDescription(call: "call", participant: "alice")
            let token = try await tokens.token([.observe], observer: observer).token
            for operation in try SchemaCheck().operations.sorted() {
                let parts = operation.split(separator: " ")
                let length = TestServer.configuration.limits.bodyBytes(ofPath: parts[1]) + 1
                let body = String(repeating: " ", count: length)
                // Where longer bodies are read, only a participant's are.
                let own = ObservedPath.contains(parts[1]) ? "Bearer \(token)" : "Basic \(basic)"
                let head = """
                    \(parts[0]) \(parts[1].replacing("{", with: "").replacing("}", with: "")) HTTP/1.1\r
                    Host: localhost\r
                    Authorization: \(own)\r

                    """
                for framing in [
                    "Content-Length: \(length)\r\n\r\n\(body)",
                    "Transfer-Encoding: chunked\r\n\r\n\(String(length, radix: 16))\r\n\(body)\r\n0\r\n\r\n",
                ] {
                    let connection = try await RawConnection.connect(port: server.port)
                    try await connection.send(head + framing)
                    try await eventually("an answer to \(operation)") { connection.text.contains("}}") }
                    #expect(connection.text.hasPrefix("HTTP/1.1 413"), "\(operation) \(framing.prefix(20))")
                    await connection.close()
                }
            }
        }
    }

    @Test("a body endlessly is not read for long")
    func endlessBody() async throws {
        try await TestServer.run(Self.hasty) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send(
                "POST /v1/logout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\n")
            try await eventually("the refusal") { connection.text.hasPrefix("HTTP/1.1 413") }
            let piece = ByteBuffer(repeating: 32, count: 1 << 16)
            try await eventually("the connection's end") {
                try? await connection.channel.writeAndFlush(piece)
                return server.server.connections.figures.connections == 0
            }
        }
    }

    @Test("someone who does not take the answers is not waited for")
    func deafReader() async throws {
        var configuration = TestServer.configuration
        configuration.timeouts.idle = .milliseconds(300)
        try await TestServer.run(configuration) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.readNothing()
            let request = "GET /vendor/chart.js/chart.mjs HTTP/1.1\r\nHost: localhost\r\n\r\n"
            connection.push(ByteBuffer(string: String(repeating: request, count: 300)))
            try await eventually("its end") { server.server.connections.figures.connections == 0 }
            await connection.close()
        }
    }

    @Test("connections have a limit, and so have those of one address; places become free")
    func connectionLimits() async throws {
        for perAddress in [true, false] {
            var configuration = TestServer.configuration
            if perAddress {
                configuration.limits.openConnectionsPerAddress = 2
            } else {
                configuration.limits.openConnections = 2
                configuration.limits.openConnectionsPerAddress = nil
            }
            try await TestServer.run(configuration) { server in
                let first = try await RawConnection.connect(port: server.port)
                let second = try await RawConnection.connect(port: server.port)
                try await eventually("two are counted") {
                    server.server.connections.figures.connections == 2
                }
                let third = try await RawConnection.connect(port: server.port)
                try await eventually("the third is closed") { third.isOver }
                await second.close()
                try await eventually("one is counted") { server.server.connections.figures.connections == 1 }
                let health = try await TestHTTP.request(.GET, "/livez", port: server.port)
                #expect(health.status == 200)
                await first.close()
            }
        }
    }

    @Test("connections are counted by address, of IPv6 by its network")
    func sources() throws {
        var limits = SessionServerLimits()
        limits.openConnectionsPerAddress = 1
        let gate = ConnectionGate(limits, logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        func enter(_ address: String) throws -> ConnectionGate.Place? {
            gate.enter(from: try SocketAddress(ipAddress: address, port: 1))
        }
        let first = try #require(try enter("192.0.2.1"))
        #expect(try enter("192.0.2.1") == nil)
        #expect(try enter("::ffff:192.0.2.1") == nil)
        #expect(try enter("192.0.2.2") != nil)
        #expect(try enter("2001:db8:1:1::1") != nil)
        #expect(try enter("2001:db8:1:1:ffff::2") == nil)
        #expect(try enter("2001:db8:1:2::1") != nil)
        // Local sockets have no address to be counted by.
        #expect(gate.enter(from: nil) != nil && gate.enter(from: nil) != nil)
        gate.leave(first)
        #expect(try enter("192.0.2.1") != nil)
        #expect(gate.figures.connections == 6)
    }
}
