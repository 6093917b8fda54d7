// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import SessionWire
import WebRTCStats

/// A peer connection of a participant of an observed call.
struct ObservedPeer: Sendable {
    struct ID: Hashable, Sendable, Comparable {
        let participant: String
        /// The participant's name for it.
        let name: String

        static func < (first: Self, second: Self) -> Bool {
            (first.participant, first.name) < (second.participant, second.name)
        }
    }

    /// What is judged alone: all that it sends or receives, or a track where there are several of a kind.
    struct View: Hashable, Sendable {
        let role: StreamRole
        let track: MediaTrack?
    }

    /// The call's own number for it.
    let number: UInt64
    let beganAt: Duration
    var heardAt: Duration
    var observer: ConnectionObserver
    var rebuilder = ReportRebuilder()
    var redactor = StatsRedactor()
    var flows: [View: ObservedFlow] = [:]
    /// The time of the report before, by its own clock.
    var lastTimestamp: Double?
    /// What its receivers may know of what it sends; its times are of ``CoreTime/elapsed``, ms.
    var published: PublisherSnapshot?
    /// Who receives what it sends, as far as that is known.
    var receiver: String?
    /// Who is at its other end, as the app says.
    var remote: String?
    /// Which way its packets went last; `nil` while no one knows.
    var route: ObservedRoute?

    init(number: UInt64, configuration: QualityConfiguration, at now: Duration) {
        self.number = number
        beganAt = now
        heardAt = now
        observer = ConnectionObserver(configuration: configuration)
    }

    /// What a report says as a whole.
    mutating func report(of content: ObservedReport.Content) throws(ServerError) -> StatsReport? {
        switch content {
        case .closed: return nil
        case .report(let report):
            guard report.timestamp > 0 else {
                throw ServerError(.malformed, "the report is empty, or has no times")
            }
            return report
        case .changes(let changes):
            guard let report = rebuilder.add(changes) else {
                throw ServerError(.lostBase, "the next report of this peer connection has to be whole")
            }
            return report
        }
    }
}

/// A publication or subscription of an observed call, as the store has it.
struct ObservedFlow: Sendable {
    let endpoint: EndpointID
    let stream: StreamID
    /// What is sent, if it is the peer connection's own stream; `nil` if it is another participant's, or no one knows whose.
    var content: StreamContent?
    /// Whether the stream is there for this flow alone, because no one knows who sends it.
    let isOfUnknown: Bool
    let beganAt: Duration
    /// When it was observed last.
    var heardAt: Duration
}

// MARK: - Judging

extension ObservedCall {
    /// Judges what a participant says of a peer connection.
    mutating func judge(
        _ report: ObservedReport, of participant: String, _ offset: Double
    ) throws(ServerError) {
        let id = ObservedPeer.ID(participant: participant, name: report.peerConnection)
        if report.content == .closed { return end(id) }
        // Taken out, so that it is changed where it is.
        var peer = try takeOut(id)
        defer { peers[id] = peer }
        peer.heardAt = now.elapsed
        try pace(.telemetry, of: peer.number, participant)
        try pace(.observedReport, participant)
        peer.remote = report.remote ?? peer.remote
        guard let stats = try peer.report(of: report.content) else { return }
        // A report that is repeated says nothing new.
        guard stats.timestamp != peer.lastTimestamp else { return }
        peer.lastTimestamp = stats.timestamp
        let tracks = stats.inboundRTP.count + stats.outboundRTP.count
        guard tracks <= Self.trackLimit else {
            throw ServerError(.tooMany, "a report has \(Self.trackLimit) RTP streams at most")
        }
        try pace(.observedTrack, cost: 1 + tracks, participant)
        noteRoute(stats, of: participant, &peer)
        let measured = report.measured ?? stats.timestamp
        let tick = Tick(
            report: stats, measured: measured, age: age(measured, offset), name: report.peerConnection)
        judge(tick, of: id, &peer)
    }

    /// Has stored which way packets go, once each time that it changes.
    private mutating func noteRoute(
        _ report: StatsReport, of participant: String, _ peer: inout ObservedPeer
    ) {
        guard let route = ObservedRoute(report), route != peer.route else { return }
        peer.route = route
        note("networkPath", participants[participant]?.connection, detail: route.detail)
    }

    /// Most RTP streams of a peer connection, sent and received.
    private static let trackLimit = 256

    /// A report and its time.
    private struct Tick {
        let report: StatsReport
        /// By the participant's clock, Unix ms.
        let measured: Double
        /// How long ago that was, ms.
        let age: Double
        let name: String
    }

