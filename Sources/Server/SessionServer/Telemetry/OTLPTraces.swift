// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Traces of calls as a request of the OpenTelemetry protocol.
///
/// Pure.
struct OTLPTraces: Encodable {
    private let resourceSpans: [ResourceSpans]

    init(_ spans: [CallSpan], from resource: OTLP.Resource) {
        let scope = ScopeSpans(scope: .init(), spans: spans.map(Span.init))
        resourceSpans = [.init(resource: resource, scopeSpans: [scope])]
    }
}

extension OTLPTraces {
    private struct ResourceSpans: Encodable {
        var resource: OTLP.Resource
        var scopeSpans: [ScopeSpans]
    }

    private struct ScopeSpans: Encodable {
        var scope: OTLP.Scope
        var spans: [Span]
    }

    /// Numbers, as this encoding has enumerations.
    private enum Kind: Int, Encodable { case `internal` = 1 }
    private enum Code: Int, Encodable { case error = 2 }

    private struct Status: Encodable { var code: Code }

    private struct Event: Encodable {
        var timeUnixNano: String
        var name: String
        var attributes: [OTLP.Attribute]

        init(_ event: CallSpan.Event) {
            timeUnixNano = OTLP.nanoseconds(event.time)
            name = event.name
            attributes = event.attributes
        }
    }

    private struct Span: Encodable {
        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var name: String
        var kind = Kind.internal
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [OTLP.Attribute]
        var events: [Event]
        var droppedEventsCount: Int?
        var status: Status?

        init(_ span: CallSpan) {
            traceId = span.trace
            spanId = span.id
            parentSpanId = span.parent
            name = span.name.rawValue
            startTimeUnixNano = OTLP.nanoseconds(span.start)
            endTimeUnixNano = OTLP.nanoseconds(span.end)
            attributes = span.attributes
            // Samples of two flows, and alerts, come as they are stored.
            events = span.events.sorted { $0.time < $1.time }.map(Event.init)
            droppedEventsCount = span.droppedEvents > 0 ? span.droppedEvents : nil
            guard let error = span.error else { return }
            attributes.append(.init("error.type", .text(error)))
            status = .init(code: .error)
        }
    }
}
