// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOPosix
import Synchronization

/// A TCP port that takes whoever comes, and never says a word.
final class SilentPort: Sendable {
    /// Who came and who left.
    private final class Book: Sendable {
        let visitors = Mutex((came: 0, left: 0))
    }

    private let book: Book
    private let listener: any Channel
    let number: Int

    /// Someone has come.
    var hasVisitor: Bool { book.visitors.withLock { $0.came > 0 } }
    /// All who came have left.
    var isEmpty: Bool { book.visitors.withLock { $0.came == $0.left } }

    private init(_ listener: any Channel, _ book: Book) {
        self.listener = listener
        self.book = book
        number = listener.localAddress?.port ?? 0
    }

    /// Begins to listen, at a port of the system's choice.
    static func open() async throws -> SilentPort {
        let book = Book()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                book.visitors.withLock { $0.came += 1 }
                channel.closeFuture.whenComplete { _ in book.visitors.withLock { $0.left += 1 } }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return SilentPort(listener, book)
    }

    func close() async throws { try await listener.close() }
}
