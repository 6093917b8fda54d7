// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallQuality
import MediaPolicy
import RouterWire
import SessionWire
import WebRTCStats

// MARK: - Telemetry

extension ServerCore {
    /// Has telemetry stored, which is acknowledged once it is; at once if there is no store.
    ///
    /// - Parameter measured: The times of the events by the client's clock, which stay the same when an event is sent
    ///   again.
    mutating func keep(_ telemetry: Telemetry, measured: [Double], id: Int, from socket: SocketID) {
        let eventIds = telemetry.events.map(\.eventId)
        guard storing != nil else { return acknowledge(eventIds, id: id, socket) }
        var records: [StoreRecord] = []
        for (event, measured) in zip(telemetry.events, measured) {
            let time = timeOfStay(event.capturedAt, of: socket)
            let mark = EventMark(time: time, capturedAt: measured, eventId: event.eventId)
            records += self.records(event, mark, from: socket)
        }
        let waiting = CoreStoring.Waiting(socket: socket, message: id, eventIds: eventIds)
        // Nothing to store is stored at once.
        guard !records.isEmpty, let receipt = storing?.receipt(for: waiting) else {
            return acknowledge(eventIds, id: id, socket)
        }
        store(records, receipt: receipt)
    }

    /// Telemetry is in the store.
    mutating func stored(_ receipts: [StoreReceipt]) {
        for receipt in receipts {
            guard let waiting = storing?.redeem(receipt) else { continue }
            acknowledge(waiting.eventIds, id: waiting.message, waiting.socket)
        }
    }

    /// Telemetry was refused because too much comes.
    mutating func notStored(_ receipt: StoreReceipt) {
        guard let waiting = storing?.redeem(receipt), clients[waiting.socket] != nil else { return }
        refuse(waiting.socket, waiting.message, .tooMany, "the server cannot store telemetry fast enough")
    }

    private mutating func acknowledge(_ eventIds: [String], id: Int, _ socket: SocketID) {
        guard clients[socket] != nil else { return }
        answer(socket, id, .acknowledged(.init(eventIds: eventIds, receivedAt: now.unix)))
    }

    /// A time between the client's coming and now; one from before it came is as good as unknown, and is now.
    private func timeOfStay(_ time: Double, of socket: SocketID) -> Double {
        guard let start = clients[socket]?.membership?.description.creationTime, time >= start - 1000 else {
            return now.unix
        }
        return min(now.unix, max(start, time))
    }

    private mutating func records(
        _ event: TelemetryEvent, _ mark: EventMark, from socket: SocketID
    ) -> [StoreRecord] {
        guard let client = clients[socket], let connection = client.membership?.description.id,
            let session = client.membership?.session, let place = client.flow(of: event.leg),
            let number = storing?.number(of: place)
        else { return [] }
        let flow = FlowKey(connection: connection, number: number)
        var records: [StoreRecord] = []
        if let report = event.report, storing?.keepsReports[session].map({ mark.time <= $0 }) == true,
            let end = analysedEnd(of: event.leg, place, of: client),
            let json = analysts[place]?[end]?.redacted(report)
        {
            records.append(.report(.init(flow: flow, mark: mark, json: json)))
        }
        guard var sample = event.sample else { return records }
        for (index, occurrence) in (sample.events ?? []).enumerated() {
            let mark = EventMark(
                time: mark.time, capturedAt: mark.capturedAt, eventId: event.eventId, part: index + 1)
            records.append(.event(EventRecord(occurrence, session, flow, mark, observer: .client)))
        }
        sample.events = nil
        holdBlame(&sample, to: publisherCondition(for: event.leg, place, of: client))
        records.append(.sample(.init(flow: flow, observer: .client, mark: mark, sample: sample)))
        return records
    }

    /// Makes what a subscriber says of its publisher's network no worse than what is known of it from elsewhere: alerts
    /// are made of it, and one client's word is not enough for one about another.
    private func holdBlame(_ sample: inout StreamSample, to known: TransportStats?) {
        guard let said = sample.remoteNetworkCondition, said == .critical || said == .warning,
            said < known?.networkCondition ?? .excellent
        else { return }
        sample.remoteNetworkCondition = known?.networkCondition
        sample.remoteNetworkConditionReason = known?.networkConditionReason
    }

    /// What the router, or else the publisher itself, says of the network of a subscription's publisher; `nil` if nobody
    /// does.
    private func publisherCondition(
        for leg: String, _ id: SlotID, of client: ServerClient
    ) -> TransportStats? {
        guard let slot = slots[id], let stream = sessions[slot.session]?.streams[slot.stream] else {
            return nil
        }
        let seen = quality.slots[stream.slot]?.transport(at: now.elapsed, limit: quality.ageLimit)
        if let seen { return seen }
        let said = client.relays[leg].map { relays[$0]?.sample } ?? stream.sample
        guard let said, now.elapsed - said.receivedAt <= quality.ageLimit else { return nil }
        let transport = TransportStats(said.sample)
        return transport.networkCondition == .unknown ? nil : transport
    }

    /// Has the router's view of a flow stored.
    mutating func keep(_ sample: StreamSample, ofRouterAt id: SlotID) {
        guard let flow = flowKey(id), let mark = ownMark() else { return }
        store([.sample(.init(flow: flow, observer: .router, mark: mark, sample: sample))])
    }
}

