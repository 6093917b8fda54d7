// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLineSystem
import Foundation
import MediaEngine

/// Datagrams over one direction of a line, each with its number and the time at which it was sent.
struct DatagramProbe {
    /// A datagram that arrived; times in ms.
    struct Arrival {
        var number: Int
        var sent: Double
        var received: Double

        var delay: Double { received - sent }
    }

    struct Outcome {
        var sent = 0
        var arrivals: [Arrival] = []
        /// What the link model decided about them, in the order in which they were sent.
        var decisions: [LinkForwarder.Decision] = []
        /// IP bytes of each.
        var size = 0
    }

    static let headerBytes = 28

    var direction: NetworkConditions.Direction
    /// IP bytes of each, at least 44.
    var size: Int
    /// Between two of them, ms.
    var interval: Double
    var count: Int

    /// Sends them all, and waits until nothing arrives for 1.5 s.
    func run(over line: Line) throws -> Outcome {
        let toServer = direction == .up
        let receiver = try InternetSocket(.udp, in: toServer ? line.server : line.client)
        let sender = try InternetSocket(.udp, in: toServer ? line.client : line.server)
        receiver.enlargeReceiveBuffer()
        receiver.setTimeout(milliseconds: 1_500)
        let address = toServer ? line.serverAddress : line.clientAddress
        try sender.connect(address, port: try receiver.bind(address))
        let forwarder = line.forwarder(direction)
        forwarder.startTrace()
        let receiving = Worker { Self.receive(from: receiver) }
        let sending = Worker { [self] in send(over: sender) }
        try sending.output()
        return Outcome(
            sent: count, arrivals: try receiving.output(), decisions: forwarder.takeTrace(), size: size)
    }

    private func send(over socket: InternetSocket) {
        _ = sl_line_prefer_thread()
        var payload = [Int64](repeating: 0, count: max(2, size / 8))
        let start = monotonicMicroseconds()
        for number in 0..<count {
            let due = start + Int64(Double(number) * interval * 1_000)
            let wait = due - monotonicMicroseconds()
            if wait > 0 { usleep(UInt32(wait)) }
            payload[0] = Int64(number)
            payload[1] = monotonicMicroseconds()
            payload.withUnsafeBytes {
                _ = socket.send(UnsafeRawBufferPointer(rebasing: $0[..<max(16, size - Self.headerBytes)]))
            }
        }
    }

    private static func receive(from socket: InternetSocket) -> [Arrival] {
        _ = sl_line_prefer_thread()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2_048, alignment: 16)
        defer { buffer.deallocate() }
        var arrivals: [Arrival] = []
        while socket.receive(buffer) >= 16 {
            let now = monotonicMicroseconds()
            arrivals.append(
                Arrival(
                    number: Int(buffer.load(as: Int64.self)),
                    sent: Double(buffer.load(fromByteOffset: 8, as: Int64.self)) / 1_000,
                    received: Double(now) / 1_000))
        }
        return arrivals
    }
}

/// Short messages to and fro over one TCP connection.
enum PingPong {
    /// Round trip times of `count` messages in ms.
    static func run(over line: Line, count: Int) throws -> [Double] {
        let listener = try InternetSocket(.tcp, in: line.server)
        let port = try listener.bind(line.serverAddress)
        try listener.listen()
        let client = try InternetSocket(.tcp, in: line.client)
        try client.connect(line.serverAddress, port: port)
        let server = try listener.accept()
        client.sendAtOnce()
        server.sendAtOnce()
        let echoing = Worker { echo(server) }
        let asking = Worker { ask(client, count) }
        let times = try asking.output()
        client.shutdown()
        try echoing.output()
        return times
    }

    private static func echo(_ socket: InternetSocket) {
        _ = sl_line_prefer_thread()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
        defer { buffer.deallocate() }
        while socket.receive(buffer) > 0 { _ = socket.send(UnsafeRawBufferPointer(rebasing: buffer[..<8])) }
    }

    private static func ask(_ socket: InternetSocket, _ count: Int) -> [Double] {
        _ = sl_line_prefer_thread()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        defer { buffer.deallocate() }
        var times: [Double] = []
        for _ in 0..<count {
            let start = monotonicMicroseconds()
            _ = socket.send(UnsafeRawBufferPointer(rebasing: buffer[..<8]))
            guard socket.receive(buffer) > 0 else { break }
            times.append(Double(monotonicMicroseconds() - start) / 1_000)
        }
        return times
    }
}
