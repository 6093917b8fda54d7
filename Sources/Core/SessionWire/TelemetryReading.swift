// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

extension ClientMessage {
    private static let members = ["report", "changes", "figures"].map { Array("\"\($0)\"".utf8) }

    /// Reads telemetry that is raw reports or what has changed, fifty times as fast as a decoder does.
    ///
    /// - Returns: `nil` for everything else, and for what is not in order: the decoder says what is wrong
    ///   with it.
    init?(rawTelemetry bytes: UnsafeBufferPointer<UInt8>) {
        guard Self.isRaw(bytes), let wrapped = try? WrappedReports.parse(bytes, at: .member("report")),
            wrapped.value["type"]?.text == "telemetry", case .int(let id)? = wrapped.value["id"],
            case .array(let values)? = wrapped.value["events"], !values.isEmpty,
            let read = try? wrapped.reports.map({ try $0.get() })
        else { return nil }
        var events: [TelemetryEvent] = []
        var reports = read.enumerated().makeIterator()
        for value in values {
            let next = value["report"] == nil ? nil : reports.next()
            guard value["report"] == next.map({ .int(Int64($0.offset)) }),
                let event = TelemetryEvent(value, next?.element.report)
            else { return nil }
            events.append(event)
        }
        guard reports.next() == nil else { return nil }
        let numbers = ["seq", "received"].map { wrapped.value[$0] ?? .null }
        guard numbers.allSatisfy({ $0 == .null || $0.whole != nil }) else { return nil }
        let seq = numbers[0].whole
        self.init(
            id: Int(clamping: id), seq: seq, received: seq == nil ? nil : numbers[1].whole,
            .telemetry(.init(events: events)))
    }

    private static func isRaw(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var rest = bytes[...]
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            rest = rest[quote...]
            if members.contains(where: { rest.starts(with: $0) }) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

extension StatsValue {
    fileprivate var whole: Int? { if case .int(let number) = self { Int(clamping: number) } else { nil } }
}

extension TelemetryEvent {
    private static let numbers = ["eventId", "capturedAt", "leg", "interval", "report", "changes", "figures"]

    /// An event that is a report, or what has changed, and nothing else.
    fileprivate init?(_ value: StatsValue, _ report: StatsReport?) {
        guard case .object(let members) = value, members.allSatisfy({ Self.numbers.contains($0.name) }),
            let eventId = members["eventId"]?.text, let leg = members["leg"]?.text,
            let capturedAt = members["capturedAt"]?.number
        else { return nil }
        guard members["interval"] == nil || members["interval"]?.number != nil,
            let content = Self.content(report, members["changes"], members["figures"])
        else { return nil }
        self.init(
            eventId: eventId, capturedAt: capturedAt, leg: LegName(leg),
            interval: members["interval"]?.number, content)
    }

    /// One of them, if it is what it should be and the only one; a report stands as a number in its place.
    private static func content(
        _ report: StatsReport?, _ changes: StatsValue?, _ figures: StatsValue?
    ) -> Content? {
        switch (report, changes, figures) {
        case (let report?, nil, nil): return .report(report)
        case (nil, .array(let values)?, nil): return .changes(values)
        case (nil, nil, .array(let values)?):
            let figures = values.compactMap { if case .int(let figure) = $0 { figure } else { nil } }
            return figures.count == values.count ? .figures(figures, events: nil) : nil
        default: return nil
        }
    }
}
