// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Metrics in Prometheus' text format, version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    init(_ metrics: [Metric]) {
        for metric in metrics { add(metric) }
    }

    private mutating func add(_ metric: Metric) {
        text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.points.type)\n"
        switch metric.points {
        case .counter(let points), .gauge(let points):
            for point in points { line(metric.name, point.labels, point.value.text) }
        case .histogram(let points):
            for point in points { add(point, metric.name) }
        }
    }

    private mutating func add(_ point: Metric.Point<Histogram>, _ name: String) {
        var sum: UInt64 = 0
        let bounds = point.value.bounds.map { "\($0)" } + ["+Inf"]
        for (bound, count) in zip(bounds, point.value.counts) {
            sum += count
            line("\(name)_bucket", point.labels + [.init(name: "le", value: bound)], "\(sum)")
        }
        line("\(name)_sum", point.labels, "\(point.value.sum)")
        line("\(name)_count", point.labels, "\(sum)")
    }

    private mutating func line(_ name: String, _ labels: [Metric.Label], _ value: String) {
        let pairs = labels.map { "\($0.name)=\"\(Self.escape($0.value))\"" }.joined(separator: ",")
        text += name + (pairs.isEmpty ? "" : "{\(pairs)}") + " \(value)\n"
    }

    private static func escape(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

extension Metric.Points {
    fileprivate var type: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}

extension Metric.Number {
    fileprivate var text: String {
        switch self {
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        }
    }
}
