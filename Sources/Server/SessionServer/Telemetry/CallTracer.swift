// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel

/// Makes traces of calls from what is stored of them: of people it knows pseudonyms alone.
///
/// Pure. A call is from the first client's coming until everyone has left, or its session ends; who comes later is in a call
/// of its own. What it keeps is bounded by the clients that are there, by ``eventLimit`` and by three times ``spanLimit``.
struct CallTracer: Sendable {
    /// Events of all spans together that are not exported yet.
    static let eventLimit = 100_000
    /// Spans that wait to be exported; the oldest go first.
    static let spanLimit = 8192
    /// Bytes of a text that a client chose.
    private static let textLimit = 256

    private struct Flow {
        let role: StreamRole
        let stream: String
        let createdAt: Double
        var hasMedia = false
        /// As the client sees it; `nil` while nothing is wrong.
        var diagnosis: DiagnosisKind?
    }

    /// What of a diagnosis is another one.
    fileprivate struct DiagnosisKind: Equatable {
        var cause: Diagnosis.Cause
        var severity: Diagnosis.Severity?
        var side: NetworkDegradationSource?
        var direction: NetworkDirection?
    }

    private struct Client {
        let session: String
        var span: CallSpan
        var flows: [Int64: Flow] = [:]
    }

    private struct Call {
        var span: CallSpan
        var clients: Set<String> = []
        var joined: Int64 = 0
    }

    /// Of this run of the server: a client that comes back to the next one is another span of the same trace.
    private let run: String
    private var calls: [String: Call] = [:]
    private var clients: [String: Client] = [:]
    private var kinds: [String: SessionKind] = [:]
    /// Of clients that have left: what is stored of them last comes later.
    private var ending: [String: CallSpan] = [:]
    private var ended: [String: CallSpan] = [:]
    private var finished: [CallSpan] = []
    private var events = 0
    /// Spans of those who have left that are kept.
    var count: Int { ending.count + ended.count + finished.count }
    /// Spans that had no room, or no time.
    private(set) var dropped: UInt64 = 0

    init(run: String) { self.run = run }

    /// Takes note of what is to be stored.
    mutating func take(_ record: StoreRecord) {
        switch record {
        case .session(let name, let kind, _): kinds[name] = kind
        case .connection(let connection): join(connection)
        case .connectionLeft(let name, let time, let reason): leave(name, at: time, reason)
        case .flow(let flow): begin(flow)
        case .flowEnded(let key, _): clients[key.connection]?.flows[key.number] = nil
        case .sample(let record): take(record)
        case .sessionEnded(let name, let time, _):
            for client in calls[name]?.clients ?? [] { leave(client, at: time, nil) }
            kinds[name] = nil
        case .callEnded, .restorationOver, .stream, .streamEnded, .event, .report, .rating: break
        }
    }

    /// Takes note of an alert that began, grew or ended.
    mutating func take(_ change: AlertChange) {
        let alert = change.alert
        var attributes = Self.attributes(alert.flow.role, alert.flow.stream)
        attributes.append(.init("sightline.observer", .text(alert.observer.name)))
        attributes.append(.init("sightline.side", .text(alert.side.name)))
        attributes.append(.init("sightline.condition", .text(alert.worst.name)))
        if let reason = alert.reason { attributes.append(.init("sightline.reason", .text(reason.name))) }
        for (isDue, name, time) in [
            (change.isNew, "sightline.alert.began", alert.first),
            (alert.isOver, "sightline.alert.ended", alert.last),
        ] where isDue {
            add(.init(time: time, name: name, attributes: attributes), to: alert.flow.connection)
        }
    }

    /// Has those that left before the last turn ready to be exported.
    ///
    /// - Parameter isLast: Whether no more comes, so that nothing is waited for.
    mutating func turn(isLast: Bool = false) {
        for span in ended.values.sorted(by: { ($0.end, $0.id) < ($1.end, $1.id) }) { finish(span) }
        ended = ending
        ending = [:]
        if isLast, !ended.isEmpty { turn() }
    }

