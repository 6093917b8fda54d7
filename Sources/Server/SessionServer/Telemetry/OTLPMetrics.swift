// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Metrics as a request of the OpenTelemetry protocol.
///
/// Pure. Names are those that Prometheus gets, units UCUM; what only grows is cumulative. A metric without points is omitted.
struct OTLPMetrics: Encodable {
    private let resourceMetrics: [ResourceMetrics]

    /// - Parameters:
    ///   - since: When the server began, Unix ms.
    ///   - time: Now, Unix ms; a clock that was put back leaves it at the beginning.
    init(_ metrics: [Metric], from resource: OTLP.Resource, since: Double, at time: Double) {
        let span = Span(since: since, time: max(since, time))
        resourceMetrics = [
            .init(
                resource: resource,
                scopeMetrics: [
                    .init(scope: .init(), metrics: metrics.filter(\.hasPoints).map { .init($0, span) })
                ])
        ]
    }
}

extension OTLPMetrics {
    private struct ResourceMetrics: Encodable {
        var resource: OTLP.Resource
        var scopeMetrics: [ScopeMetrics]
    }

    private struct ScopeMetrics: Encodable {
        var scope: OTLP.Scope
        var metrics: [Item]
    }

    private struct Span {
        var since: Double
        var time: Double
    }

    /// A metric, with the one of its data that it has.
    private struct Item: Encodable {
        var name: String
        var description: String
        var unit: String
        var sum: Series<NumberPoint>?
        var gauge: Series<NumberPoint>?
        var histogram: Series<HistogramPoint>?

        init(_ metric: Metric, _ span: Span) {
            name = metric.name
            description = metric.help
            unit = metric.unit.ucum
            switch metric.points {
            case .counter(let points):
                sum = .init(
                    dataPoints: points.map { .init($0, span, since: $0.since ?? span.since) },
                    aggregationTemporality: .cumulative, isMonotonic: true)
            case .gauge(let points):
                gauge = .init(dataPoints: points.map { .init($0, span, since: nil) })
            case .histogram(let points):
                histogram = .init(
                    dataPoints: points.map { .init($0, span) }, aggregationTemporality: .cumulative)
            }
        }
    }

    /// Numbers, as this encoding has enumerations.
    private enum Temporality: Int, Encodable { case cumulative = 2 }

    private struct Series<Point: Encodable>: Encodable {
        var dataPoints: [Point]
        /// `nil` for what is no total.
        var aggregationTemporality: Temporality?
        /// `nil` for what is no sum.
        var isMonotonic: Bool?
    }

    private struct NumberPoint: Encodable {
        var attributes: [OTLP.Attribute]
        var startTimeUnixNano: String?
        var timeUnixNano: String
        var asInt: String?
        var asDouble: Double?

        init(_ point: Metric.Point<Metric.Number>, _ span: Span, since: Double?) {
            attributes = point.labels.map(\.attribute)
            // What a process is counted since is known to a second.
            startTimeUnixNano = since.map { OTLP.nanoseconds(min($0, span.time)) }
            timeUnixNano = OTLP.nanoseconds(span.time)
            switch point.value {
            case .integer(let value): asInt = "\(value)"
            case .real(let value): asDouble = value
            }
        }
    }

    private struct HistogramPoint: Encodable {
        var attributes: [OTLP.Attribute]
        var startTimeUnixNano: String
        var timeUnixNano: String
        var count: String
        var sum: Double
        var bucketCounts: [String]
        var explicitBounds: [Double]

        init(_ point: Metric.Point<Histogram>, _ span: Span) {
            attributes = point.labels.map(\.attribute)
            startTimeUnixNano = OTLP.nanoseconds(min(point.since ?? span.since, span.time))
            timeUnixNano = OTLP.nanoseconds(span.time)
            count = "\(point.value.counts.reduce(0, +))"
            sum = point.value.sum
            bucketCounts = point.value.counts.map { "\($0)" }
            explicitBounds = point.value.bounds
        }
    }
}

extension Metric {
    fileprivate var hasPoints: Bool {
        switch points {
        case .counter(let points), .gauge(let points): !points.isEmpty
        case .histogram(let points): !points.isEmpty
        }
    }
}

extension Metric.Label {
    fileprivate var attribute: OTLP.Attribute { .init(name, .text(value)) }
}
