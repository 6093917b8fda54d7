// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import Synchronization

/// A TCP connection over a line, of CUBIC, that sends as fast as the socket takes it: a number of bytes, or until it is stopped.
package final class BulkFlow: Sendable {
    private let sender: InternetSocket
    private let receiver: InternetSocket
    private let bytes: Int
    private let received = Atomic(0)
    private let isOver = Atomic(false)

    /// Connects, and sends from now on.
    package init(over line: Line, _ direction: NetworkConditions.Direction, bytes: Int = .max) throws {
        let listener = try InternetSocket(.tcp, in: line.server)
        let port = try listener.bind(line.serverAddress)
        try listener.listen()
        let client = try InternetSocket(.tcp, in: line.client)
        try client.connect(line.serverAddress, port: port)
        let server = try listener.accept()
        sender = direction == .up ? client : server
        receiver = direction == .up ? server : client
        try sender.useCubic()
        self.bytes = bytes
        Thread { [self] in send() }.start()
        Thread { [self] in receive() }.start()
    }

    /// The name of the sender's congestion control.
    package var congestionControl: String { sender.congestionControl }

    /// Bytes that have arrived, without headers.
    package var receivedBytes: Int { received.load(ordering: .relaxed) }

    /// Ends the connection; what is in the queues still arrives.
    package func stop() {
        isOver.store(true, ordering: .relaxed)
        sender.shutdown()
        receiver.shutdown()
    }

    private func send() {
        let chunk = [UInt8](repeating: 0x5A, count: 65_536)
        var left = bytes
        chunk.withUnsafeBytes { whole in
            while left > 0, !isOver.load(ordering: .relaxed) {
                let part = UnsafeRawBufferPointer(rebasing: whole[..<min(left, whole.count)])
                guard sender.send(part) else { return }
                left -= part.count
            }
        }
    }

    private func receive() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while !isOver.load(ordering: .relaxed) {
            let size = receiver.receive(buffer)
            guard size > 0 else { return }
            received.add(size, ordering: .relaxed)
        }
    }
}

extension Line {
    /// Runs what else uses the line, until the task is cancelled.
    package func carry(_ traffic: CrossTraffic) async throws {
        try await Task.sleep(for: .seconds(traffic.start))
        repeat {
            let flow = try BulkFlow(over: self, traffic.direction, bytes: traffic.bytes ?? .max)
            defer { flow.stop() }
            try await Task.sleep(for: .seconds(traffic.duration))
            flow.stop()
            guard let pause = traffic.pause else { return }
            try await Task.sleep(for: .seconds(pause))
        } while !Task.isCancelled
    }
}
