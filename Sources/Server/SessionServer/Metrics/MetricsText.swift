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

/// The server's figures in Prometheus' text format, version 0.0.4.
struct MetricsText {
    /// What is known; what a server does not have is `nil`.
    struct Source: Sendable {
        var build: SessionServerConfiguration.Build
        var health: Health
        var figures: ServerMetrics.Figures
        var store: StoreStatistics?
        /// Of the store that are in use.
        var storeBytes: Int64?
        var listeners: Int
        var droppedMessages: UInt64
        var failedPosts: UInt64?
        var connections: ConnectionGate.Figures
        /// The server's own process.
        var process: ProcessLoad?
        var openDescriptors: Int?
        var descriptorLimit: Int?
        var routers: [RouterLoad]
    }

    private(set) var text = ""

    init(_ source: Source) {
        head("build_info", "gauge", "1, with version and commit of the server.")
        line("build_info", [("version", source.build.version), ("commit", source.build.commit)], 1)
        add(source.health)
        add(source.figures)
        add(source.figures.calls)
        add(alerts: source.figures)
        if let store = source.store { add(store) }
        if let bytes = source.storeBytes {
            gauge("store_bytes", "Bytes of the store that are in use.", bytes)
        }
        gauge("live_listeners", "Clients that watch what happens live.", source.listeners)
        counter(
            "live_dropped_total", "Live messages that were dropped for clients that read slowly.",
            source.droppedMessages)
        if let failed = source.failedPosts {
            counter("webhook_failures_total", "Alerts that could not be posted.", failed)
        }
        gauge("tcp_connections", "TCP connections, of HTTP and of sockets.", source.connections.connections)
        add(source.routers)
        addProcess(source)
    }

    private mutating func add(_ health: Health) {
        gauge("sessions", "Sessions with someone in them.", health.sessions)
        gauge("unused_sessions", "Sessions that no one is in.", health.unusedSessions)
        gauge("connections", "Clients in sessions.", health.connections)
        gauge("streams", "Published streams.", health.streams)
    }

