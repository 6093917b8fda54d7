// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionCore
import SessionWire

/// A media router, and what its process takes.
struct RouterLoad: Sendable {
    var state: RouterState
    /// `nil` while it is away.
    var process: ProcessLoad?
}

/// The server's figures as metrics.
///
/// Pure: the one place that says which metrics there are; formats are written from it.
struct MetricList {
    /// What is known; what a server does not have is `nil`.
    struct Source: Sendable {
        var build: SessionServerConfiguration.Build
        var health: Health
        var figures: ServerMetrics.Figures
        var store: StoreStatistics?
        /// Of the store that are in use.
        var storeBytes: Int64?
        /// Of a store that others share.
        var cluster: ClusterFigures?
        var listeners: Int
        var droppedMessages: UInt64
        var failedPosts: UInt64?
        var exports: OTLPExporter.Figures?
        var connections: ConnectionGate.Figures
        /// The server's own process.
        var process: ProcessLoad?
        var openDescriptors: Int?
        var descriptorLimit: Int?
        var routers: [RouterLoad]
    }

    private(set) var metrics: [Metric] = []

    init(_ source: Source) {
        gauge(
            "build_info", "1, with version and commit of the server.", .none,
            [point([("version", source.build.version), ("commit", source.build.commit)], 1)])
        add(source.health)
        add(source.figures)
        add(source.figures.calls)
        add(alerts: source.figures)
        if let store = source.store { add(store) }
        if let bytes = source.storeBytes {
            gauge("store_bytes", "Bytes of the store that are in use.", .bytes, [point(bytes)])
        }
        if let cluster = source.cluster { add(cluster) }
        gauge(
            "live_listeners", "Clients that watch what happens live.", .count("client"),
            [point(source.listeners)])
        counter(
            "live_dropped_total", "Live messages that were dropped for clients that read slowly.",
            .count("message"), [point(source.droppedMessages)])
        if let failed = source.failedPosts {
            counter(
                "webhook_failures_total", "Alerts that could not be posted.", .count("alert"),
                [point(failed)])
        }
        if let exports = source.exports { add(exports) }
        gauge(
            "tcp_connections", "TCP connections, of HTTP and of sockets.", .count("connection"),
            [point(source.connections.connections)])
        add(source.routers)
        addProcess(source)
    }

    private mutating func add(_ health: Health) {
        gauge("sessions", "Sessions with someone in them.", .count("session"), [point(health.sessions)])
        gauge(
            "unused_sessions", "Sessions that no one is in.", .count("session"),
            [point(health.unusedSessions)])
        gauge("connections", "Clients in sessions.", .count("client"), [point(health.connections)])
        gauge("streams", "Published streams.", .count("stream"), [point(health.streams)])
    }

    private mutating func add(_ figures: ServerMetrics.Figures) {
        counter(
            "samples_total", "Samples that came in, by who measured and network condition.", .count("sample"),
            figures.samples.sorted { "\($0.key)" < "\($1.key)" }.map { kind, count in
                point([("observer", kind.observer), ("condition", kind.condition)], count)
            })
        counter(
            "warnings_total", "Call quality warnings that were raised.", .count("warning"),
            figures.warnings.sorted { $0.key < $1.key }.map { name, count in
                point([("warning", name)], count)
            })
        histogram(
            "http_request_duration_seconds", "Time until a request was answered, by route.", .seconds,
            figures.requests.sorted { "\($0.key)" < "\($1.key)" }.map { kind, histogram in
                let labels = [("method", kind.method), ("path", kind.path), ("status", "\(kind.status)")]
                return point(labels, histogram)
            })
    }

    private mutating func add(alerts figures: ServerMetrics.Figures) {
        let conditions = [NetworkDegradationSource.local, .remote].flatMap { side in
            [NetworkCondition.warning, .critical].map { (side, $0) }
        }
        gauge(
            "alerts_active", "Sustained issues that are not over, by side and worst condition.",
            .count("alert"),
            conditions.map { side, condition in
                let count = figures.alerts.values.count { $0.side == side && $0.condition == condition }
                return point([("side", side.name), ("condition", condition.name)], count)
            })
        counter(
            "alerts_total", "Sustained issues, by side and reason as they began.", .count("alert"),
            figures.begunAlerts.sorted { "\($0.key)" < "\($1.key)" }.map { kind, count in
                point([("side", kind.side.name), ("reason", kind.reason.name)], count)
            })
    }

