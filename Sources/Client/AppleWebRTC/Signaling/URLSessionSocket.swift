// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Sightline
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A WebSocket of a URLSession of its own.
final class URLSessionSocket: SignalingChannel {
    private static let messageLimit = 1 << 20
    /// This many ping intervals of silence mean that the server is gone.
    private static let missedPingLimit = 4

    let messages: AsyncThrowingStream<String, any Error>

    private let session: URLSession
    private let task: URLSessionWebSocketTask
    private let pingInterval: Duration
    private let continuation: AsyncThrowingStream<String, any Error>.Continuation
    private let heard = Mutex(ContinuousClock.now)
    private let work = Mutex<[Task<Void, Never>]>([])

    init(_ url: URL, pingInterval: Duration) {
        (messages, continuation) = AsyncThrowingStream.makeStream()
        self.pingInterval = pingInterval
        session = URLSession(configuration: .ephemeral)
        task = session.webSocketTask(with: url)
        task.maximumMessageSize = Self.messageLimit
    }

    deinit { session.invalidateAndCancel() }

    /// Opens the socket: it is open when the server has answered a ping.
    func open() async throws {
        task.resume()
        try await withTaskCancellationHandler {
            try await ping()
        } onCancel: {
            task.cancel()
        }
        let reader = Task { [task, continuation, weak self] in
            await Self.read(task, continuation) { self?.hear() }
        }
        let pinger = Task { [pingInterval, weak self] in
            // The interval is when to ask next; nothing is waited for.
            while (try? await Task.sleep(for: pingInterval)) != nil {
                guard let self, self.askAgain() else { return }
            }
        }
        work.withLock { $0 = [reader, pinger] }
    }

    func send(_ text: String) async throws { try await task.send(.string(text)) }

    func close() async {
        task.cancel(with: .normalClosure, reason: nil)
        continuation.finish()
        let work = work.withLock { $0 }
        for one in work { one.cancel() }
        session.invalidateAndCancel()
        for one in work { await one.value }
    }

    private func hear() { heard.withLock { $0 = .now } }

    private func ping() async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            // A pong and the end of the task may both be reported.
            let isReported = Mutex(false)
            task.sendPing { error in
                let isFirst = isReported.withLock { isReported in
                    defer { isReported = true }
                    return !isReported
                }
                if isFirst { done.resume(with: error.map { .failure($0) } ?? .success(())) }
            }
        }
        hear()
    }

    /// Asks the server whether it is there; `false` if it has been silent for too long.
    private func askAgain() -> Bool {
        let silence = ContinuousClock.now - heard.withLock { $0 }
        guard silence < pingInterval * Self.missedPingLimit else {
            task.cancel(with: .goingAway, reason: nil)
            continuation.finish(
                throwing: SightlineError(.connectionLost, "the session server has fallen silent"))
            return false
        }
        task.sendPing { [weak self] error in
            if error == nil { self?.hear() }
        }
        return true
    }

    private static func read(
        _ task: URLSessionWebSocketTask,
        _ continuation: AsyncThrowingStream<String, any Error>.Continuation,
        _ hear: () -> Void
    ) async {
        do {
            while true {
                let message = try await task.receive()
                hear()
                // The protocol has text only.
                if case .string(let text) = message { continuation.yield(text) }
            }
        } catch {
            let isOrderly = task.closeCode == .normalClosure || task.closeCode == .goingAway
            let reason = SightlineError(
                .connectionLost, "the session server's socket broke: \(error.localizedDescription)")
            continuation.finish(throwing: isOrderly ? nil : reason)
        }
    }
}
