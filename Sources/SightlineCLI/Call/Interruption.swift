// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Does something each time that a signal comes.
final class SignalWatch: Sendable {
    // Sources may be cancelled from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceSignal

    init(_ number: Int32, _ action: @escaping @Sendable () -> Void) {
        signal(number, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: action)
        source.resume()
    }

    func end() { source.cancel() }
}

/// Ctrl-C, and other reasons to end a command in good order.
///
/// A second one, of whatever kind, ends the process at once: those who ask again do not want to wait.
final class Interruption: Sendable {
    private struct State {
        var isRequested = false
        var isTermination = false
        var waiters: [UUID: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())
    // Only kept alive: no one touches them after `init`.
    private nonisolated(unsafe) var sources: [any DispatchSourceSignal] = []

    /// Takes over the signals for the rest of the process's lifetime.
    init() {
        // A reader that went away shows as a failed write, not as the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "sightline.signals")
        let numbers = [SIGINT, SIGTERM]
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [weak self] in
                // The next one gets through to the default, which ends the process.
                for number in numbers { signal(number, SIG_DFL) }
                self?.state.withLock { $0.isTermination = number == SIGTERM && !$0.isRequested }
                self?.request()
            }
            source.resume()
            return source
        }
    }

    /// Whether whoever asked for the end is a program that looks after this one, by SIGTERM.
    var isTermination: Bool { state.withLock { $0.isTermination } }

    /// Requests the end as Ctrl-C does.
    func request() {
        let waiters = state.withLock { state in
            state.isRequested = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        waiters.forEach { $0.resume() }
    }

    /// Returns when someone asked for the end, after `seconds`, or when the task is cancelled.
    func wait(seconds: Double?) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.request(orCancellationOf: UUID()) }
            if let seconds {
                group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func request(orCancellationOf waiter: UUID) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isRequested || Task.isCancelled { return true }
                    state.waiters[waiter] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
        }
    }
}