    private mutating func add(_ cluster: ClusterFigures) {
        counter(
            "cluster_commits_total", "Commits of what is stored, by their outcome.", .count("commit"),
            [
                point([("outcome", "done")], cluster.commits),
                point([("outcome", "failed")], cluster.failedCommits),
                point([("outcome", "unknown")], cluster.unknownCommits),
            ])
        counter(
            "cluster_chunks_total", "Minutes of flows that were put into their tables.", .count("chunk"),
            [point(cluster.chunks)])
        gauge(
            "cluster_open_samples", "Samples in the log whose minutes are not in their tables yet.",
            .count("sample"), [point(cluster.openSamples)])
        if let hours = cluster.hoursLeft {
            gauge(
                "cluster_tables_ahead_seconds", "For how long there are tables that were made ahead.",
                .seconds, [point(hours * 3600)])
        }
    }

    private mutating func add(_ store: StoreStatistics) {
        let record = Metric.Unit.count("record")
        gauge("store_waiting", "Records that wait to be stored.", record, [point(store.waiting)])
        counter(
            "store_samples_total", "Samples that were stored.", .count("sample"), [point(store.samples)])
        counter(
            "store_duplicates_total", "Records that were stored already.", record, [point(store.duplicates)])
        counter(
            "store_rejected_total", "Records that the store's schema refused.", record,
            [point(store.rejected)])
        counter(
            "store_dropped_total", "Records that were dropped because too many waited.", record,
            [point(store.dropped)])
        counter(
            "store_muted_alerts_total", "Alerts that were omitted because too many began in an hour.",
            .count("alert"), [point(store.mutedAlerts)])
        gauge(
            "store_writing", "Whether what comes is stored; 0 while the disk is full.", .none,
            [point(store.isWriting ? 1 : 0)])
        counter("store_commits_total", "Commits.", .count("commit"), [point(store.commits)])
        counter(
            "store_commit_seconds_total", "Time that commits took.", .seconds, [point(store.commitSeconds)])
        counter(
            "store_failures_total", "Commits that failed and were tried again.", .count("commit"),
            [point(store.failures)])
    }

    private mutating func add(_ exports: OTLPExporter.Figures) {
        counter(
            "otlp_failures_total", "Exports by OTLP that failed.", .count("export"), [point(exports.failed)])
        counter(
            "otlp_dropped_spans_total", "Spans of traces that could not be exported.", .count("span"),
            [point(exports.droppedSpans)])
    }
}

// MARK: - Calls

extension MetricList {
    private mutating func add(_ calls: CallFigures) {
        quality(
            "round_trip_time_seconds", "Round trip time of each sample.", .seconds, [.roundTripTime], calls)
        quality(
            "network_loss_ratio", "Network loss of each sample, as a share.", .ratio, [.networkLoss], calls)
        quality("jitter_seconds", "Jitter of each sample.", .seconds, [.audioJitter, .videoJitter], calls)
        quality(
            "opinion_score", "Estimated mean opinion score of each sample, 1 to 5.", .none,
            [.audioScore, .videoScore], calls)
        addJudgement(of: calls)
        histogram(
            "frozen_ratio", "Share of a subscription's time in which its video was frozen, at its end.",
            .ratio, [point([], calls.frozen)])
        histogram(
            "time_to_media_seconds",
            "From the answer to a publication or subscription to its first media, to a second.", .seconds,
            calls.timeToMedia.sorted { $0.key < $1.key }.map { role, histogram in
                point([("role", role)], histogram)
            })
        counter(
            "calls_total", "Calls that everyone has left, by outcome.", .count("call"),
            CallFigures.Outcome.allCases.map { outcome in
                point([("outcome", outcome.rawValue)], calls.outcomes[outcome] ?? 0)
            })
        counter(
            "departures_total", "Clients that are gone, by reason.", .count("client"),
            EndReason.allCases.map { reason in
                point([("reason", reason.name)], calls.departures[reason] ?? 0)
            })
    }

    private mutating func quality(
        _ name: String, _ help: String, _ unit: Metric.Unit, _ qualities: [CallFigures.Quality],
        _ calls: CallFigures
    ) {
        histogram(
            name, help, unit,
            qualities.flatMap { quality in
                (calls.quality[quality] ?? [:]).sorted { $0.key < $1.key }.map { view, histogram in
                    point(view.labels + quality.labels, histogram)
                }
            })
    }

    private mutating func addJudgement(of calls: CallFigures) {
        counter(
            "judged_seconds_total", "Time of publications and subscriptions that was judged.", .seconds,
            calls.judged.sorted { $0.key < $1.key }.map { view, seconds in point(view.labels, seconds) })
        counter(
            "impaired_seconds_total", "Time that was impaired, by cause, side and severity.", .seconds,
            calls.impaired.sorted { "\($0.key)" < "\($1.key)" }.map { kind, seconds in
                let labels = [("cause", kind.cause), ("side", kind.side), ("severity", kind.severity)]
                return point(kind.view.labels + labels, seconds)
            })
    }
}

