// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOEmbedded
import NIOWebSocket
import SessionProtocol
import TestSupport
import Testing

@testable import SessionServer

@Suite("Small parts")
struct SmallPartsTests {
    @Test("ids are new once each, in any order, and memory stays bounded")
    func usedNumbers() {
        var used = UsedNumbers()
        for number in [1, 2, 5, 4, 3, 1000] { #expect(used.insert(number) == true) }
        for number in [1, 2, 3, 4, 5, 1000, 0, -1] { #expect(used.insert(number) == false) }
        #expect(used.insert(6) == true)
        for number in 0..<(3 * UsedNumbers.memory) { _ = used.insert(2000 + 2 * number) }
        // The gaps have been given up from below, not the newest numbers.
        #expect(used.insert(7) == false)
        #expect(used.insert(2000 + 2 * (3 * UsedNumbers.memory - 1)) == false)
        #expect(used.insert(.max) == true)
        #expect(used.insert(.max) == false)
    }

    @Test(
        "runs of ids that end where numbers end are taken one by one, in either order",
        arguments: [Int.max, SessionProtocol.numberLimit], [false, true])
    func usedNumbersAtTheEnd(last: Int, isBackwards: Bool) {
        let run = (last - 3 * UsedNumbers.memory)...last
        var used = UsedNumbers()
        var taken = 0
        for number in isBackwards ? Array(run.reversed()) : Array(run) where used.insert(number) {
            taken += 1
        }
        // Backwards, what comes after the memory is full counts as used.
        #expect(taken == (isBackwards ? UsedNumbers.memory + 1 : run.count))
        for number in run where used.insert(number) { Issue.record("\(number) was new twice") }
        #expect(used.beyond.count <= UsedNumbers.memory)
    }

    @Test(
        "no id is new twice, and only those far below the newest ones are taken for used",
        arguments: Seed.draw(12))
    func usedNumbersByModel(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var used = UsedNumbers()
        var model: Set<Int> = []
        let edges = [0, 1, 5000, SessionProtocol.numberLimit, .max - 2000, .max]
        for _ in 0..<4000 {
            let edge = edges[Int.random(in: 0..<edges.count, using: &random)]
            let step = Int.random(in: -1500...1500, using: &random)
            let number = edge > .max - 1500 && step > 0 ? edge - step : edge + step
            let isNew = used.insert(number)
            guard number >= 1 else {
                #expect(!isNew)
                continue
            }
            let wasNew = model.insert(number).inserted
            if isNew { #expect(wasNew, "\(number) was new twice") }
            if wasNew, !isNew {
                #expect(model.count { $0 > number } >= UsedNumbers.memory, "\(number) was not new")
            }
            #expect(used.beyond.count <= UsedNumbers.memory + 1)
        }
    }

    @Test("the last names are known, older ones forgotten")
    func recentNames() {
        var names = RecentNames(capacity: 3)
        for name in ["a", "b", "c"] { #expect(names.insert(name) == true) }
        #expect(names.insert("a") == false)
        #expect(names.insert("d") == true)
        #expect(names.insert("a") == true)
        #expect(names.insert("c") == false)
        #expect(names.insert("b") == true)
    }

    @Test("a client may send a burst, and is slowed down to its rate after it; long messages count more")
    func pace() {
        var pace = Pace(perSecond: 10)
        let start = ContinuousClock.now
        for _ in 1...50 { #expect(pace.delay(bytes: 100, at: start) == nil) }
        #expect(pace.delay(bytes: 100, at: start) == .milliseconds(100))
        #expect(pace.delay(bytes: 100, at: start + .seconds(1)) == nil)
        #expect(pace.delay(bytes: 1 << 20, at: start + .seconds(1)) == .milliseconds(2500))
    }

    @Test(
        "names of legs are read back, and nothing else is",
        arguments: ["", "leg-", "leg-x", "LEG-1", "leg--1"])
    func legNames(_ other: String) {
        #expect(LegID(name: LegID(number: 7).name) == LegID(number: 7))
        #expect(LegID(name: other) == nil)
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

    @Test("lines come whole however they are cut, and one over the limit ends the channel")
    func lines() throws {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(LineDecoder(limit: 4)))
        for piece in ["a", "b\nc", "d\n\nef", "gh\n"] { try channel.writeInbound(ByteBuffer(string: piece)) }
        var lines: [String] = []
        while let line = try channel.readInbound(as: ByteBuffer.self) { lines.append(String(buffer: line)) }
        #expect(lines == ["ab", "cd", "", "efgh"])
        #expect(throws: LineDecoder.TooLong.self) { try channel.writeInbound(ByteBuffer(string: "12345")) }
        _ = try? channel.finish()
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
    }
}