    /// The oldest spans that are ready, as many as that; they are no longer kept.
    ///
    /// - Parameter limit: Most of their events together, unless one span has more.
    mutating func takeSpans(_ count: Int, events limit: Int = .max) -> [CallSpan] {
        var size = 0
        let fitting = finished.prefix(count).prefix { span in
            size += span.events.count
            return size <= limit
        }
        let spans = Array(finished.prefix(max(fitting.count, min(count, 1))))
        finished.removeFirst(spans.count)
        events -= spans.reduce(0) { $0 + $1.events.count }
        return spans
    }

    /// Keeps spans that could not be exported, as the oldest.
    mutating func putBack(_ spans: [CallSpan]) {
        finished.insert(contentsOf: spans, at: 0)
        events += spans.reduce(0) { $0 + $1.events.count }
        trim()
    }

    /// Drops all spans of those that have left: no more is exported.
    ///
    /// - Returns: How many they are.
    mutating func dropAll() -> Int {
        turn(isLast: true)
        let count = takeSpans(.max).count
        dropped += UInt64(count)
        return count
    }
}

// MARK: - Clients

extension CallTracer {
    private mutating func join(_ connection: ConnectionRecord) {
        let (name, session) = (connection.name, connection.session)
        if clients[name] == nil {
            let call = calls[session] ?? begin(session, at: connection.joinedAt)
            // It may come again to the same call.
            let id = CallSpan.id(bytes: 8, [call.span.trace, name, run, "\(call.joined)"])
            let span = CallSpan(
                .connection, trace: call.span.trace, id: id, parent: call.span.id, start: connection.joinedAt)
            clients[name] = Client(session: session, span: span)
            calls[session] = call
            calls[session]?.clients.insert(name)
            calls[session]?.joined += 1
        }
        clients[name]?.span.attributes = Self.attributes(connection)
    }

    private func begin(_ session: String, at time: Double) -> Call {
        let trace = CallSpan.id(bytes: 16, [session, "\(Int64(unixTime: time))"])
        var span = CallSpan(.call, trace: trace, id: CallSpan.id(bytes: 8, [trace, run]), start: time)
        span.attributes = [.init("sightline.session.id", .text(session))]
        if let kind = kinds[session] {
            span.attributes.append(.init("sightline.session.kind", .text(kind.name)))
        }
        return Call(span: span)
    }

    private static func attributes(_ connection: ConnectionRecord) -> [OTLP.Attribute] {
        var attributes: [OTLP.Attribute] = [
            .init("sightline.session.id", .text(connection.session)),
            .init("sightline.connection.id", .text(connection.name)),
            .init("sightline.connection.role", .text(connection.role.rawValue)),
        ]
        if let participant = connection.participant {
            attributes.append(.init("enduser.pseudo.id", .text(participant)))
        }
        if let client = connection.client {
            attributes.append(.init("sightline.client", .text(client.cut(toBytes: textLimit))))
        }
        return attributes
    }

    private mutating func leave(_ name: String, at time: Double, _ reason: EndReason?) {
        guard var client = clients.removeValue(forKey: name) else { return }
        client.span.end = max(client.span.start, time)
        if let reason {
            client.span.attributes.append(.init("sightline.end_reason", .text(reason.name)))
            if reason.isFailure { client.span.error = reason.name }
        }
        // Turns may be a day apart.
        if ending.count >= Self.spanLimit { turn() }
        if let former = ending.updateValue(client.span, forKey: name) { finish(former) }
        calls[client.session]?.clients.remove(name)
        if let call = calls[client.session], call.clients.isEmpty { end(call, client.session, at: time) }
    }

    private mutating func end(_ call: Call, _ session: String, at time: Double) {
        calls[session] = nil
        var span = call.span
        span.end = max(span.start, time)
        span.attributes.append(.init("sightline.call.connections", .integer(call.joined)))
        finish(span)
    }

    private mutating func finish(_ span: CallSpan) {
        finished.append(span)
        trim()
    }

