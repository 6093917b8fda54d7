// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionWire

/// Sends what publishers and subscribers measure to the server.
final class TelemetrySender: Sendable {
    private struct State {
        var queue = TelemetryQueue()
        var paces: [LegName: TelemetryPace] = [:]
        /// What the uplink carries by the last sample of a publisher, bps.
        var estimate: Double?
    }

    /// Most legs whose pace is remembered.
    private static let paceLimit = 256

    private let state = Mutex(State())
    private let threshold: Double
    private let tick: Double
    private let signal: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let unixTime: @Sendable () -> Double

    /// - Parameters:
    ///   - threshold: Estimate of the uplink below which fewer samples are sent, bps.
    ///   - tick: Seconds between two samples of a leg.
    init(threshold: Double, tick: Double, unixTime: @escaping @Sendable () -> Double) {
        self.threshold = threshold
        self.tick = tick
        self.unixTime = unixTime
        (signal, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    /// Takes the figures of a leg's tick.
    func add(_ sample: StreamSample, leg: LegName, role: StreamRole) {
        let time = unixTime().rounded()
        state.withLock { state in
            if role == .publisher { state.estimate = sample.connectionEstimatedBandwidth }
            if state.paces[leg] == nil, state.paces.count >= Self.paceLimit { state.paces = [:] }
            var pace = state.paces[leg] ?? TelemetryPace(threshold: threshold, tick: tick)
            defer { state.paces[leg] = pace }
            let isUnsent = state.queue.isUnsent(leg)
            guard let sample = pace.tick(sample, estimate: state.estimate, isUnsent: isUnsent) else { return }
            var event = TelemetryEvent(eventId: Self.makeID(), capturedAt: time, leg: leg, sample: sample)
            event.interval = pace.interval
            state.queue.add(event)
        }
        continuation.yield()
    }

    /// An id that no other event of its millisecond has; short, for each message says it.
    private static func makeID() -> String { String(UInt64.random(in: 0..<(1 << 41)), radix: 36) }

    /// Sends until the task is cancelled or ``finish()`` is called.
    func run(_ request: @Sendable (ClientMessage.Body) async throws -> ServerMessage.Body) async {
        for await _ in signal {
            while !Task.isCancelled, let message = state.withLock({ $0.queue.next() }) {
                guard await send(message, request) else { break }
            }
        }
    }

    /// Forgets what waits: it is about legs that the server does not know any more.
    func reset() { state.withLock { $0 = State() } }

    /// Lets ``run(_:)`` end.
    func finish() { continuation.finish() }

    private func send(
        _ message: Telemetry, _ request: (ClientMessage.Body) async throws -> ServerMessage.Body
    ) async -> Bool {
        do {
            _ = try await request(.telemetry(message))
            state.withLock { $0.queue.acknowledge() }
            return true
        } catch let error as ServerError where error.code != .lostBase {
            state.withLock { $0.queue.discard() }
            return true
        } catch {
            // The next tick sends it again, and whole.
            state.withLock { $0.queue.retry() }
            return false
        }
    }
}
