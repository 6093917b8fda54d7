// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOEmbedded
import NIOWebSocket
import Sightline
import Testing

@testable import NIOSignaling

/// The heartbeat of a client's socket, on virtual time.
@Suite("The heartbeat", .timeLimit(.minutes(1)))
struct HeartbeatTests {
    /// A socket without a network, which is pinged every two seconds.
    private struct Bench {
        let channel: NIOAsyncTestingChannel
        let socket: WebSocketChannel

        init() async throws {
            let channel = NIOAsyncTestingChannel()
            self.channel = channel
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
            socket = try await channel.testingEventLoop.executeInContext {
                try WebSocketChannel.make(on: channel, .seconds(2), packing: nil)
            }
        }

        func pass(_ seconds: Int64) async {
            await channel.testingEventLoop.advanceTime(by: .seconds(seconds))
        }

        /// Pings since the last look.
        func pings() async throws -> Int {
            var count = 0
            while let frame = try await channel.readOutbound(as: WebSocketFrame.self) {
                if frame.opcode == .ping { count += 1 }
            }
            return count
        }

        func answer() async throws {
            try await channel.writeInbound(WebSocketFrame(fin: true, opcode: .pong, data: ByteBuffer()))
        }
    }

    @Test("A server that answers is pinged once an interval, for as long as it does")
    func answers() async throws {
        let bench = try await Bench()
        for _ in 0..<20 {
            await bench.pass(2)
            #expect(try await bench.pings() == 1)
            try await bench.answer()
        }
        #expect(bench.channel.isActive)
    }

    @Test("A server that speaks by itself is not pinged")
    func speaks() async throws {
        let bench = try await Bench()
        for _ in 0..<5 {
            try await bench.channel.writeInbound(
                WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: "{}")))
            await bench.pass(2)
            #expect(try await bench.pings() == 0)
        }
        // Four intervals after it spoke it is gone, as any other.
        await bench.pass(5)
        #expect(try await bench.pings() == 2)
        #expect(bench.channel.isActive)
        await bench.pass(1)
        #expect(!bench.channel.isActive)
    }

    @Test("A server that has been silent for four intervals is gone, and not sooner")
    func silence() async throws {
        let bench = try await Bench()
        await bench.pass(2)
        try await bench.answer()
        await bench.pass(7)
        #expect(bench.channel.isActive)
        #expect(try await bench.pings() == 4)
        await bench.pass(1)
        #expect(!bench.channel.isActive)
        var messages = bench.socket.messages.makeAsyncIterator()
        let error = await #expect(throws: SightlineError.self) { _ = try await messages.next() }
        #expect(error?.code == .connectionLost && error?.message.contains("silent") == true)
    }
}