    private mutating func takeOut(_ id: ObservedPeer.ID) throws(ServerError) -> ObservedPeer {
        if let peer = peers.removeValue(forKey: id) { return peer }
        guard participants[id.participant]?.peers.count ?? 0 < limits.legsPerConnection else {
            throw ServerError(
                .tooMany, "a participant has \(limits.legsPerConnection) peer connections at most")
        }
        guard peers.count < limits.observedPeersPerCall, surroundings.spareObservedPeers > 0 else {
            throw ServerError(.tooMany, "there are too many peer connections in the call, or on the server")
        }
        try pace(.publication, id.participant)
        participants.change(id.participant) { $0.peers.insert(id.name) }
        return ObservedPeer(number: nextNumber(), configuration: settings.quality, at: now.elapsed)
    }

    private mutating func judge(_ tick: Tick, of id: ObservedPeer.ID, _ peer: inout ObservedPeer) {
        let captured = now.elapsed.milliseconds - tick.age
        let sender = sender(to: id, peer, tick.report)
        if let sender, mayReceive(id.participant, from: sender) { peers[sender]?.receiver = id.participant }
        var result = peer.observer.handle(tick.report, remote: remoteMetrics(from: sender, at: captured))
        note(&result, tick.report, of: id, &peer, at: captured)
        var records: [StoreRecord] = []
        for observation in result.all {
            guard let flow = flow(for: observation, from: sender, of: id, &peer) else { continue }
            records += self.records(of: observation, flow, tick, id)
        }
        store(records + keptReport(tick, of: id, &peer))
        endGone(of: id, &peer)
    }

    /// The report itself, while such are kept, with the first of the flows that it is of.
    private func keptReport(_ tick: Tick, of id: ObservedPeer.ID, _ peer: inout ObservedPeer) -> [StoreRecord]
    {
        guard let keepsReports, keepsReports >= now.unix,
            let flow = peer.flows.values.min(by: { $0.endpoint < $1.endpoint }),
            let key = flowKey(flow, id.participant)
        else { return [] }
        let json = peer.redactor.redact(tick.report).json()
        return [.report(.init(flow: key, mark: mark(tick, id.participant, flow), json: json))]
    }

    private func records(
        of observation: StreamObservation, _ flow: ObservedFlow, _ tick: Tick, _ id: ObservedPeer.ID
    ) -> [StoreRecord] {
        guard let key = flowKey(flow, id.participant) else { return [] }
        var sample =
            switch observation {
            case .publisher(let observation): StreamSample(observation)
            case .subscriber(let observation): StreamSample(observation)
            }
        let mark = mark(tick, id.participant, flow)
        if let since = sample.diagnosis?.since {
            sample.diagnosis?.since = max(0, mark.time - max(0, tick.report.timestamp - since))
        }
        return records(sample, of: key, mark, eventId: eventId(tick, id.participant, flow))
    }

    private func mark(_ tick: Tick, _ participant: String, _ flow: ObservedFlow) -> EventMark {
        let start = participants[participant]?.joinedAt ?? now.unix
        return EventMark(
            time: min(now.unix, max(start, now.unix - tick.age)), capturedAt: tick.measured,
            eventId: eventId(tick, participant, flow))
    }

    /// The same if the same report comes again.
    private func eventId(_ tick: Tick, _ participant: String, _ flow: ObservedFlow) -> String {
        "\(id.rawValue) \(participant) \(tick.name) \(flow.endpoint.number)"
    }

    private func flowKey(_ flow: ObservedFlow, _ participant: String) -> FlowKey? {
        guard let storing, let connection = participants[participant]?.connection else { return nil }
        return FlowKey(connection: connection.rawValue, number: storing.number(of: flow.endpoint))
    }
}

// MARK: - Both ends of a stream

extension ObservedCall {
    /// Most SSRCs of a peer connection that are remembered.
    private static let ssrcLimit = 256

    /// The one peer connection that sends what another receives: the same SSRCs, or else as the app says; `nil` if
    /// none does, or several say so.
    private func sender(
        to id: ObservedPeer.ID, _ peer: ObservedPeer, _ report: StatsReport
    ) -> ObservedPeer.ID? {
        let bySSRC = report.inboundRTP.compactMap(\.ssrc).prefix(Self.ssrcLimit)
            .reduce(into: Set<ObservedPeer.ID>()) { $0.formUnion(senders[$1] ?? []) }
            .filter { $0 != id }
        if !bySSRC.isEmpty { return bySSRC.count == 1 ? bySSRC.first : nil }
        guard let remote = peer.remote, let names = participants[remote]?.peers else { return nil }
        let sending = names.map { ObservedPeer.ID(participant: remote, name: $0) }
            .filter { $0 != id && peers[$0]?.published != nil }
        let towards = sending.filter { peers[$0]?.remote == id.participant }
        let found = towards.isEmpty ? sending : towards
        return found.count == 1 ? found.first : nil
    }

