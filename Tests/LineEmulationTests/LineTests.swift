// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LinkEmulation
import MediaEngine
import Testing

@testable import LineEmulation

@Suite struct TransportKindTests {
    @Test("the protocol is read from the header, and what is no IPv4 packet is something else")
    func kinds() {
        func kind(_ bytes: [UInt8]) -> TransportKind { bytes.withUnsafeBytes { TransportKind(packet: $0) } }
        var packet = [UInt8](repeating: 0, count: 28)
        packet[0] = 0x45
        packet[9] = 17
        #expect(kind(packet) == .udp)
        packet[9] = 6
        #expect(kind(packet) == .tcp)
        packet[9] = 1
        #expect(kind(packet) == .other)
        packet[0] = 0x60
        #expect(kind(packet) == .other)
        #expect(kind([]) == .other)
        #expect(kind([0x45, 17]) == .other)
    }

    @Test("the total is the sum of the protocols")
    func total() {
        var counters = LineCounters()
        counters[.udp].offered.add(100)
        counters[.tcp].offered.add(40)
        counters[.other].lost.add(7)
        #expect(counters.total.offered.packets == 2 && counters.total.offered.bytes == 140)
        #expect(counters.total.lost.bytes == 7 && counters.total.delivered.packets == 0)
    }
}

/// Real namespaces and sockets: what is counted is what happens, however slow the machine is.
@Suite(
    .serialized,
    .enabled(
        if: geteuid() == 0 && access("/dev/net/tun", R_OK | W_OK) == 0, "needs root and /dev/net/tun"))
struct LineTests {
    private func withLine(_ body: (LineNetwork, Line) throws -> Void) throws {
        let network = try LineNetwork()
        defer { network.close() }
        try body(network, try network.addLine("alice", NetworkConditions()))
    }

    private let probe = DatagramProbe(direction: .up, size: 100, interval: 1, count: 200)

    @Test("a TCP connection with a number of bytes carries those, and no more, with CUBIC")
    func boundedFlow() throws {
        try withLine { _, line in
            let flow = try BulkFlow(over: line, .down, bytes: 200_000)
            defer { flow.stop() }
            #expect(flow.congestionControl == "cubic")
            let deadline = Date(timeIntervalSinceNow: 10)
            while flow.receivedBytes < 200_000, Date() < deadline { Thread.sleep(forTimeInterval: 0.01) }
            Thread.sleep(forTimeInterval: 0.1)
            #expect(flow.receivedBytes == 200_000)
        }
    }

    @Test("datagrams arrive in order, and each that does not is counted")
    func datagrams() throws {
        try withLine { _, line in
            line.set(try NetworkConditions(parsing: "up:loss=20,jitter=5,stall_ms=20,stall_every_ms=50"))
            let outcome = try probe.run(over: line), counters = line.counters(.up).udp
            #expect(counters.offered.packets == 200 && counters.offered.bytes == 20_000)
            #expect(counters.delivered.packets == outcome.arrivals.count)
            #expect(counters.lost.packets == 200 - outcome.arrivals.count && counters.lost.packets > 0)
            #expect(outcome.arrivals.map(\.number) == outcome.arrivals.map(\.number).sorted())
            #expect(outcome.decisions.map(\.fate.isDelivered).filter { $0 }.count == outcome.arrivals.count)
        }
    }

    @Test("an outage of a direction stops it, and the other one not")
    func outage() throws {
        try withLine { _, line in
            line.set(try NetworkConditions(parsing: "up:outage=1"))
            let outcome = try probe.run(over: line)
            #expect(outcome.arrivals.isEmpty)
            #expect(line.counters(.up).udp.outage.packets == 200)
            let down = DatagramProbe(direction: .down, size: 100, interval: 1, count: 200)
            let other = try down.run(over: line)
            #expect(other.arrivals.count == 200)
        }
    }

    @Test("TCP of the kernel passes the line, and is counted as such")
    func tcp() throws {
        try withLine { _, line in
            let times = try PingPong.run(over: line, count: 20)
            #expect(times.count == 20)
            #expect(line.counters(.up).tcp.delivered.packets >= 20)
            #expect(line.counters(.down).tcp.delivered.packets >= 20)
            #expect(line.counters(.up).udp.offered.packets == 0)
        }
    }

    @Test("networks that are open at a time have the same names and addresses, and nothing of each other's")
    func several() throws {
        try withLine { _, one in
            one.set(try NetworkConditions(parsing: "up:outage=1"))
            try withLine { network, other in
                #expect(other.clientAddress == one.clientAddress)
                #expect(other.client.fullName != one.client.fullName)
                let outcome = try probe.run(over: other)
                #expect(outcome.arrivals.count == 200)
                #expect(one.counters(.up).total.offered.packets == 0)
                network.close()
                #expect(throws: LineFailure.self) { try network.addLine("bob", NetworkConditions()) }
            }
            one.set(NetworkConditions())
            let outcome = try probe.run(over: one)
            #expect(outcome.arrivals.count == 200)
        }
    }

    @Test("programs run at their end of the line, and what is left of them goes with it")
    func programs() throws {
        var names: [String] = []
        try withLine { network, line in
            names = [network.server.fullName, line.client.fullName]
            let client = line.client.process("ip -4 -o addr show dev eth0; exec sleep 1000")
            let output = Pipe()
            client.standardOutput = output
            try client.run()
            let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            #expect(text.contains(line.clientAddress))
            #expect(throws: LineFailure.self) { try network.addLine("alice", NetworkConditions()) }
            #expect(throws: LineFailure.self) { try network.addLine("../x", NetworkConditions()) }
            network.close()
            client.waitUntilExit()
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: "/run/netns")
        #expect(names.count == 2 && !names.contains(where: left.contains))
    }
}