// MARK: - Processes

extension MetricList {
    private mutating func add(_ routers: [RouterLoad]) {
        func each(_ point: ([(String, String)], RouterLoad) -> Point?) -> [Point] {
            routers.compactMap { point([("router", "\($0.state.router)")], $0) }
        }
        gauge(
            "router_up", "Whether a media router is there.", .none,
            each { point($0, $1.state.isReady ? 1 : 0) })
        gauge(
            "router_draining", "Whether it takes no more sessions.", .none,
            each { point($0, $1.state.isDraining ? 1 : 0) })
        gauge(
            "router_legs", "Peer connections that it has or is to get.", .count("connection"),
            each { point($0, $1.state.legs) })
        gauge(
            "router_sessions", "Sessions that are on it.", .count("session"),
            each { point($0, $1.state.sessions) })
        gauge(
            "router_load", "Share of what its threads can do that it does, over some seconds.", .ratio,
            each { labels, router in router.state.load.map { point(labels, $0) } })
        gauge(
            "router_full", "Whether it takes no new publications and subscriptions, because of its load.",
            .none, each { point($0, $1.state.isFull ? 1 : 0) })
        counter(
            "router_restarts_total", "Times that it was started again.", .count("restart"),
            each { point($0, $1.state.restarts) })
        counter(
            "router_cpu_seconds_total", "Its processor time since it was started.", .seconds,
            each { labels, router in
                router.process.map { point(labels, $0.processorSeconds, since: $0.startedAt * 1000) }
            })
        gauge(
            "router_resident_memory_bytes", "Its memory.", .bytes,
            each { labels, router in router.process.map { point(labels, $0.residentBytes) } })
    }

    /// By the names that every exporter of processes has.
    private mutating func addProcess(_ source: Source) {
        let own = ""
        if let process = source.process {
            counter(
                "process_cpu_seconds_total", "Processor time of the server.", .seconds,
                [point(process.processorSeconds, since: process.startedAt * 1000)], prefix: own)
            gauge(
                "process_resident_memory_bytes", "Memory of the server.", .bytes,
                [point(process.residentBytes)], prefix: own)
            gauge(
                "process_start_time_seconds", "When the server began, Unix time.", .seconds,
                [point(process.startedAt)], prefix: own)
        }
        if let open = source.openDescriptors {
            gauge(
                "process_open_fds", "Descriptors that the server has open.", .count("descriptor"),
                [point(open)], prefix: own)
        }
        if let limit = source.descriptorLimit {
            gauge(
                "process_max_fds", "Descriptors that the server may have open.", .count("descriptor"),
                [point(limit)], prefix: own)
        }
    }
}

// MARK: - Building

extension MetricList {
    private typealias Point = Metric.Point<Metric.Number>

    private static let prefix = "sightline_"

    private mutating func gauge(
        _ name: String, _ help: String, _ unit: Metric.Unit, _ points: [Point], prefix: String = Self.prefix
    ) {
        metrics.append(.init(name: prefix + name, help: help, unit: unit, points: .gauge(points)))
    }

    private mutating func counter(
        _ name: String, _ help: String, _ unit: Metric.Unit, _ points: [Point], prefix: String = Self.prefix
    ) {
        metrics.append(.init(name: prefix + name, help: help, unit: unit, points: .counter(points)))
    }

    private mutating func histogram(
        _ name: String, _ help: String, _ unit: Metric.Unit, _ points: [Metric.Point<Histogram>]
    ) {
        metrics.append(.init(name: Self.prefix + name, help: help, unit: unit, points: .histogram(points)))
    }

    private func point(_ value: some BinaryInteger) -> Point { point([], value) }

    private func point(_ value: Double, since: Double? = nil) -> Point { point([], value, since: since) }

    private func point(_ labels: [(String, String)], _ value: some BinaryInteger) -> Point {
        Point(labels: labels.map(Metric.Label.init), value: .integer(Int64(clamping: value)))
    }

    private func point(_ labels: [(String, String)], _ value: Double, since: Double? = nil) -> Point {
        Point(labels: labels.map(Metric.Label.init), value: .real(value), since: since)
    }

    private func point(_ labels: [(String, String)], _ value: Histogram) -> Metric.Point<Histogram> {
        .init(labels: labels.map(Metric.Label.init), value: value)
    }
}

extension CallFigures.View {
    fileprivate var labels: [(String, String)] { [("observer", observer), ("role", role)] }
}

extension CallFigures.Quality {
    fileprivate var labels: [(String, String)] {
        switch self {
        case .roundTripTime, .networkLoss: []
        case .audioJitter, .audioScore: [("media", MediaKind.audio.name)]
        case .videoJitter, .videoScore: [("media", MediaKind.video.name)]
        }
    }
}