    private mutating func add(_ figures: ServerMetrics.Figures) {
        head("samples_total", "counter", "Samples that came in, by who measured and network condition.")
        for (kind, count) in figures.samples.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            line("samples_total", [("observer", kind.observer), ("condition", kind.condition)], count)
        }
        head("warnings_total", "counter", "Call quality warnings that were raised.")
        for (name, count) in figures.warnings.sorted(by: { $0.key < $1.key }) {
            line("warnings_total", [("warning", name)], count)
        }
        let name = "http_request_duration_seconds"
        head(name, "histogram", "Time until a request was answered, by route.")
        for (kind, histogram) in figures.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            add(
                histogram, name, [("method", kind.method), ("path", kind.path), ("status", "\(kind.status)")])
        }
    }

    private mutating func add(
        _ histogram: Histogram, _ name: String, _ labels: [(String, String)]
    ) {
        var sum: UInt64 = 0
        let bounds = histogram.bounds.map { "\($0)" } + ["+Inf"]
        for (bound, count) in zip(bounds, histogram.counts) {
            sum += count
            line("\(name)_bucket", labels + [("le", bound)], sum)
        }
        line("\(name)_sum", labels, histogram.sum)
        line("\(name)_count", labels, sum)
    }

    private mutating func add(_ calls: CallFigures) {
        for quality in CallFigures.Quality.allCases {
            head(
                quality.metric, "histogram", quality.help,
                unless: quality == .videoJitter || quality == .videoScore)
            for (view, histogram) in (calls.quality[quality] ?? [:]).sorted(by: { $0.key < $1.key }) {
                add(histogram, quality.metric, view.labels + quality.labels)
            }
        }
        head("judged_seconds_total", "counter", "Time of publications and subscriptions that was judged.")
        for (view, seconds) in calls.judged.sorted(by: { $0.key < $1.key }) {
            line("judged_seconds_total", view.labels, seconds)
        }
        head("impaired_seconds_total", "counter", "Time that was impaired, by cause, side and severity.")
        for (kind, seconds) in calls.impaired.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            let labels = [("cause", kind.cause), ("side", kind.side), ("severity", kind.severity)]
            line("impaired_seconds_total", kind.view.labels + labels, seconds)
        }
        head(
            "frozen_ratio", "histogram",
            "Share of a subscription's time in which its video was frozen, at its end.")
        add(calls.frozen, "frozen_ratio", [])
        let first = "time_to_media_seconds"
        head(
            first, "histogram",
            "From the answer to a publication or subscription to its first media, to a second.")
        for (role, histogram) in calls.timeToMedia.sorted(by: { $0.key < $1.key }) {
            add(histogram, first, [("role", role)])
        }
        head("calls_total", "counter", "Calls that everyone has left, by outcome.")
        for outcome in CallFigures.Outcome.allCases {
            line("calls_total", [("outcome", outcome.rawValue)], calls.outcomes[outcome] ?? 0)
        }
        head("departures_total", "counter", "Clients that are gone, by reason.")
        for (reason, count) in calls.departures.sorted(by: { $0.key.name < $1.key.name }) {
            line("departures_total", [("reason", reason.name)], count)
        }
    }

    private mutating func add(alerts figures: ServerMetrics.Figures) {
        head("alerts_active", "gauge", "Sustained issues that are not over, by side and worst condition.")
        for side in [NetworkDegradationSource.local, .remote] {
            for condition in [NetworkCondition.warning, .critical] {
                let count = figures.alerts.values.count {
                    $0.side == side && $0.condition == condition
                }
                line("alerts_active", [("side", side.name), ("condition", condition.name)], count)
            }
        }
        head("alerts_total", "counter", "Sustained issues, by side and reason as they began.")
        for (kind, count) in figures.begunAlerts.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            line("alerts_total", [("side", kind.side.name), ("reason", kind.reason.name)], count)
        }
    }

    private mutating func add(_ routers: [RouterLoad]) {
        func each(
            _ name: String, _ type: String, _ help: String,
            _ value: (RouterLoad) -> (any CustomStringConvertible)?
        ) {
            head(name, type, help)
            for router in routers {
                guard let value = value(router) else { continue }
                line(name, [("router", "\(router.state.router)")], "\(value)")
            }
        }
        each("router_up", "gauge", "Whether a media router is there.") { $0.state.isReady ? 1 : 0 }
        each("router_draining", "gauge", "Whether it takes no more sessions.") {
            $0.state.isDraining ? 1 : 0
        }
        each("router_legs", "gauge", "Peer connections that it has or is to get.") { $0.state.legs }
        each("router_sessions", "gauge", "Sessions that are on it.") { $0.state.sessions }
        each("router_restarts_total", "counter", "Times that it was started again.") { $0.state.restarts }
        each("router_cpu_seconds_total", "counter", "Its processor time since it was started.") {
            $0.process?.processorSeconds
        }
        each("router_resident_memory_bytes", "gauge", "Its memory.") { $0.process?.residentBytes }
    }

    /// By the names that every exporter of processes has.
    private mutating func addProcess(_ source: Source) {
        let own = ""
        if let process = source.process {
            counter(
                "process_cpu_seconds_total", "Processor time of the server.", process.processorSeconds,
                prefix: own)
            gauge(
                "process_resident_memory_bytes", "Memory of the server.", process.residentBytes, prefix: own)
            gauge(
                "process_start_time_seconds", "When the server began, Unix time.", process.startedAt,
                prefix: own)
        }
        if let open = source.openDescriptors {
            gauge("process_open_fds", "Descriptors that the server has open.", open, prefix: own)
        }
        if let limit = source.descriptorLimit {
            gauge("process_max_fds", "Descriptors that the server may have open.", limit, prefix: own)
        }
    }

    private mutating func add(_ store: StoreStatistics) {
        gauge("store_waiting", "Records that wait to be stored.", store.waiting)
        counter("store_samples_total", "Samples that were stored.", store.samples)
        counter("store_duplicates_total", "Records that were stored already.", store.duplicates)
        counter("store_rejected_total", "Records that the store's schema refused.", store.rejected)
        counter("store_dropped_total", "Records that were dropped because too many waited.", store.dropped)
        counter(
            "store_muted_alerts_total", "Alerts that were omitted because too many began in an hour.",
            store.mutedAlerts)
        gauge(
            "store_writing", "Whether what comes is stored; 0 while the disk is full.",
            store.isWriting ? 1 : 0)
        counter("store_commits_total", "Commits.", store.commits)
        counter("store_commit_seconds_total", "Time that commits took.", store.commitSeconds)
        counter("store_failures_total", "Commits that failed and were tried again.", store.failures)
    }

    private static let prefix = "sightline_"

    private mutating func gauge(
        _ name: String, _ help: String, _ value: some CustomStringConvertible, prefix: String = Self.prefix
    ) {
        head(name, "gauge", help, prefix: prefix)
        line(name, [], value, prefix: prefix)
    }

    private mutating func counter(
        _ name: String, _ help: String, _ value: some CustomStringConvertible, prefix: String = Self.prefix
    ) {
        head(name, "counter", help, prefix: prefix)
        line(name, [], value, prefix: prefix)
    }

    /// - Parameter isKnown: Whether it was said before.
    private mutating func head(
        _ name: String, _ type: String, _ help: String, unless isKnown: Bool = false,
        prefix: String = Self.prefix
    ) {
        guard !isKnown else { return }
        text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(type)\n"
    }

    private mutating func line(
        _ name: String, _ labels: [(String, String)], _ value: some CustomStringConvertible,
        prefix: String = Self.prefix
    ) {
        let pairs = labels.map { "\($0.0)=\"\(Self.escape($0.1))\"" }.joined(separator: ",")
        text += prefix + name + (pairs.isEmpty ? "" : "{\(pairs)}") + " \(value)\n"
    }

    private static func escape(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

extension CallFigures.View {
    fileprivate var labels: [(String, String)] { [("observer", observer), ("role", role)] }
}

extension CallFigures.Quality {
    /// Its name; the two media of a figure share one.
    fileprivate var metric: String {
        switch self {
        case .roundTripTime: "round_trip_time_seconds"
        case .networkLoss: "network_loss_ratio"
        case .audioJitter, .videoJitter: "jitter_seconds"
        case .audioScore, .videoScore: "opinion_score"
        }
    }

    fileprivate var help: String {
        switch self {
        case .roundTripTime: "Round trip time of each sample."
        case .networkLoss: "Network loss of each sample, as a share."
        case .audioJitter, .videoJitter: "Jitter of each sample."
        case .audioScore, .videoScore: "Estimated mean opinion score of each sample, 1 to 5."
        }
    }

    fileprivate var labels: [(String, String)] {
        switch self {
        case .roundTripTime, .networkLoss: []
        case .audioJitter, .audioScore: [("media", MediaKind.audio.name)]
        case .videoJitter, .videoScore: [("media", MediaKind.video.name)]
        }
    }
}
