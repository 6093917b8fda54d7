// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOSignaling
import NIOWebSocket
import Sightline
import TestSupport
import Testing

@Suite("A network that is cut", .timeLimit(.minutes(1)))
struct SignalingGateTests {
    private func withSocket(
        pingInterval: Duration,
        _ body: (TestServer, SignalingGate, any SignalingChannel) async throws -> Void
    ) async throws {
        let server = try await TestServer.start()
        let gate = SignalingGate()
        let transport = NIOSignalingTransport(pingInterval: pingInterval, gate: gate)
        let socket = try await transport.open(SignalingAddress("ws://127.0.0.1:\(server.port)"))
        try await body(server, gate, socket)
        gate.isOpen = true
        await socket.close()
        try await eventually("the server has no socket left") { server.sockets == 0 }
        try await server.stop()
    }

    @Test("What is said while it is cut for a moment arrives afterwards, in order")
    func shortCut() async throws {
        try await withSocket(pingInterval: .seconds(2)) { server, gate, socket in
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send("before")
            #expect(try await messages.next() == "before")
            let count = server.opcodes.count { $0 == .text }
            gate.isOpen = false
            let sending = Task { for number in 0..<5 { try await socket.send("\(number)") } }
            try await Task.sleep(for: .milliseconds(150))
            #expect(server.opcodes.count { $0 == .text } == count)
            gate.isOpen = true
            try await sending.value
            for number in 0..<5 { #expect(try await messages.next() == "\(number)") }
        }
    }

    @Test("The client notices that nothing comes any more; the server is not notified")
    func halfOpen() async throws {
        try await withSocket(pingInterval: .milliseconds(100)) { server, gate, socket in
            gate.isOpen = false
            await #expect(throws: SightlineError.self) { for try await _ in socket.messages {} }
            await socket.close()
            #expect(server.sockets == 1)
        }
    }

    @Test("Sockets are not opened before the network is back, and an attempt can be given up")
    func opening() async throws {
        let server = try await TestServer.start()
        let gate = SignalingGate()
        gate.isOpen = false
        let transport = NIOSignalingTransport(gate: gate)
        let address = try SignalingAddress("ws://127.0.0.1:\(server.port)")
        let given = Task { try await transport.open(address) }
        given.cancel()
        await #expect(throws: (any Error).self) { try await given.value }
        let waiting = Task { try await transport.open(address) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(server.sockets == 0)
        gate.isOpen = true
        await (try waiting.value).close()
        try await server.stop()
    }
}
