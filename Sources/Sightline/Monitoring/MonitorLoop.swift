// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import Synchronization
import WebRTCStats

/// The loop of a ``CallMonitor``: reads a report, has it observed, waits for the next tick.
final class MonitorLoop: Sendable {
    private struct State {
        var source: (any StatsSource)?
        /// Counts sources, so that a report that was asked of an old one can be told.
        var generation = 0
        var skippedTicks = 0
    }

    let inputs: any MonitorInputs
    private let roles: Set<StreamRole>
    private let interval: Duration
    private let quality: QualityConfiguration
    private let onReport: (@Sendable (ObservedReport) -> Void)?
    private let clock: SessionClock
    private let state = Mutex(State())

    init(_ roles: Set<StreamRole>, _ configuration: CallMonitorConfiguration, _ inputs: any MonitorInputs) {
        self.roles = roles
        self.inputs = inputs
        interval = configuration.boundedInterval
        quality = configuration.quality
        onReport = configuration.onReport
        clock = configuration.clock
    }

    var skippedTicks: Int { state.withLock { $0.skippedTicks } }

    func setSource(_ source: any StatsSource) {
        state.withLock { state in
            state.source = source
            state.generation += 1
        }
    }

    /// Runs until its task is cancelled.
    func run(_ send: @Sendable (CallObservation) -> Void) async {
        var observers = StreamObservers(roles, quality, onReport)
        var schedule = TickSchedule(interval: interval, start: clock.now())
        while !Task.isCancelled {
            await tick(&observers, send)
            let wait = schedule.wait(at: clock.now())
            state.withLock { $0.skippedTicks = schedule.skipped }
            do { try await clock.sleep(for: wait) } catch { return }
        }
    }

    private func tick(_ observers: inout StreamObservers, _ send: (CallObservation) -> Void) async {
        let (source, generation) = state.withLock { ($0.source, $0.generation) }
        guard let source else { return }
        do {
            let report = try await source.statistics()
            // A report of a peer connection that was replaced meanwhile would look like the new one's first.
            guard !Task.isCancelled, generation == state.withLock({ $0.generation }) else { return }
            for observation in observers.handle(report, inputs) { send(observation) }
        } catch {
            guard !Task.isCancelled else { return }
            send(.unavailable(SightlineError(.mediaEngine, "no statistics could be read: \(error)")))
        }
    }
}
