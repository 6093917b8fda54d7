// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import WebRTCStats

/// A peer connection of a stream.
struct MonitoredSource: Sendable {
    let source: any StatsSource
    /// The subscriber that it leads to; `nil` unless it is a relayed publisher's.
    var connection: SubscriberConnection?
}

/// The loop of a ``CallMonitor``: reads a report, has it observed, waits for the next tick.
final class MonitorLoop: Sendable {
    private struct State {
        var sources: [MonitoredSource] = []
        /// Counts sources, so that a report requested from an old one can be recognized.
        var generation = 0
        var skippedTicks = 0
        /// Sends the reports to a server that observes the call; `nil` while no one asked for it.
        var uploader: ReportUploader?
    }

    private let inputs: any MonitorInputs
    private let roles: Set<StreamRole>
    private let interval: Duration
    private let quality: QualityConfiguration
    private let onReport: (@Sendable (RecordedReport) -> Void)?
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

    func setSource(_ source: any StatsSource) { setSources([MonitoredSource(source: source)]) }

    /// Sends the reports on; `nil` if nothing does.
    var uploader: ReportUploader? { state.withLock { $0.uploader } }

    func setUploader(_ uploader: ReportUploader) { state.withLock { $0.uploader = uploader } }

    func setSources(_ sources: [MonitoredSource]) {
        state.withLock { state in
            state.sources = sources
            state.generation += 1
        }
    }

    /// Runs until its task is cancelled.
    func run(_ send: @Sendable (CallMonitorEvent) -> Void) async {
        var observers = StreamObservers(roles, quality, onReport)
        var schedule = TickSchedule(interval: interval, start: clock.now())
        while !Task.isCancelled {
            await tick(&observers, send)
            let wait = schedule.wait(at: clock.now())
            state.withLock { $0.skippedTicks = schedule.skipped }
            do { try await clock.sleep(for: wait) } catch { return }
        }
    }

    private func tick(_ observers: inout StreamObservers, _ send: (CallMonitorEvent) -> Void) async {
        let (sources, generation) = state.withLock { ($0.sources, $0.generation) }
        guard !sources.isEmpty else { return }
        let (reports, failure) = await Self.read(sources)
        // A report of a peer connection that was replaced meanwhile would look like the new one's first.
        guard !Task.isCancelled, generation == state.withLock({ $0.generation }) else { return }
        let uploader = uploader
        for report in reports { uploader?.take(report.report, of: generation) }
        if !reports.isEmpty {
            for observation in observers.handle(reports, of: sources.compactMap(\.connection), inputs) {
                send(.observed(observation))
            }
        } else if let failure {
            send(.unavailable(SightlineError(.mediaEngine, "no statistics could be read: \(failure)")))
        }
    }

    /// Reads a report of each source; those that fail are omitted.
    private static func read(_ sources: [MonitoredSource]) async -> ([SourceReport], (any Error)?) {
        var reports: [SourceReport] = []
        var failure: (any Error)?
        for source in sources {
            do {
                reports.append(
                    SourceReport(report: try await source.source.statistics(), connection: source.connection))
            } catch { failure = error }
        }
        return (reports, failure)
    }
}

/// A report of one peer connection of a stream.
struct SourceReport: Sendable {
    let report: StatsReport
    /// The subscriber that it leads to; `nil` unless it is a relayed publisher's.
    var connection: SubscriberConnection?
}
