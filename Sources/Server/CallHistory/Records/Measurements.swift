// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// When something was measured, and what distinguishes it from other measurements of that moment.
package struct EventMark: Sendable, Hashable {
    /// Unix ms by the server's clock.
    package var time: Double
    /// Unix ms by the clock of the measuring end; the same when it is sent again.
    package var capturedAt: Double
    /// 64 bits of the event's id.
    package var event: Int64

    /// Makes a mark of numbers.
    package init(time: Double, capturedAt: Double, event: Int64) {
        self.time = time
        self.capturedAt = capturedAt
        self.event = event
    }

    /// Makes a mark of an event's id.
    ///
    /// - Parameter part: Tells apart what one event makes several records of.
    package init(time: Double, capturedAt: Double, eventId: String, part: Int = 0) {
        self.init(time: time, capturedAt: capturedAt, event: Self.hash(eventId, part))
    }

    /// FNV-1a: the same in every run, which Swift's own hash is not.
    package static func hash(_ text: String, _ part: Int = 0) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var text = text
        text.withUTF8 { bytes in
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        hash = (hash ^ UInt64(truncatingIfNeeded: part)) &* 0x100_0000_01b3
        return Int64(bitPattern: hash)
    }
}

/// The figures of one flow over one tick.
package struct SampleRecord: Sendable, Equatable {
    /// The flow.
    package var flow: FlowKey
    /// Who measured it.
    package var observer: Observer
    /// When.
    package var mark: EventMark
    /// The figures; ``StreamSample/events`` are records of their own.
    package var sample: StreamSample

    /// Creates a record.
    package init(flow: FlowKey, observer: Observer, mark: EventMark, sample: StreamSample) {
        self.flow = flow
        self.observer = observer
        self.mark = mark
        self.sample = sample
    }
}

/// Something that happened in a session, to a connection, or to a flow.
package struct EventRecord: Sendable, Equatable {
    /// The session's id.
    package var session: String
    /// The connection's id; `nil` for what is the session's.
    package var connection: String?
    /// The flow's number at that connection; `nil` for what is the connection's.
    package var flow: Int64?
    /// When.
    package var mark: EventMark
    /// What, by its callback's name, such as `connectionCreated` or `callQuality`.
    package var type: String
    /// Whether it is a worsening.
    package var isAlarm: Bool
    /// Particulars, by the names of the session protocol; no names of people.
    package var detail: [String: String]

    /// Creates a record.
    package init(
        session: String, connection: String? = nil, flow: Int64? = nil, mark: EventMark, type: String,
        isAlarm: Bool = false, detail: [String: String] = [:]
    ) {
        self.session = session
        self.connection = connection
        self.flow = flow
        self.mark = mark
        self.type = type
        self.isAlarm = isAlarm
        self.detail = detail
    }
}

/// A raw report.
package struct ReportRecord: Sendable, Equatable {
    /// The flow.
    package var flow: FlowKey
    /// When.
    package var mark: EventMark
    /// The report as JSON, redacted before the record is made.
    package var json: [UInt8]
    /// What it was judged with; `nil` if that is unknown.
    package var context: ReportContext?

    /// Creates a record.
    package init(flow: FlowKey, mark: EventMark, json: [UInt8], context: ReportContext? = nil) {
        self.flow = flow
        self.mark = mark
        self.json = json
        self.context = context
    }

    /// About how many bytes it takes.
    package var byteCount: Int { json.count + (context == nil ? 0 : ContextEntry.usualBytes) }

    /// What is stored: the report with a ``ContextEntry`` in it.
    ///
    /// - Parameter encode: Makes JSON of it; `nil` if that cannot be.
    package func stored(_ encode: (ContextEntry) -> [UInt8]?) -> [UInt8] {
        let (begin, end, comma) = (UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","))
        guard json.first == begin, json.last == end, let context,
            let entry = encode(ContextEntry(context, timestamp: mark.time))
        else { return json }
        return json.dropLast() + (json.count > 2 ? [comma] : []) + entry + [end]
    }
}

/// What a report was judged with, as one more entry of it: who does not know it takes it for statistics of an unknown type.
package struct ContextEntry: Sendable, Equatable, Encodable {
    /// Its type, and its id.
    package static let type = "sightline-context"
    /// About how many bytes one takes as JSON.
    static let usualBytes = 1_000

    private let id = Self.type
    private let type = Self.type
    private let timestamp: Double
    private let leg: LegName
    private let intent: MediaIntent?
    private let remote: RemoteMetrics?

    init(_ context: ReportContext, timestamp: Double) {
        self.timestamp = timestamp
        leg = context.leg
        intent = context.intent
        remote = context.remote
    }
}
