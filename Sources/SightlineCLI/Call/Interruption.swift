// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Waits for Ctrl-C or the end of a time.
///
/// A second Ctrl-C ends the process at once: whoever presses it again does not want to wait for good manners.
final class Interruption: Sendable {
    private let requests: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    // Only kept alive: nobody touches them after `init`.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Takes the signals over for the rest of the process's life.
    init() {
        let (requests, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        self.requests = requests
        self.continuation = continuation
        // A reader that went away shows as a failed write, not as the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "sightline.signals")
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                // Restored: the next one gets through to the default, which ends the process.
                signal(number, SIG_DFL)
                continuation.yield()
            }
            source.resume()
            return source
        }
    }

    /// Asks for the end as Ctrl-C does.
    func request() { continuation.yield() }

    /// Returns when somebody asked for the end, after `seconds`, or when the task is cancelled.
    func wait(seconds: Double?) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [requests] in
                for await _ in requests { return }
            }
            if let seconds {
                group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
            }
            await group.next()
            group.cancelAll()
        }
    }
}