    private mutating func trim() {
        let excess = finished.count - Self.spanLimit
        guard excess > 0 else { return }
        // An eighth at once: each time the others move up.
        dropped += UInt64(takeSpans(max(excess, Self.spanLimit / 8)).count)
    }
}

// MARK: - What happens to them

extension CallTracer {
    private mutating func begin(_ flow: FlowRecord) {
        guard clients[flow.key.connection]?.flows[flow.key.number] == nil else { return }
        clients[flow.key.connection]?.flows[flow.key.number] = Flow(
            role: flow.role, stream: flow.stream, createdAt: flow.createdAt)
        let attributes = Self.attributes(flow.role, flow.stream)
        add(
            .init(time: flow.createdAt, name: "sightline.negotiated", attributes: attributes),
            to: flow.key.connection)
    }

    private mutating func take(_ record: SampleRecord) {
        let (connection, number) = (record.flow.connection, record.flow.number)
        guard let flow = clients[connection]?.flows[number] else { return }
        if !flow.hasMedia, record.sample.hasMedia {
            clients[connection]?.flows[number]?.hasMedia = true
            var attributes = Self.attributes(flow.role, flow.stream)
            let time = max(0, record.mark.time - flow.createdAt) / 1000
            attributes.append(.init("sightline.time_to_media", .real(time)))
            add(
                .init(time: record.mark.time, name: "sightline.first_media", attributes: attributes),
                to: connection)
        }
        guard record.observer == .client, let diagnosis = record.sample.diagnosis,
            diagnosis.cause != .unknown
        else { return }
        let kind = DiagnosisKind(diagnosis)
        guard kind != flow.diagnosis else { return }
        clients[connection]?.flows[number]?.diagnosis = kind
        add(
            .init(
                time: record.mark.time, name: "sightline.diagnosis",
                attributes: Self.attributes(flow.role, flow.stream) + (kind?.attributes ?? [.cause(.none)])),
            to: connection)
    }

    private mutating func add(_ event: CallSpan.Event, to connection: String) {
        let hasRoom = events < Self.eventLimit
        let isTaken: Bool?
        if clients[connection] != nil {
            isTaken = clients[connection]?.span.add(event, hasRoom: hasRoom)
        } else if ending[connection] != nil {
            isTaken = ending[connection]?.add(event, hasRoom: hasRoom)
        } else {
            isTaken = ended[connection]?.add(event, hasRoom: hasRoom)
        }
        if isTaken == true { events += 1 }
    }

    private static func attributes(_ role: StreamRole, _ stream: String) -> [OTLP.Attribute] {
        [.init("sightline.role", .text(role.name)), .init("sightline.stream.id", .text(stream))]
    }
}

extension CallTracer.DiagnosisKind {
    /// `nil` if nothing is wrong.
    fileprivate init?(_ diagnosis: Diagnosis) {
        guard diagnosis.cause != .none else { return nil }
        cause = diagnosis.cause
        severity = diagnosis.severity
        side = diagnosis.side
        direction = diagnosis.direction
    }

    fileprivate var attributes: [OTLP.Attribute] {
        var attributes: [OTLP.Attribute] = [.cause(cause)]
        if let severity { attributes.append(.init("sightline.severity", .text("\(severity)"))) }
        if let side { attributes.append(.init("sightline.side", .text(side.name))) }
        if let direction { attributes.append(.init("sightline.direction", .text(direction.rawValue))) }
        return attributes
    }
}

extension OTLP.Attribute {
    fileprivate static func cause(_ cause: Diagnosis.Cause) -> Self {
        .init("sightline.cause", .text(cause.rawValue))
    }
}

extension CallSpan {
    /// Whether there was room for it.
    fileprivate mutating func add(_ event: Event, hasRoom: Bool) -> Bool {
        guard hasRoom, events.count < Self.eventLimit else {
            droppedEvents += 1
            return false
        }
        events.append(event)
        return true
    }
}

extension EndReason {
    /// Whether it is the end of something that did not work.
    fileprivate var isFailure: Bool {
        switch self {
        case .lost, .failed, .serverLost: true
        case .left, .unpublished, .forced, .ended, .shutdown, .idle: false
        }
    }
}
