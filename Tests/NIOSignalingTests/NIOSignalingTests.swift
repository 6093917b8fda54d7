// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOHTTP1
import NIOSSL
import NIOSignaling
import NIOWebSocket
import Sightline
import TestSupport
import Testing

@Suite("Signalling on NIO", .timeLimit(.minutes(1)))
struct NIOSignalingTests {
    private func withSocket(
        _ transport: NIOSignalingTransport = NIOSignalingTransport(), packing: String? = nil,
        _ body: (TestServer, any SignalingChannel) async throws -> Void
    ) async throws {
        let server = try await TestServer.start(packing: packing)
        let socket = try await transport.open(SignalingAddress("ws://127.0.0.1:\(server.port)"))
        try await body(server, socket)
        await socket.close()
        try await eventually("the server has no socket left") { server.sockets == 0 }
        try await server.stop()
    }

    private func failure(_ address: String, _ transport: NIOSignalingTransport = NIOSignalingTransport())
        async throws
        -> SightlineError
    {
        let address = try SignalingAddress(address)
        let error = await #expect(throws: SightlineError.self) { _ = try await transport.open(address) }
        return try #require(error)
    }

    @Test("Texts pass in both directions, in order and whole, whatever is in them")
    func texts() async throws {
        try await withSocket { server, socket in
            let texts =
                ["{}", "", "ü 🙂 \u{0}", String(repeating: "y", count: 300_000)] + (0..<200).map { "\($0)" }
            for text in texts { try await socket.send(text) }
            var messages = socket.messages.makeAsyncIterator()
            for text in texts { #expect(try await messages.next() == text) }
            let head = try #require(server.heads.first)
            #expect(head.uri == "/v1/session")
            #expect(head.headers["Host"] == ["127.0.0.1:\(server.port)"])
        }
    }

    @Test(
        "A server that agrees to it gets packed messages, others plain ones",
        arguments: [
            ("permessage-deflate; server_no_context_takeover; client_max_window_bits=12", true),
            ("permessage-deflate; server_no_context_takeover; client_no_context_takeover", true),
            ("Permessage-Deflate;client_max_window_bits=\"9\"", true), ("permessage-deflate", true),
            ("permessage-deflate; client_max_window_bits=8", false),
            ("permessage-deflate; client_max_window_bits", false), ("permessage-deflate; other", false),
            ("permessage-deflate, permessage-deflate", false), ("", false), (";", false),
            ("permessage-deflate;=", false), (nil, false),
        ] as [(String?, Bool)])
    func packing(answer: String?, isPacked: Bool) async throws {
        try await withSocket(packing: answer) { server, socket in
            let texts =
                ["{}", "", "ü 🙂 \u{0}", String(repeating: "y", count: 300_000)]
                + (0..<100).map { #"{"type":"telemetry","number":\#($0)}"# }
                + (0..<3).map { _ in
                    String((0..<50_000).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "a" })
                }
            for text in texts { try await socket.send(text) }
            var messages = socket.messages.makeAsyncIterator()
            for text in texts { #expect(try await messages.next() == text) }
            let head = try #require(server.heads.first)
            #expect(head.headers["Sec-WebSocket-Extensions"].first?.hasPrefix("permessage-deflate;") == true)
            #expect(server.packedSizes.count == (isPacked ? texts.count - 1 : 0), "all but the empty one")
        }
    }

    @Test("What is like the messages before takes little, if the server keeps a window")
    func packedSizes() async throws {
        let answer = "permessage-deflate; server_no_context_takeover; client_max_window_bits=12"
        try await withSocket(packing: answer) { server, socket in
            var messages = socket.messages.makeAsyncIterator()
            for number in 0..<20 {
                try await socket.send(
                    #"{"type":"telemetry","events":[{"leg":"publication-1","number":\#(number)}]}"#)
                _ = try await messages.next()
            }
            #expect(server.packedSizes.dropFirst().allSatisfy { $0 <= 20 }, "\(server.packedSizes)")
        }
    }

    @Test(
        "What a server packs that agreed to it is what it was, in one frame and in fragments",
        arguments: [
            "permessage-deflate; server_no_context_takeover; client_max_window_bits=12",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=12",
        ])
    func packedTexts(answer: String) async throws {
        try await withSocket(packing: answer) { _, socket in
            var messages = socket.messages.makeAsyncIterator()
            for text in ["pack: ", "pack: ü 🙂 \u{0}", "pack: " + String(repeating: "a=rtpmap", count: 5000)] {
                try await socket.send(text)
                #expect(try await messages.next() == text)
                #expect(try await messages.next() == text)
                // What is not packed may come between.
                try await socket.send("{}")
                #expect(try await messages.next() == "{}")
            }
        }
    }

    @Test("A server that packs what it says ends the connection with a reason: it was not agreed on")
    func packedAnswer() async throws {
        try await withSocket { _, socket in
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("packed")
            let error = await #expect(throws: SightlineError.self) { _ = try await messages.next() }
            #expect(error?.code == .connectionLost && error?.message.contains("packs") == true)
        }
    }

    @Test("Fragments become one message, and messages may be nearly 1 MiB long")
    func fragments() async throws {
        try await withSocket { _, socket in
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("fragments")
            #expect(try await messages.next() == "one, two, three")
            try await socket.send("large")
            #expect(try await messages.next()?.count == 1_000_000)
        }
    }

    @Test("A ping of the server is answered with what it carries")
    func pong() async throws {
        try await withSocket { _, socket in
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("ping")
            #expect(try await messages.next() == "pong are you there")
        }
    }

    @Test("The server is pinged, and one that has been silent for long counts as gone")
    func silence() async throws {
        try await withSocket(NIOSignalingTransport(pingInterval: .milliseconds(250))) { server, socket in
            try await eventually("pings arrive and are answered") {
                server.opcodes.filter { $0 == .ping }.count >= 6
            }
            try await socket.send("deaf")
            var messages = socket.messages.makeAsyncIterator()
            let error = await #expect(throws: SightlineError.self) { _ = try await messages.next() }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test("Closing takes leave, ends the messages, and can be repeated")
    func closes() async throws {
        try await withSocket { server, socket in
            await socket.close()
            await socket.close()
            var messages = socket.messages.makeAsyncIterator()
            let last = try await messages.next()
            #expect(last == nil)
            // Between pings, if the machine is slow.
            #expect(server.opcodes.filter { $0 != .ping } == [.connectionClose])
            await #expect(throws: (any Error).self) { try await socket.send("late") }
        }
    }

    @Test("A server that does not answer a farewell is left after a second")
    func deafFarewell() async throws {
        try await withSocket { server, socket in
            try await socket.send("deaf")
            // Beside pings, if the machine is slow.
            try await eventually("it is deaf") { server.opcodes.filter { $0 != .ping } == [.text] }
            // For ever without that second.
            let time = await ContinuousClock().measure { await socket.close() }
            #expect(time >= .seconds(1))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == nil)
        }
    }

    @Test("A server that closes in order ends the messages; one that goes without a word is an error")
    func serverCloses() async throws {
        try await withSocket { _, socket in
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("close")
            #expect(try await messages.next() == nil)
        }
        try await withSocket { _, socket in
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("die")
            let error = await #expect(throws: SightlineError.self) { _ = try await messages.next() }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test("A socket that is released is closed")
    func letGo() async throws {
        let server = try await TestServer.start()
        var socket: (any SignalingChannel)? = try await NIOSignalingTransport().open(
            SignalingAddress("ws://127.0.0.1:\(server.port)"))
        try await eventually("it is open") { server.sockets == 1 }
        _ = socket
        socket = nil
        try await eventually("it is closed") { server.sockets == 0 }
        try await server.stop()
    }

    @Test("A server that is not running is distinguished from one that is no session server")
    func failures() async throws {
        let port = try DeafPort()
        let refused = try await failure("ws://127.0.0.1:\(port.number)")
        #expect(refused.code == .connectionFailed)
        #expect(
            refused.message.contains(
                "connection refused: is the server running there? (ws://127.0.0.1:\(port.number))"))
        withExtendedLifetime(port) {}

        let other = try await TestServer.start(refuses: true)
        let wrong = try await failure("ws://127.0.0.1:\(other.port)/elsewhere")
        #expect(wrong.code == .connectionFailed)
        #expect(wrong.message.contains("is it a session server?"))
        let noTLS = try await failure("wss://127.0.0.1:\(other.port)")
        #expect(noTLS.message.contains("TLS"))
        try await other.stop()
    }

    @Test("An attempt ends when its task is cancelled")
    func cancels() async throws {
        // It accepts and says nothing: without the cancellation the attempt would continue.
        let server = try await SilentPort.open()
        let address = try SignalingAddress("ws://127.0.0.1:\(server.number)")
        let task = Task { try await NIOSignalingTransport().open(address) }
        try await eventually("it is under way") { server.hasVisitor }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        try await eventually("nothing is left") { server.isEmpty }
        try await server.close()
    }
}
