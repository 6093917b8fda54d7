// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionProtocol

/// When something was measured, and what tells it from anything else that was measured at that moment.
public struct EventMark: Sendable, Hashable {
    /// Unix ms by the server's clock.
    public var time: Double
    /// Unix ms by the clock of whoever measured it; the same when it is sent again.
    public var capturedAt: Double
    /// 64 bits of the event's id.
    public var event: Int64

    /// Makes a mark of numbers.
    public init(time: Double, capturedAt: Double, event: Int64) {
        self.time = time
        self.capturedAt = capturedAt
        self.event = event
    }

    /// Makes a mark of an event's id.
    ///
    /// - Parameter part: Tells apart what one event makes several records of.
    public init(time: Double, capturedAt: Double, eventId: String, part: Int = 0) {
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
public struct SampleRecord: Sendable, Equatable {
    /// The flow.
    public var flow: FlowKey
    /// Who measured it.
    public var observer: Observer
    /// When.
    public var mark: EventMark
    /// The figures; ``SessionProtocol/StreamSample/events`` are records of their own.
    public var sample: StreamSample

    /// Makes a record.
    public init(flow: FlowKey, observer: Observer, mark: EventMark, sample: StreamSample) {
        self.flow = flow
        self.observer = observer
        self.mark = mark
        self.sample = sample
    }
}

/// Something that happened in a session, to a connection, or to a flow.
public struct EventRecord: Sendable, Equatable {
    /// The session's id.
    public var session: String
    /// The connection's id; `nil` for what is the session's.
    public var connection: String?
    /// The flow's number at that connection; `nil` for what is the connection's.
    public var flow: Int64?
    /// When.
    public var mark: EventMark
    /// What, by its callback's name, such as `connectionCreated` or `callQuality`.
    public var type: String
    /// Whether it is a worsening.
    public var isAlarm: Bool
    /// Particulars, by the names of the session protocol; no names of people.
    public var detail: [String: String]

    /// Makes a record.
    public init(
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
public struct ReportRecord: Sendable, Equatable {
    /// The flow.
    public var flow: FlowKey
    /// When.
    public var mark: EventMark
    /// The report as JSON, redacted by whoever makes the record.
    public var json: [UInt8]

    /// Makes a record.
    public init(flow: FlowKey, mark: EventMark, json: [UInt8]) {
        self.flow = flow
        self.mark = mark
        self.json = json
    }
}
