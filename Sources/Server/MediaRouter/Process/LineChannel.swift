// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import WebRTCStats

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines over a connected local socket, in both directions, on two threads of its own.
///
/// Reading never waits for writing, nor does ``send(_:isDroppable:)``: what the other side does not take in
/// time queues up. Lines marked droppable (reports) are dropped beyond ``droppableBacklog``; when the backlog
/// reaches ``maximumBacklog`` the other side counts as gone.
final class LineChannel: Sendable {
    /// Bytes.
    static let droppableBacklog = 1 << 20
    static let maximumBacklog = 16 << 20

    private struct Outbox {
        var lines: [[UInt8]] = []
        var bytes = 0
        var isClosed = false
    }

    private let socket: Int32
    private let lineLimit: Int
    private let condition = NSCondition()
    // Guarded by `condition`, which a `Mutex` cannot replace: the writer has to wait for lines.
    nonisolated(unsafe) private var outbox = Outbox()

    /// - Parameter socket: Stays open; whoever opened it closes it.
    init(socket: Int32, lineLimit: Int) {
        self.socket = socket
        self.lineLimit = lineLimit
    }

    /// Starts both threads.
    ///
    /// `onLine` and, last of all, once, `onEnd` run on the reading thread.
    func start(onLine: @escaping @Sendable (LineReader.Line) -> Void, onEnd: @escaping @Sendable () -> Void) {
        let reader = Thread { [self] in
            readLines(onLine)
            close()
            onEnd()
        }
        reader.name = "router-read"
        reader.start()
        let writer = Thread { [self] in writeLines() }
        writer.name = "router-write"
        writer.start()
    }

    /// Queues a line, without its end.
    func send(_ line: [UInt8], isDroppable: Bool) {
        condition.lock()
        defer { condition.unlock() }
        guard !outbox.isClosed, !isDroppable || outbox.bytes <= Self.droppableBacklog else { return }
        outbox.lines.append(line)
        outbox.bytes += line.count + 1
        if outbox.bytes > Self.maximumBacklog {
            outbox.isClosed = true
            // Ends the reading thread, and with it everything else.
            shutdown(socket, Int32(SHUT_RDWR))
        }
        condition.signal()
    }

    /// Stops writing once what is queued has been written.
    func close() {
        condition.lock()
        outbox.isClosed = true
        condition.signal()
        condition.unlock()
    }

    private func readLines(_ onLine: (LineReader.Line) -> Void) {
        var lines = LineReader(limit: lineLimit)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(socket, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            let complete = buffer.withUnsafeBytes {
                lines.read(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            for line in complete where line != .complete([]) { onLine(line) }
        }
    }

    private func writeLines() {
        while let lines = takeLines() {
            for line in lines where !write(line + [UInt8(ascii: "\n")]) {
                shutdown(socket, Int32(SHUT_RDWR))
                return close()
            }
        }
    }

    /// Waits for lines; `nil` when there will be none.
    private func takeLines() -> [[UInt8]]? {
        condition.lock()
        defer { condition.unlock() }
        while outbox.lines.isEmpty, !outbox.isClosed { condition.wait() }
        guard !outbox.lines.isEmpty else { return nil }
        defer {
            outbox.lines = []
            outbox.bytes = 0
        }
        return outbox.lines
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                // Without a signal when the other side is gone.
                Self.send(socket, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    private static func send(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.send(socket, bytes, count, Int32(MSG_NOSIGNAL))
        #else
        Darwin.send(socket, bytes, count, 0)
        #endif
    }
}
