// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import MediaPolicy
import RouterWire
import SessionWire
import WebRTCStats

// MARK: - Telemetry

extension LiveSession {
    /// Has telemetry stored, which is acknowledged once it is; at once if there is no store.
    ///
    /// - Parameter measured: The times of the events by the client's clock, which stay the same when an event is sent
    ///   again.
    mutating func keep(_ events: [MeasuredEvent], measured: [Double], id: Int, from member: Identity) {
        let eventIds = events.map(\.eventId)
        var records: [StoreRecord] = []
        for (event, measured) in zip(events, measured) where storing != nil {
            let time = timeOfStay(event.capturedAt, of: member)
            let mark = EventMark(time: time, capturedAt: measured, eventId: event.eventId)
            records += self.records(event, mark, from: member)
        }
        guard !records.isEmpty else {
            // Nothing to store is stored at once.
            let received = ServerMessage.Acknowledged(eventIds: eventIds, receivedAt: now.unix)
            return answer(member.client, id, .acknowledged(received))
        }
        let telemetry = CoreStoring.Telemetry(client: member.client, message: id, eventIds: eventIds)
        add(.store(records, for: .telemetry(telemetry)))
    }

    /// A time between the client's coming and now; one from before it came is as good as unknown, and is now.
    private func timeOfStay(_ time: Double, of member: Identity) -> Double {
        let start = member.description.creationTime
        return time >= start - 1000 ? min(now.unix, max(start, time)) : now.unix
    }

    private mutating func records(
        _ event: MeasuredEvent, _ mark: EventMark, from member: Identity
    ) -> [StoreRecord] {
        guard let id = names(of: member).flow(of: event.leg), let flow = flowKey(id, of: member) else {
            return []
        }
        var records: [StoreRecord] = []
        if let report = event.report, keepsReports.map({ mark.time <= $0 }) == true,
            let endpoint = endpoints[id], let end = analysedEnd(of: event.leg, endpoint, member),
            let json = analysts.redacted(report, of: id, to: end)
        {
            let context = event.context ?? ReportContext(leg: event.leg)
            records.append(.report(.init(flow: flow, mark: mark, json: json, context: context)))
        }
        guard var sample = event.sample else { return records }
        holdBlame(&sample, to: publisherCondition(for: event.leg, id, member))
        return records + self.records(sample, of: flow, mark, eventId: event.eventId)
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

    /// What the router, or else the publisher itself, says of the network of a subscription's publisher; `nil` if no one
    /// does.
    private func publisherCondition(
        for leg: LegName, _ id: EndpointID, _ member: Identity
    ) -> TransportStats? {
        guard let endpoint = endpoints[id], let stream = streams[endpoint.stream] else { return nil }
        if let seen = seenTransport(of: stream) { return seen }
        let said = names(of: member).relays[leg].map { relays[$0]?.sample } ?? stream.sample
        guard let said, now.elapsed - said.receivedAt <= quality.ageLimit else { return nil }
        let transport = TransportStats(said.sample)
        return transport.networkCondition == .unknown ? nil : transport
    }

    /// Has the router's view of a flow stored.
    mutating func keep(_ sample: StreamSample, ofRouterAt endpoint: Endpoint) {
        guard let flow = flowKey(endpoint), let mark = ownMark() else { return }
        store([.sample(.init(flow: flow, observer: .router, mark: mark, sample: sample))])
    }
}

// MARK: - Ratings

extension LiveSession {
    /// Has stored what a member says of the call.
    mutating func rate(_ rating: CallRating, id: Int, _ member: Identity) throws(ServerError) {
        try pace(.rating, by: member.client)
        try keep(rating, of: member.connection)
        answer(member.client, id, .done)
    }
}

// MARK: - Lives

extension LiveSession {
    /// The session has begun.
    mutating func keepBeginning() {
        keepBeginning(.hosted(mediaMode), createdAt: creationTime)
    }

