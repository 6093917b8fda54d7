// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite("Small parts")
struct SmallPartsTests {
    @Test("a client may send a burst, and is slowed down to its rate after it; long messages count more")
    func pace() {
        var limiter = RateLimiter(perSecond: 10)
        let start = ContinuousClock.now
        for _ in 1...50 { #expect(limiter.delay(bytes: 100, at: start) == nil) }
        #expect(limiter.delay(bytes: 100, at: start) == .milliseconds(100))
        #expect(limiter.delay(bytes: 100, at: start + .seconds(1)) == nil)
        #expect(limiter.delay(bytes: 1 << 20, at: start + .seconds(1)) == .milliseconds(2500))
    }

    @Test("unmasking by words is unmasking by bytes")
    func unmasking() {
        var random = SeededRandom(seed: 3)
        for length in 0..<40 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let key = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            var buffer = ByteBuffer(bytes: [1, 2, 3] + bytes)
            buffer.moveReaderIndex(forwardBy: 3)
            buffer.unmask(key)
            #expect(Array(buffer.readableBytesView) == bytes.enumerated().map { $1 ^ key[$0 % 4] })
        }
    }

    @Test("fragments become one message, up to the limit and no further")
    func fragments() {
        func frame(_ opcode: WebSocketOpcode, _ text: String, fin: Bool) -> WebSocketFrame {
            WebSocketFrame(fin: fin, opcode: opcode, data: ByteBuffer(string: text))
        }
        var assembler = MessageAssembler(limit: 6, fragments: 1024)
        #expect(assembler.take(frame(.text, "ab", fin: false)) == nil)
        #expect(assembler.take(frame(.continuation, "cd", fin: false)) == nil)
        #expect(assembler.take(frame(.continuation, "ef", fin: true)) == .text(ByteBuffer(string: "abcdef")))
        #expect(assembler.take(frame(.binary, "x", fin: false)) == nil)
        #expect(assembler.take(frame(.continuation, "x", fin: true)) == .unreadable)
        #expect(assembler.take(frame(.continuation, "x", fin: true)) == .unreadable)
        #expect(assembler.take(frame(.text, "abcd", fin: false)) == nil)
        #expect(assembler.take(frame(.continuation, "efg", fin: true)) == .tooLarge)
        #expect(assembler.take(frame(.text, "a", fin: true)) == nil)
        #expect(assembler.fail() == nil)
    }

    @Test(
        "credentials are read as HTTP writes them",
        arguments: [
            ("Basic YXBwOnNlY3JldA==", true), ("basic  YXBwOnNlY3JldA==", true),
            ("Basic YXBwOnNlY3JldDI=", false),
            ("Basic YXBwOg==", false), ("Basic YXBw", false), ("Bearer YXBwOnNlY3JldA==", false),
            ("Basic !", false),
            ("", false), ("Basic", false),
        ])
    func credentials(header: String, isRight: Bool) {
        let wanted = BasicCredentials(name: "app", password: "secret")
        #expect((BasicCredentials(authorization: header)?.matches(wanted) ?? false) == isRight)
    }

    @Test("a router that keeps failing is started at once, then less and less often")
    func pauses() {
        let pauses = (0...8).map(RouterSupervisor.pause(afterFailures:))
        #expect(pauses[...3] == [.zero, .zero, .milliseconds(250), .milliseconds(500)])
        #expect(pauses.last == .seconds(4))
    }

    @Test("memory is given back when hundreds of connections have gone, and not for each")
    func memoryReturn() {
        var memory = MemoryReturn()
        let due = [10, 1000, 900, 801, 800, 650, 600, 599, 1].map { memory.isDue(connections: $0) }
        #expect(due == [false, false, false, false, true, false, true, false, true])
        // And once a minute, because those who come and go scatter what is in use.
        let steady = (0..<24).map { _ in memory.isDue(connections: 1) }
        #expect(steady.indices.filter { steady[$0] } == [11, 23])
    }
}
