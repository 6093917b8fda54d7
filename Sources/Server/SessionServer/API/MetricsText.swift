// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallStore
import SessionWire

/// The server's figures in Prometheus' text format, version 0.0.4.
struct MetricsText {
    private(set) var text = ""

    /// Everything that is known; what a server does not have is omitted.
    init(
        health: Health, figures: ServerMetrics.Figures, store: StoreStatistics?, bytes: Int64?,
        listeners: (listeners: Int, dropped: UInt64), failedPosts: UInt64?
    ) {
        add(health)
        add(figures)
        if let store { add(store) }
        if let bytes { gauge("store_bytes", "Bytes of the store that are in use.", bytes) }
        gauge("live_listeners", "Clients that watch what happens live.", listeners.listeners)
        counter(
            "live_dropped_total", "Live messages that were dropped for clients that read slowly.",
            listeners.dropped)
        if let failedPosts {
            counter("webhook_failures_total", "Alerts that could not be posted.", failedPosts)
        }
    }

    private mutating func add(_ health: Health) {
        gauge("sessions", "Sessions with someone in them.", health.sessions)
        gauge("connections", "Clients in sessions.", health.connections)
        gauge("streams", "Published streams.", health.streams)
        gauge("router_up", "Whether the media router is there.", health.routerIsRunning ? 1 : 0)
        counter(
            "router_restarts_total", "Times that the media router was started again.", health.routerRestarts)
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
        _ histogram: ServerMetrics.Histogram, _ name: String, _ labels: [(String, String)]
    ) {
        var sum: UInt64 = 0
        let bounds = ServerMetrics.Histogram.bounds.map { "\($0)" } + ["+Inf"]
        for (bound, count) in zip(bounds, histogram.counts) {
            sum += count
            line("\(name)_bucket", labels + [("le", bound)], sum)
        }
        line("\(name)_sum", labels, histogram.sum)
        line("\(name)_count", labels, sum)
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

    private mutating func gauge(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
        head(name, "gauge", help)
        line(name, [], value)
    }

    private mutating func counter(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
        head(name, "counter", help)
        line(name, [], value)
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP sightline_\(name) \(help)\n# TYPE sightline_\(name) \(type)\n"
    }

    private mutating func line(
        _ name: String, _ labels: [(String, String)], _ value: some CustomStringConvertible
    ) {
        let pairs = labels.map { "\($0.0)=\"\(Self.escape($0.1))\"" }.joined(separator: ",")
        text += "sightline_\(name)" + (pairs.isEmpty ? "" : "{\(pairs)}") + " \(value)\n"
    }

    private static func escape(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
