// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import NIOCore
import NIOHTTP1
import NIOWebSocket
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite("Sockets of pages that report", .timeLimit(.minutes(5)))
struct ReportSocketTests {
    private static let path = "/v1/calls/room%207/reports"

    private struct Answer: Decodable, Equatable {
        var status: Int
        var accepted: Int?
        var restart: [String]?
        var retryAfter: Int?
    }

    private static func token(
        call: String = "room 7", lifetime: Duration = .seconds(600)
    ) async throws -> APITokenCreated {
        try await APITokens(applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
            .token([.observe], observer: .init(call: call, participant: "alice"), lifetime: lifetime)
    }

    private static func answer(_ socket: TestSocket) async throws -> Answer {
        while true {
            let event = try await socket.next()
            guard case .unreadable(let text) = event else {
                throw TestSocket.Unexpected(description: "expected an answer, got \(event)")
            }
            // A busy machine takes its time to store something.
            if text == #"{"received":true}"# { continue }
            return try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
        }
    }

    private static func connect(_ server: TestServer) async throws -> TestSocket {
        let socket = try await TestSocket.connect(port: server.port, path: path)
        try await socket.send(text: #"{"token":"\#(try await token().token)"}"#)
        #expect(try await answer(socket) == Answer(status: 200))
        return socket
    }

    /// The code with which a socket is closed after its answers.
    private static func end(_ socket: TestSocket) async throws -> UInt16? {
        while true {
            switch try await socket.next() {
            case .close(let code): return code
            case .end: return nil
            case .message, .unreadable: continue
            }
        }
    }

    private static func report(_ second: Int, of name: String = "p", isWhole: Bool = false) -> String {
        let time = 1_700_000_000_000 + 1000 * second
        let change = isWhole ? #"["outbound-rtp","O","ssrc",7,"packetsSent",50]"# : "[0,1,50]"
        let number = isWhole ? -1 : second
        return
            #"{"reports":[{"peerConnection":"\#(name)","time":\#(time),"changes":[\#(number),\#(isWhole ? time : 1000),\#(change)]}]}"#
    }

    private static func summary(_ server: TestServer) async throws -> TestHTTP.Answer {
        let tokens = try await APITokens(
            applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
        let reading = try await tokens.token([.read, .names]).token
        return try await TestHTTP.request(
            .GET, "/v1/sessions/room%207", port: server.port,
            headers: HTTPHeaders([("Authorization", "Bearer \(reading)")]))
    }

    @Test("each message is answered as the request would be that it stands for, and the call is there")
    func reports() async throws {
        try await TestServer.run(TestServer.configuration) { server in
            let socket = try await Self.connect(server)
            for (message, wanted) in [
                (Self.report(1, isWhole: true), Answer(status: 200, accepted: 1)),
                (Self.report(2), Answer(status: 200, accepted: 1)),
                (Self.report(3, of: "q"), Answer(status: 200, accepted: 0, restart: ["q"])),
                ("{", Answer(status: 400)), ("[]", Answer(status: 400)),
                (Self.report(3), Answer(status: 200, accepted: 1)),
                (#"{"reports":[{"peerConnection":"p","closed":true}]}"#, Answer(status: 200, accepted: 1)),
            ] {
                try await socket.send(text: message)
                #expect(try await Self.answer(socket) == wanted, "\(message)")
            }
            try await eventually("the call is stored") {
                try await Self.summary(server).status == 200
            }
            await socket.close()
        }
    }

    @Test("without a token that is good, and for this call, it says so and is closed")
    func tokens() async throws {
        try await TestServer.run { server in
            let other = try await Self.token(call: "another").token
            let reading = try await APITokens(
                applicationID: TestServer.applicationID, applicationSecret: TestServer.secret
            ).token([.read]).token
            for greeting in [
                "{}", #"{"token":"x"}"#, #"{"token":"\#(other)"}"#, #"{"token":"\#(reading)"}"#,
                Self.report(1, isWhole: true),
            ] {
                let socket = try await TestSocket.connect(port: server.port, path: Self.path)
                try await socket.send(text: greeting)
                #expect(try await Self.answer(socket) == Answer(status: 401), "\(greeting)")
                #expect(try await Self.end(socket) == 1008)
            }
            #expect(try await Self.summary(server).status == 404)
        }
    }

    @Test("one on which no token comes is closed")
    func silent() async throws {
        var configuration = TestServer.configuration
        configuration.timeouts.join = .milliseconds(200)
        try await TestServer.run(configuration) { server in
            let socket = try await TestSocket.connect(port: server.port, path: Self.path)
            #expect(try await Self.answer(socket) == Answer(status: 401))
            #expect(try await Self.end(socket) == 1008)
        }
    }

    @Test("it ends with its token, and what is too long or no message ends it")
    func ends() async throws {
        try await TestServer.run { server in
            let token = try await Self.token(lifetime: .seconds(6))
            let brief = try await TestSocket.connect(port: server.port, path: Self.path)
            try await brief.send(text: #"{"token":"\#(token.token)"}"#)
            #expect(try await Self.answer(brief) == Answer(status: 200))
            #expect(try await Self.answer(brief) == Answer(status: 401))
            #expect(try await Self.end(brief) == 1008)
            #expect(Date().timeIntervalSince1970 * 1000 >= token.expires)
            let long = try await Self.connect(server)
            try await long.send(text: "[" + String(repeating: " ", count: 1 << 18) + "]")
            #expect(try await Self.end(long) == 1008)
            let binary = try await Self.connect(server)
            try await binary.send(.binary, ByteBuffer(string: "{}"))
            #expect(try await Self.end(binary) == 1008)
        }
    }

    @Test("who offers to pack messages may, and what is packed is taken")
    func packed() async throws {
        try await TestServer.run { server in
            let connection = try await RawConnection.connect(port: server.port)
            let offer = ["Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"]
            try await connection.send(RawConnection.upgrade(offer).replacing("/v1/session", with: Self.path))
            try await eventually("an answer") { connection.hasHead }
            #expect(connection.text.hasPrefix("HTTP/1.1 101"))
            #expect(
                connection.text.lowercased().contains("\r\nsec-websocket-extensions: permessage-deflate;"))
            #expect(connection.text.contains("client_max_window_bits=12"))
            // A block that is stored as it is, in a frame that says that it is packed.
            let greeting = Array(#"{"token":"\#(try await Self.token().token)"}"#.utf8)
            let count = UInt16(greeting.count)
            var frame = ByteBuffer(bytes: [0xC1, 0x80 | 126])
            frame.writeInteger(count + 6)
            frame.writeBytes([0, 0, 0, 0, 0])
            frame.writeInteger(count, endianness: .little)
            frame.writeInteger(~count, endianness: .little)
            frame.writeBytes(greeting + [0])
            connection.push(frame)
            try await eventually("it is let in") { connection.text.contains(#"{"status":200}"#) }
            await connection.close()
        }
    }
}
