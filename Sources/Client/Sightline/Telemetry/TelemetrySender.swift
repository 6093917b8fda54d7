// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionWire
import Synchronization

/// Sends what publishers and subscribers measure to the server.
final class TelemetrySender: Sendable {
    private let queue = Mutex(TelemetryQueue())
    private let signal: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let unixTime: @Sendable () -> Double

    init(unixTime: @escaping @Sendable () -> Double) {
        self.unixTime = unixTime
        (signal, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    /// Takes the figures of a leg's tick.
    func add(_ sample: StreamSample, leg: String) {
        let event = TelemetryEvent(
            eventId: UUID().uuidString.lowercased(), capturedAt: unixTime(), leg: leg, sample: sample)
        queue.withLock { $0.add(event) }
        continuation.yield()
    }

    /// Sends until the task is cancelled or ``finish()`` is called.
    func run(_ request: @Sendable (ClientMessage.Body) async throws -> ServerMessage.Body) async {
        for await _ in signal {
            while !Task.isCancelled, let message = queue.withLock({ $0.next() }) {
                guard await send(message, request) else { break }
            }
        }
    }

    /// Forgets what waits: it is about legs that the server does not know any more.
    func reset() { queue.withLock { $0 = TelemetryQueue() } }

    /// Lets ``run(_:)`` end.
    func finish() { continuation.finish() }

    private func send(
        _ message: Telemetry, _ request: (ClientMessage.Body) async throws -> ServerMessage.Body
    ) async -> Bool {
        do {
            _ = try await request(.telemetry(message))
            queue.withLock { $0.acknowledge() }
            return true
        } catch is ServerError {
            queue.withLock { $0.discard() }
            return true
        } catch {
            // The next tick sends it again.
            queue.withLock { $0.retry() }
            return false
        }
    }
}