    /// Whether a participant may count as the receiver of a peer connection: one participant's word changes nothing that
    /// is known of another.
    ///
    /// Its sender says so, or says nothing, and no one who is there came first.
    private func mayReceive(_ participant: String, from sender: ObservedPeer.ID) -> Bool {
        guard let peer = peers[sender] else { return false }
        if let remote = peer.remote { return remote == participant }
        return peer.receiver.map { participants[$0] == nil } ?? true
    }

    /// What a receiver learns of its sender.
    private func remoteMetrics(from sender: ObservedPeer.ID?, at captured: Double) -> RemoteMetrics {
        guard let published = sender.flatMap({ peers[$0]?.published }) else { return RemoteMetrics() }
        // Whoever sees the call sees both ends of it.
        return RemoteMetrics(
            senderStatsTrack: true, publisher: Aged(published.facts, age: max(0, published.age(at: captured)))
        )
    }

    /// Takes note of what a peer connection sends, for those who receive it, and compares it with the others of the
    /// same participant.
    private mutating func note(
        _ result: inout ConnectionObserver.Result, _ report: StatsReport, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer, at captured: Double
    ) {
        guard var sent = result.sent else { return }
        let conditions =
            [sent.mediaLink.first?.transport.networkCondition ?? .unknown]
            + siblings(of: id, peer, at: captured)
        let verdict = DegradationJudge.verdicts(on: conditions)[0]
        if !sent.mediaLink.isEmpty { sent.mediaLink[0].degradationVerdict = verdict }
        result.sent = sent
        for index in result.sentTracks.indices where !result.sentTracks[index].mediaLink.isEmpty {
            result.sentTracks[index].mediaLink[0].degradationVerdict = verdict
        }
        let former = peer.published?.ssrcs ?? []
        let latest = PublisherSnapshot(sent, report, at: captured)
        peer.published = latest
        register(id, instead: former, latest.ssrcs)
    }

    /// How a participant's other ways to other receivers do; none if it is not known where this one leads.
    private func siblings(
        of id: ObservedPeer.ID, _ peer: ObservedPeer, at captured: Double
    ) -> [NetworkCondition] {
        guard let receiver = peer.receiver else { return [] }
        let names = participants[id.participant]?.peers ?? []
        return names.compactMap { name in
            guard name != id.name,
                let other = peers[ObservedPeer.ID(participant: id.participant, name: name)],
                let theirs = other.receiver, theirs != receiver, let published = other.published,
                published.age(at: captured) <= settings.quality.remoteMetricsMaxAge
            else { return nil }
            return published.facts.transport?.networkCondition
        }
    }

    private mutating func register(
        _ id: ObservedPeer.ID, instead former: Set<UInt64>, _ latest: Set<UInt64>
    ) {
        guard former != latest else { return }
        for ssrc in former.subtracting(latest) {
            senders[ssrc]?.remove(id)
            if senders[ssrc]?.isEmpty == true { senders[ssrc] = nil }
        }
        for ssrc in latest.subtracting(former).prefix(Self.ssrcLimit) {
            senders[ssrc, default: []].insert(id)
        }
    }
}

// MARK: - Flows

extension ObservedCall {
    /// How long a receiver waits for its sender to be known before it counts as someone unknown.
    private static let pairingDelay: Duration = .seconds(3)
    /// How long a receiver keeps its sender at least: several who claim its SSRCs in turn are not each to begin a flow.
    private static let pairingHold: Duration = .seconds(10)

    /// The flow that an observation is of; `nil` while it is not known what it is.
    private mutating func flow(
        for observation: StreamObservation, from sender: ObservedPeer.ID?, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer
    ) -> ObservedFlow? {
        let view = ObservedPeer.View(role: observation.role, track: observation.track)
        defer { peer.flows[view]?.heardAt = now.elapsed }
        switch observation {
        case .publisher(let sent): return publication(view, sent, of: id, &peer)
        case .subscriber: return subscription(view, from: sender, of: id, &peer)
        }
    }

    /// Ends the flows of tracks that have been gone for long.
    private mutating func endGone(of id: ObservedPeer.ID, _ peer: inout ObservedPeer) {
        let limit = now.elapsed - settings.timeouts.observedSilence
        let gone = peer.flows.filter { $0.value.heardAt <= limit }
        for (view, flow) in gone.sorted(by: { $0.value.endpoint < $1.value.endpoint }) {
            peer.flows[view] = nil
            end(flow, of: id.participant)
        }
    }

