// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import RouterProtocol
import Synchronization

/// What is on its way to the router, in order.
final class RouterOutlet: Sendable {
    /// Bytes that may wait; a router that lets more pile up counts as stuck.
    static let backlog = 16 << 20

    let lines: AsyncStream<ByteBuffer>
    private let queue: AsyncStream<ByteBuffer>.Continuation
    private let bytes = Mutex(0)
    /// Ends the connection to the router.
    let abort: @Sendable () -> Void

    /// - Parameter abort: Ends the connection to the router.
    init(abort: @escaping @Sendable () -> Void) {
        // Without a bound of its own: `bytes` counts, and no command may get lost.
        (lines, queue) = AsyncStream.makeStream()
        self.abort = abort
    }

    /// Queues a command.
    func send(_ command: RouterCommand) {
        guard let line = try? command.line() else { return }
        let total = bytes.withLock { bytes in
            bytes += line.count
            return bytes
        }
        guard total <= Self.backlog else { return abort() }
        queue.yield(ByteBuffer(bytes: line + [UInt8(ascii: "\n")]))
    }

    /// Notes that a line has been handed over.
    func sent(_ line: ByteBuffer) {
        bytes.withLock { $0 -= line.readableBytes - 1 }
    }
}