    /// A client has joined.
    mutating func keepConnection(_ member: Identity, software: String?) {
        guard let names = storing?.names else { return }
        let description = member.description
        store([
            .connection(
                .init(
                    name: description.id, session: id.rawValue,
                    participant: names.participant(description.name),
                    displayName: names.displayName(description.name), role: member.grant.role,
                    client: software?.cut(toBytes: 128), joinedAt: description.creationTime))
        ])
        note("connectionCreated", member.connection)
    }

    mutating func keepEnd(of connection: ConnectionID, reason: EndReason) {
        note("connectionDestroyed", connection, detail: ["reason": reason.name])
        store([.connectionLeft(name: connection.rawValue, at: now.unix, reason: reason)])
    }

    /// A stream is published, or is something else now.
    mutating func keepStream(_ stream: PublishedStream, isNew: Bool) {
        guard let names = storing?.names, let connection = identity(of: stream.owner)?.connection
        else {
            return
        }
        let content = stream.content
        store([
            .stream(
                .init(
                    name: stream.id.rawValue, session: id.rawValue, connection: connection.rawValue,
                    content: names.content(content), createdAt: stream.creationTime))
        ])
        if isNew { keepFlow(stream.publication) }
        note(
            isNew ? "streamCreated" : "streamUpdated", connection,
            detail: [
                "stream": stream.id.rawValue, "hasAudio": "\(content.hasAudio)",
                "hasVideo": "\(content.hasVideo)", "videoType": content.videoType.name,
            ])
    }

    mutating func keepEnd(of stream: PublishedStream, reason: EndReason) {
        let connection = identity(of: stream.owner)?.connection
        note("streamDestroyed", connection, detail: ["stream": stream.id.rawValue, "reason": reason.name])
        store([.streamEnded(name: stream.id.rawValue, at: now.unix, reason: reason)])
    }

    /// A publication or subscription has been answered.
    mutating func keepFlow(_ id: EndpointID) {
        guard let endpoint = endpoints[id], let key = flowKey(endpoint) else { return }
        endpoints.change(id) { $0.isStored = true }
        store([
            .flow(
                .init(
                    key: key, session: self.id.rawValue, stream: endpoint.stream.rawValue,
                    role: endpoint.kind == .publisher ? .publisher : .subscriber, createdAt: now.unix))
        ])
    }

    mutating func keepEnd(ofFlow endpoint: Endpoint) {
        guard endpoint.isStored, let key = flowKey(endpoint) else { return }
        store([.flowEnded(key, at: now.unix)])
    }

    /// The server ends, and everything with it.
    mutating func keepShutdown() {
        for endpoint in endpoints.values.sorted(by: { $0.id < $1.id }) { keepEnd(ofFlow: endpoint) }
        for stream in streams.values.sorted(by: { $0.publication < $1.publication }) where stream.isAnnounced
        {
            keepEnd(of: stream, reason: .shutdown)
        }
        for member in roster.compactMap({ identity(of: $0) }) {
            keepEnd(of: member.connection, reason: .shutdown)
        }
        keepEnd(mayReturn: true)
    }

    /// The router has switched a subscriber's video, or is about to.
    mutating func keep(_ state: FallbackState, of id: EndpointID) {
        guard let endpoint = endpoints[id], let flow = flowKey(endpoint) else { return }
        note(
            "audioFallback", ConnectionID(flow.connection), flow.number, isAlarm: state != .on,
            detail: ["state": state.rawValue])
    }

    private func flowKey(_ endpoint: Endpoint) -> FlowKey? {
        identity(of: endpoint.client).flatMap { flowKey(endpoint.id, of: $0) }
    }

    /// How the store knows a publication or subscription of a member's, also one that has ended.
    private func flowKey(_ id: EndpointID, of member: Identity) -> FlowKey? {
        storing.map { FlowKey(connection: member.description.id, number: $0.number(of: id)) }
    }
}