    private mutating func makeFlow(
        of stream: StreamID, _ content: StreamContent?, isOfUnknown: Bool
    ) -> ObservedFlow {
        ObservedFlow(
            endpoint: EndpointID(number: nextNumber()), stream: stream, content: content,
            isOfUnknown: isOfUnknown, beganAt: now.elapsed, heardAt: now.elapsed)
    }

    private mutating func publication(
        _ view: ObservedPeer.View, _ sent: PublisherObservation, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer
    ) -> ObservedFlow? {
        let content = StreamContent(hasAudio: !sent.audio.isEmpty, hasVideo: !sent.video.isEmpty)
        if var known = peer.flows[view] {
            if known.content != content {
                known.content = content
                peer.flows[view] = known
                keep(content, of: known.stream, by: id.participant)
            }
            return known
        }
        let flow = makeFlow(of: StreamID(ids.next()), content, isOfUnknown: false)
        keep(content, of: flow.stream, by: id.participant)
        begin(flow, view, of: id, &peer)
        participants.change(id.participant) { $0.streams += 1 }
        note(
            "streamCreated", participants[id.participant]?.connection,
            detail: [
                "stream": flow.stream.rawValue, "hasAudio": "\(content.hasAudio)",
                "hasVideo": "\(content.hasVideo)", "videoType": content.videoType.name,
            ])
        return flow
    }

    private mutating func subscription(
        _ view: ObservedPeer.View, from sender: ObservedPeer.ID?, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer
    ) -> ObservedFlow? {
        let sent = sender.flatMap { stream(of: $0, for: view.track) }
        if let known = peer.flows[view] {
            guard let sent, sent != known.stream, mayChange(known) else { return known }
            end(known, of: id.participant)
        } else if sent == nil, now.elapsed - peer.beganAt < Self.pairingDelay {
            return nil
        }
        let flow = makeFlow(of: sent ?? StreamID(ids.next()), nil, isOfUnknown: sent == nil)
        if flow.isOfUnknown {
            let content = StreamContent(
                hasAudio: view.track?.kind != .video, hasVideo: view.track?.kind != .audio)
            keep(content, of: flow.stream, by: nil)
        }
        begin(flow, view, of: id, &peer)
        return flow
    }

    /// Whether a subscription may be to another stream from now on.
    private func mayChange(_ flow: ObservedFlow) -> Bool {
        flow.isOfUnknown || now.elapsed - flow.beganAt >= Self.pairingHold
    }

    /// The stream that a peer connection sends: the track that the receiver means, or all of it.
    private func stream(of sender: ObservedPeer.ID, for track: MediaTrack?) -> StreamID? {
        let flows = peers[sender]?.flows ?? [:]
        let own = flows.first { view, _ in
            view.role == .publisher && view.track != nil && view.track?.ssrc == track?.ssrc
        }
        return (own?.value ?? flows[.init(role: .publisher, track: nil)])?.stream
    }

    private mutating func keep(_ content: StreamContent, of stream: StreamID, by participant: String?) {
        store([
            .stream(
                .init(
                    name: stream.rawValue, session: id.rawValue,
                    connection: participant.flatMap { participants[$0]?.connection.rawValue },
                    content: content, createdAt: now.unix))
        ])
    }

    private mutating func begin(
        _ flow: ObservedFlow, _ view: ObservedPeer.View, of id: ObservedPeer.ID, _ peer: inout ObservedPeer
    ) {
        peer.flows[view] = flow
        guard let key = flowKey(flow, id.participant) else { return }
        store([
            .flow(
                .init(
                    key: key, session: self.id.rawValue, stream: flow.stream.rawValue,
                    role: view.role, createdAt: now.unix))
        ])
    }

    private mutating func end(_ flow: ObservedFlow, of participant: String) {
        if let key = flowKey(flow, participant) { store([.flowEnded(key, at: now.unix)]) }
        guard flow.content != nil || flow.isOfUnknown else { return }
        store([.streamEnded(name: flow.stream.rawValue, at: now.unix, reason: .left)])
        guard flow.content != nil else { return }
        participants.change(participant) { $0.streams -= 1 }
        note(
            "streamDestroyed", participants[participant]?.connection,
            detail: ["stream": flow.stream.rawValue, "reason": EndReason.left.name])
    }

    /// A peer connection is closed, or nothing was heard of it for long.
    mutating func end(_ id: ObservedPeer.ID) {
        guard let peer = peers.removeValue(forKey: id) else { return }
        register(id, instead: peer.published?.ssrcs ?? [], [])
        for flow in peer.flows.values.sorted(by: { $0.endpoint < $1.endpoint }) {
            end(flow, of: id.participant)
        }
        participants.change(id.participant) { $0.peers.remove(id.name) }
    }
}
