// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Logging
import Synchronization

/// Sends metrics and traces to a collector, one request after the other.
///
/// Metrics are totals, so that the next ones make up for what was lost. Spans are kept while the collector is not there.
final class OTLPExporter: Sendable {
    struct Figures: Sendable {
        /// Exports that failed.
        var failed: UInt64 = 0
        /// Spans that could not be exported.
        var droppedSpans: UInt64 = 0
    }

    /// What is exported, by the path of its requests.
    private enum Signal: String {
        case metrics = "v1/metrics"
        case traces = "v1/traces"
    }

    private struct State {
        var figures = Figures()
        /// Those of which it was said that they cannot be exported.
        var failing: Set<Signal> = []
    }

    /// Spans of one request.
    private static let batch = 512
    /// Events of one request: some 2 MB, of which one span may have a thirtieth.
    private static let eventBatch = 4000
    /// For one request.
    static let requestTimeout: Duration = .seconds(5)
    /// For everything that is exported at the end.
    static let finalExportTimeout: Duration = .seconds(8)

    /// Of the calls since the server began; `nil` if none are exported.
    let traces: CallTraces?
    private let configuration: SessionServerConfiguration.OTLPExport
    private let resource: OTLP.Resource
    private let logger: Logger
    private let startedAt: Double
    private let state = Mutex(State())

    /// - Parameter startedAt: When the server's figures began, Unix ms.
    init(
        _ configuration: SessionServerConfiguration.OTLPExport, build: SessionServerConfiguration.Build,
        startedAt: Double, logger: Logger
    ) {
        self.configuration = configuration
        self.logger = logger
        self.startedAt = startedAt
        let instance = UUID().uuidString.lowercased()
        resource = .init(build: build, instance: instance)
        traces = configuration.hasTraces ? CallTraces(run: instance) : nil
    }

    var figures: Figures {
        var figures = state.withLock { $0.figures }
        figures.droppedSpans += traces?.dropped ?? 0
        return figures
    }

    /// Exports each `interval` until the task is cancelled.
    func run(_ collector: MetricCollector, every interval: Duration) async {
        while (try? await Task.sleep(for: interval)) != nil {
            await exportMetrics(collector)
            await exportTraces()
        }
    }

    /// Exports once more, within `timeout`, also if the task is cancelled; spans that are left then are dropped.
    func finish(_ collector: MetricCollector, within timeout: Duration = finalExportTimeout) async {
        await Task {
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    await self.exportMetrics(collector)
                    await self.exportTraces(isLast: true)
                }
                tasks.addTask { try? await Task.sleep(for: timeout) }
                await tasks.next()
                tasks.cancelAll()
            }
            guard let left = self.traces?.dropAll(), left > 0 else { return }
            self.logger.warning(
                "the collector did not take the last spans in time", metadata: ["spans": "\(left)"])
        }.value
    }

    private func exportMetrics(_ collector: MetricCollector) async {
        let metrics = await collector.metrics
        let now = Date().unixTime
        let request = OTLPMetrics(metrics, from: resource, since: startedAt, at: now)
        guard let body = try? OTLP.body(request) else { return }
        _ = await send(body, .metrics)
    }

    private func exportTraces(isLast: Bool = false) async {
        guard let traces else { return }
        traces.turn(isLast: isLast)
        var size = Self.batch
        while !Task.isCancelled {
            let spans = traces.takeSpans(size, events: Self.eventBatch)
            guard !spans.isEmpty, let body = try? OTLP.body(OTLPTraces(spans, from: resource)) else { return }
            switch await send(body, .traces) {
            case .taken(let rejected): drop(min(spans.count, rejected))
            case .tooLarge where spans.count > 1:
                traces.putBack(spans)
                size = spans.count / 2
            case .refused, .tooLarge: drop(spans.count)
            case .postponed: return traces.putBack(spans)
            }
        }
    }

    private func drop(_ spans: Int) {
        state.withLock { $0.figures.droppedSpans += UInt64(spans) }
    }

    /// Outcome of a request.
    private enum Outcome {
        /// Taken, but for a number of spans or points that the collector rejects for good.
        case taken(rejected: Int)
        case refused, postponed
        /// Less at once may be taken.
        case tooLarge
    }

    private func send(_ body: Data, _ signal: Signal) async -> Outcome {
        let request = OutgoingRequest(
            posting: body, to: configuration.endpoint.appending(path: signal.rawValue),
            headers: configuration.headers)
        let outcome = await request.outcome(within: Self.requestTimeout)
        let answer = try? outcome.get()
        // Whether it has come no one knows: metrics come again, spans of an id are the same.
        guard answer != nil || !Task.isCancelled else { return .postponed }
        let rejected = answer.map(Self.rejected) ?? 0
        note(signal, problem: Self.problem(of: outcome, rejected))
        guard let answer else { return .postponed }
        guard !answer.isSuccess else { return .taken(rejected: rejected) }
        switch answer.status {
        // Those that may be sent again, as the specification has them.
        case 429, 502, 503, 504: return .postponed
        case 413: return .tooLarge
        default: return .refused
        }
    }

    /// What the collector did not take; `nil` if it took everything.
    private static func problem(
        of outcome: Result<OutgoingRequest.Answer, OutgoingRequest.NoAnswer>, _ rejected: Int
    ) -> String? {
        switch outcome {
        case .failure(let error): return error.reason
        case .success(let answer) where !answer.isSuccess: return "status \(answer.status)"
        case .success: return rejected > 0 ? "\(rejected) were rejected" : nil
        }
    }

    /// How many spans or points a collector rejects of what it takes.
    private static func rejected(_ answer: OutgoingRequest.Answer) -> Int {
        guard answer.isSuccess else { return 0 }
        return (try? JSONDecoder().decode(OTLPAnswer.self, from: answer.body))?.partialSuccess?.rejected ?? 0
    }

    /// Says it once, until it works again.
    private func note(_ signal: Signal, problem: String?) {
        let isNew = state.withLock { state in
            if problem != nil { state.figures.failed += 1 }
            return problem == nil
                ? state.failing.remove(signal) != nil : state.failing.insert(signal).inserted
        }
        guard isNew else { return }
        let metadata: Logger.Metadata = ["path": "\(signal.rawValue)"]
        guard let problem else { return logger.notice("exporting by OTLP works again", metadata: metadata) }
        logger.warning(
            "the collector does not take what is exported by OTLP; it is tried each time",
            metadata: metadata.merging(["problem": "\(problem)"]) { $1 })
    }
}

/// What a collector answers to what it takes.
private struct OTLPAnswer: Decodable {
    struct PartialSuccess: Decodable {
        /// An integer of 64 bits, so a string; a number is read all the same.
        private struct Count: Decodable {
            var value: Int64

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                value = try (try? container.decode(Int64.self)) ?? Int64(container.decode(String.self)) ?? 0
            }
        }

        private var rejectedDataPoints: Count?
        private var rejectedSpans: Count?

        /// Not below zero.
        var rejected: Int {
            let counts = [rejectedDataPoints, rejectedSpans].compactMap { $0?.value }
            return Int(clamping: max(0, counts.max() ?? 0))
        }
    }

    var partialSuccess: PartialSuccess?
}
