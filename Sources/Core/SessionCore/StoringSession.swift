// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import SessionWire

/// What sessions of every kind have stored and logged.
protocol StoringSession {
    var id: SessionID { get }
    var now: CoreTime { get }
    /// `nil` without a store.
    var storing: SessionStoring? { get set }

    /// Has something done.
    mutating func add(_ effect: SessionEffect)

    /// Has something stored; not without a store.
    mutating func store(_ records: [StoreRecord])
}

extension StoringSession {
    mutating func store(_ records: [StoreRecord]) {
        if storing != nil { add(.act(.store(records, nil))) }
    }

    mutating func log(_ note: CoreNote) { add(.act(.log(note))) }

    /// The session has begun.
    mutating func keepBeginning(_ kind: SessionKind, createdAt: Double) {
        store([.session(name: id.rawValue, kind: kind, createdAt: createdAt)])
        note("sessionCreated", at: createdAt)
    }

    /// The session has ended.
    ///
    /// - Parameter mayReturn: Whether its clients may open it again on a server that is started over.
    mutating func keepEnd(mayReturn: Bool = false) {
        note("sessionDestroyed")
        store([.sessionEnded(name: id.rawValue, at: now.unix, mayReturn: mayReturn)])
    }

    /// Has something stored that happened.
    ///
    /// - Parameter time: Unix ms; now if omitted.
    mutating func note(
        _ type: String, _ connection: ConnectionID? = nil, _ flow: Int64? = nil, isAlarm: Bool = false,
        at time: Double? = nil, detail: [String: String] = [:]
    ) {
        guard var mark = ownMark() else { return }
        mark.time = time ?? mark.time
        store([
            .event(
                .init(
                    session: id.rawValue, connection: connection?.rawValue, flow: flow, mark: mark,
                    type: type,
                    isAlarm: isAlarm, detail: detail))
        ])
    }

    /// Has stored what a participant says of the call.
    ///
    /// - Throws: ``ServerError`` if there is no store.
    mutating func keep(_ rating: CallRating, of connection: ConnectionID) throws(ServerError) {
        guard storing != nil else {
            throw ServerError(.init(rawValue: "notFound"), "this server stores nothing")
        }
        store([.rating(.init(connection: connection.rawValue, rating: rating, time: now.unix))])
    }

    mutating func ownMark() -> EventMark? {
        let time = now.unix
        return storing?.mark(at: time)
    }

    /// A client's sample as it is stored, and what happened in it as records of their own.
    func records(
        _ sample: StreamSample, of flow: FlowKey, _ mark: EventMark, eventId: String
    ) -> [StoreRecord] {
        var records = (sample.events ?? []).enumerated().map { index, occurrence in
            let mark = EventMark(
                time: mark.time, capturedAt: mark.capturedAt, eventId: eventId, part: index + 1)
            return StoreRecord.event(
                EventRecord(occurrence, id.rawValue, flow, mark, observer: .client))
        }
        var sample = sample
        sample.events = nil
        records.append(.sample(.init(flow: flow, observer: .client, mark: mark, sample: sample)))
        return records
    }
}

extension EventRecord {
    /// What a tick caused.
    fileprivate init(
        _ event: StreamEvent, _ session: String, _ flow: FlowKey, _ mark: EventMark,
        observer: Observer
    ) {
        var detail = event.detail
        detail["observer"] = observer.name
        self.init(
            session: session, connection: flow.connection, flow: flow.number, mark: mark, type: event.type,
            isAlarm: event.isAlarm, detail: detail)
    }
}
