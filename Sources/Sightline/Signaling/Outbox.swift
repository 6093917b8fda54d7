// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol
import Synchronization

/// Messages on their way to the socket, in the order in which they were put in.
///
/// Not bounded: what goes in is requests, which wait for their answers, candidates, which are few, and one
/// message of telemetry at a time.
final class Outbox: Sendable {
    private let nextId = Mutex(1)
    private let continuation: AsyncStream<String>.Continuation
    /// For the one task that writes.
    let texts: AsyncStream<String>

    init() {
        (texts, continuation) = AsyncStream.makeStream()
    }

    deinit { continuation.finish() }

    /// A number for a message.
    func makeId() -> Int {
        nextId.withLock { id in
            defer { id += 1 }
            return id
        }
    }

    /// Puts a message in.
    ///
    /// - Throws: ``SightlineError`` if it cannot be written or is too long for the server.
    func send(_ message: ClientMessage) throws {
        let text = try MessageCoding.text(message)
        guard text.utf8.count <= SessionProtocol.messageLimit else {
            throw SightlineError(.invalidArgument, "a message to the server is longer than it accepts")
        }
        continuation.yield(text)
    }

    /// Lets the writer end after what is in.
    func finish() { continuation.finish() }
}