// MARK: - Lives

extension ServerCore {
    mutating func keepSession(_ session: ServerSession) {
        store([.session(name: session.id, mediaMode: session.mediaMode, createdAt: session.creationTime)])
        note("sessionCreated", session.id)
    }

    mutating func keepEnd(ofSession session: String) {
        storing?.keepsReports[session] = nil
        note("sessionDestroyed", session)
        store([.sessionEnded(name: session, at: now.unix)])
    }

    /// A client has joined.
    mutating func keepConnection(_ socket: SocketID, client: String?) {
        guard let names = storing?.names, let member = clients[socket]?.membership else { return }
        let description = member.description
        store([
            .connection(
                .init(
                    name: description.id, session: member.session,
                    participant: names.participant(description.name),
                    displayName: names.displayName(description.name), role: member.role,
                    client: client.map { String($0.prefix(128)) }, joinedAt: description.creationTime))
        ])
        note("connectionCreated", member.session, description.id)
    }

    mutating func keepEnd(ofConnection connection: String, in session: String, reason: String) {
        note("connectionDestroyed", session, connection, detail: ["reason": reason])
        store([.connectionLeft(name: connection, at: now.unix, reason: reason)])
    }

    /// A stream is published, or is something else now.
    mutating func keepStream(_ stream: ServerStream, in session: String, isNew: Bool) {
        guard let names = storing?.names,
            let connection = clients[stream.owner]?.membership?.description.id
        else { return }
        store([
            .stream(
                .init(
                    name: stream.id, session: session, connection: connection,
                    content: names.content(stream.content), createdAt: stream.creationTime))
        ])
        if isNew { keepFlow(stream.slot) }
        let content = stream.content
        note(
            isNew ? "streamCreated" : "streamUpdated", session, connection,
            detail: [
                "stream": stream.id, "hasAudio": "\(content.hasAudio)", "hasVideo": "\(content.hasVideo)",
                "videoType": content.videoType.name,
            ])
    }

    mutating func keepEnd(ofStream stream: ServerStream, in session: String, reason: String) {
        let connection = clients[stream.owner]?.membership?.description.id
        note("streamDestroyed", session, connection, detail: ["stream": stream.id, "reason": reason])
        store([.streamEnded(name: stream.id, at: now.unix, reason: reason)])
    }

    /// A publication or subscription has been answered.
    mutating func keepFlow(_ id: SlotID) {
        guard storing != nil, let slot = slots[id], let key = flowKey(id) else { return }
        storing?.flows.insert(id)
        store([
            .flow(
                .init(
                    key: key, session: slot.session, stream: slot.stream,
                    isPublisher: slot.kind == .publisher,
                    createdAt: now.unix))
        ])
    }

    mutating func keepEnd(ofFlow id: SlotID, _ slot: LegSlot) {
        analysts[id] = nil
        guard storing?.flows.remove(id) != nil, let number = storing?.number(of: id),
            let connection = clients[slot.socket]?.membership?.description.id
        else { return }
        let key = FlowKey(connection: connection, number: number)
        store([.flowEnded(key, at: now.unix)])
    }

    /// The server ends, and everything with it.
    mutating func keepEndOfEverything() {
        for id in slots.keys.sorted() { slots[id].map { keepEnd(ofFlow: id, $0) } }
        for session in sessions.values.sorted(by: { $0.id < $1.id }) {
            for stream in session.streams.values.sorted(by: { $0.slot < $1.slot }) where stream.isAnnounced {
                keepEnd(ofStream: stream, in: session.id, reason: "shutdown")
            }
            for socket in session.members {
                guard let connection = clients[socket]?.membership?.description.id else { continue }
                keepEnd(ofConnection: connection, in: session.id, reason: "shutdown")
            }
            keepEnd(ofSession: session.id)
        }
    }

    /// Keeps raw reports of a session for a time, or not any longer.
    ///
    /// - Returns: Whether there is such a session, and a store.
    package mutating func keepReports(ofSession session: String, until time: Double?) -> Bool {
        guard sessions[session] != nil, storing != nil else { return false }
        storing?.keepsReports[session] = time
        return true
    }

    /// The router has switched a subscriber's video, or is about to.
    mutating func keep(_ state: FallbackState, of id: SlotID) {
        guard let slot = slots[id], let flow = flowKey(id) else { return }
        note(
            "audioFallback", slot.session, flow.connection, flow.number, isAlarm: state != .on,
            detail: ["state": state.rawValue])
    }

    /// Has something stored that happened.
    mutating func note(
        _ type: String, _ session: String, _ connection: String? = nil, _ flow: Int64? = nil,
        isAlarm: Bool = false, detail: [String: String] = [:]
    ) {
        guard let mark = ownMark() else { return }
        store([
            .event(
                .init(
                    session: session, connection: connection, flow: flow, mark: mark, type: type,
                    isAlarm: isAlarm,
                    detail: detail))
        ])
    }

    private func flowKey(_ id: SlotID) -> FlowKey? {
        guard let slot = slots[id], let number = storing?.number(of: id),
            let connection = clients[slot.socket]?.membership?.description.id
        else { return nil }
        return FlowKey(connection: connection, number: number)
    }

    private mutating func ownMark() -> EventMark? {
        storing?.mark(at: now.unix)
    }
}

extension EventRecord {
    /// What a tick caused.
    init(
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
