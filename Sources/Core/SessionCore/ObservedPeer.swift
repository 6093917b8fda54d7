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

    /// A path as its receiver sees it, which is where losses show first.
    struct Reception: Sendable {
        let condition: NetworkCondition
        /// By ``CoreTime/elapsed``, ms.
        let time: Double
    }

    /// The call's own number for it.
    let number: UInt64
    let beganAt: Duration
    var heardAt: Duration
    var observer: ConnectionObserver
    var rebuilder = ReportRebuilder()
    var redactor = StatsRedactor()
    var flows: [View: ObservedFlow] = [:]
    /// What was measured of streams whose sender may yet become known, in the order in which it came.
    private(set) var waiting: [WaitingSample] = []
    /// Whether so much was waiting that nothing waits any more.
    private var wasFull = false
    /// The time of the report before, by its own clock.
    var lastTimestamp: Double?
    /// What its receivers may know of what it sends; its times are of ``CoreTime/elapsed``, ms.
    var published: PublisherSnapshot?
    /// Who receives what it sends, as far as that is known.
    private(set) var receiver: String?
    /// How what it sends arrives there.
    var reception: Reception?
    var comparison = PathComparison()
    /// Who is at its other end, as the app says.
    var remote: String?
    /// What the app says of its tracks, by `trackIdentifier`.
    var tags: [String: TrackTag] = [:]
    /// What the app calls the tracks that it sends.
    var sentNames: Set<String> = []
    /// When someone last received what it sends by the same SSRCs.
    var directAt: Duration?
    /// When someone last received what it sends from a server that gave it others.
    var forwardedAt: Duration?
    /// Which way its packets went last; `nil` while no one knows.
    var route: ObservedRoute?

    init(number: UInt64, configuration: QualityConfiguration, at now: Duration) {
        self.number = number
        beganAt = now
        heardAt = now
        observer = ConnectionObserver(configuration: configuration)
    }

    /// Most that waits: a request with as many reports as it may have, of a peer connection that receives 16 tracks.
    private static let waitingLimit = 1024

    /// Whether anything may wait for its sender to be known.
    func mayWait(at now: Duration) -> Bool { !wasFull && now - beganAt < ObservedCall.pairingDelay }

    /// Whether a flow of it has begun, or waits for its sender.
    func knows(_ view: View) -> Bool { flows[view] != nil || waiting.contains { $0.view == view } }

    mutating func hold(_ sample: WaitingSample) {
        waiting.append(sample)
        wasFull = waiting.count >= Self.waitingLimit
    }

    /// Someone receives what it sends: what is known of the path to another is of no use.
    mutating func noteReceiver(_ participant: String) {
        guard receiver != participant else { return }
        (receiver, reception, comparison) = (participant, nil, PathComparison())
    }

    /// What waited for a view to be known.
    mutating func takeWaiting(_ view: View) -> [WaitingSample] {
        let taken = waiting.filter { $0.view == view }
        if !taken.isEmpty { waiting.removeAll { $0.view == view } }
        return taken
    }

    /// How the path to its receiver does: what either end sees of it, whichever is worse.
    func pathCondition(_ sent: NetworkCondition, at time: Double, maxAge: Double) -> NetworkCondition {
        // What is measured a second later than that shows nothing of its time.
        guard let reception, (-1000...1000 * maxAge).contains(time - reception.time),
            reception.condition != .unknown
        else { return sent }
        return sent == .unknown ? reception.condition : min(sent, reception.condition)
    }

    /// Whether what it sends goes to a server that gives it other SSRCs.
    func isForwarded(at now: Duration) -> Bool {
        forwardedAt.map { now - $0 < ObservedCall.pairingHold } ?? false && !isDirect(at: now)
    }

    /// Whether what it sends is known to arrive under its own SSRCs, so that no one's word is needed.
    func isDirect(at now: Duration) -> Bool { directAt.map { now - $0 < ObservedCall.pairingHold } ?? false }
}

extension ObservedReport.Content {
    /// What a report says as a whole; `nil` if it is that there are no more.
    func report(_ rebuilder: inout ReportRebuilder) throws(ServerError) -> StatsReport? {
        switch self {
        case .closed: return nil
        case .report(let report):
            guard report.timestamp > 0 else {
                throw ServerError(.malformed, "the report is empty, or has no times")
            }
            return report
        case .changes(let changes):
            if let report = rebuilder.add(changes) { return report }
            guard !rebuilder.isTooLarge else { throw .tooLargeReport }
            throw ServerError(.lostBase, "the next report of this peer connection has to be whole")
        }
    }
}

extension ObservedReports {
    /// What is answered to someone who is not in the call, and does not come with it; `nil` for an event, or a report that
    /// can be read.
    var receiptWithoutEntry: ObservedReceipt? {
        guard events.isEmpty else { return nil }
        var receipt = ObservedReceipt()
        for report in reports {
            var rebuilder = ReportRebuilder()
            do throws(ServerError) {
                if try report.content.report(&rebuilder) != nil { return nil }
                receipt.accepted += 1
            } catch {
                receipt.refuse(report, error)
            }
        }
        return receipt
    }
}

extension ObservedReceipt {
    /// A report was not taken.
    mutating func refuse(_ report: ObservedReport, _ error: ServerError) {
        if error.code == .lostBase {
            restart.append(report.peerConnection)
        } else {
            self.error = self.error ?? error
        }
    }
}

/// What was measured at a moment, before it is known of which flow.
struct WaitingSample: Sendable {
    let view: ObservedPeer.View
    let sample: StreamSample
    /// Unix ms by the server's clock.
    let time: Double
    /// By the participant's clock, Unix ms.
    let measured: Double
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
        // One whose first report cannot be read is none.
        var isThere = peers.keys.contains(id)
        // Taken out, so that it is changed where it is.
        var peer: ObservedPeer
        if let known = peers.removeValue(forKey: id) { peer = known } else { peer = try newPeer(id) }
        defer { if isThere { peers[id] = peer } }
        peer.heardAt = now.elapsed
        // First, for it bounds those of whom the other keeps count.
        try pace(.observedReport, participant)
        try pace(.telemetry, of: peer.number, participant)
        guard let stats = try report.content.report(&peer.rebuilder) else { return }
        if !isThere { try admit(id) }
        isThere = true
        peer.remote = report.remote ?? peer.remote
        peer.tags = report.tracks ?? peer.tags
        try judge(stats, as: report, of: id, &peer, offset)
    }

    private mutating func judge(
        _ stats: StatsReport, as report: ObservedReport, of id: ObservedPeer.ID, _ peer: inout ObservedPeer,
        _ offset: Double
    ) throws(ServerError) {
        // A report that is repeated says nothing new.
        guard stats.timestamp != peer.lastTimestamp else { return }
        peer.lastTimestamp = stats.timestamp
        let tracks = stats.inboundRTP.count + stats.outboundRTP.count
        guard tracks <= Self.trackLimit else {
            throw ServerError(.tooMany, "a report has \(Self.trackLimit) RTP streams at most")
        }
        try pace(.reportedTrack, cost: 1 + tracks, id.participant)
        noteRoute(stats, of: id.participant, &peer)
        let measured = report.measured ?? stats.timestamp
        let tick = Tick(report: stats, measured: measured, age: age(measured, offset))
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
    }

    /// One that is not there yet, as far as there is room for it.
    private mutating func newPeer(_ id: ObservedPeer.ID) throws(ServerError) -> ObservedPeer {
        guard participants[id.participant]?.peers.count ?? 0 < limits.legsPerConnection else {
            throw ServerError(
                .tooMany, "a participant has \(limits.legsPerConnection) peer connections at most")
        }
        guard peers.count < limits.observedPeersPerCall, surroundings.spareObservedPeers > 0 else {
            throw ServerError(.tooMany, "there are too many peer connections in the call, or on the server")
        }
        return ObservedPeer(number: nextNumber(), configuration: settings.quality, at: now.elapsed)
    }

    private mutating func admit(_ id: ObservedPeer.ID) throws(ServerError) {
        try pace(.publication, id.participant)
        participants.change(id.participant) { $0.peers.insert(id.name) }
    }

    private mutating func judge(_ tick: Tick, of id: ObservedPeer.ID, _ peer: inout ObservedPeer) {
        let captured = now.elapsed.milliseconds - tick.age
        let origins = origins(of: tick.report, to: id, peer)
        noteReceiver(id.participant, of: origins)
        var remote = remoteMetrics(from: origins.whole, origins.isForwarded, at: captured)
        // Between peers a queue may be in the other one's network.
        let isServed = !peer.isDirect(at: now.elapsed) && (origins.isForwarded || origins.whole == nil)
        if isServed {
            remote.queueDirection = participants[id.participant]?.queue
                .direction(beside: id.name, at: captured)
        }
        var result = peer.observer.handle(
            tick.report, remote: remote,
            origins: origins.entries.map { origin in
                origin.map { remoteMetrics(from: $0, $0.isForwarded, at: captured) }
            })
        let queue = isServed ? peer.observer.queueDirection : nil
        participants.change(id.participant) { $0.queue.note(queue, by: id.name, at: captured) }
        note(&result, tick.report, of: id, &peer, at: captured)
        noteReception(result.received, from: origins.whole, by: id.participant, at: captured)
        var records: [StoreRecord] = []
        // Where each track is someone's known, all of them together are no one's.
        if origins.areSeveralKnown, !result.receivedTracks.isEmpty {
            result.received = nil
            _ = peer.takeWaiting(.init(role: .subscriber, track: nil))
        }
        for observation in result.all {
            let origin = origins.origin(of: observation.track, in: tick.report)
            let sample = waitingSample(observation, tick, of: id.participant)
            // Each flow that begins stays in the store: ever new tracks would fill it.
            guard peer.knows(sample.view) || mayBeginFlow(of: id.participant) else { continue }
            guard let flow = flow(for: observation, from: origin, at: sample.time, of: id, &peer) else {
                peer.hold(sample)
                continue
            }
            records += (peer.takeWaiting(sample.view) + [sample]).flatMap { self.records(of: $0, flow, id) }
        }
        store(records + keptReport(tick, of: id, &peer))
        if !peer.mayWait(at: now.elapsed) { endWaiting(of: id, &peer) }
        endGone(of: id, &peer)
    }

    /// The report itself, while such are kept, with the first of the flows that it is of; none while that waits for its
    /// sender.
    private func keptReport(_ tick: Tick, of id: ObservedPeer.ID, _ peer: inout ObservedPeer) -> [StoreRecord]
    {
        guard let keepsReports, keepsReports >= now.unix,
            let flow = peer.flows.values.min(by: { $0.endpoint < $1.endpoint }),
            let key = flowKey(flow, id.participant)
        else { return [] }
        let json = peer.redactor.redact(tick.report).json()
        let mark = EventMark(
            time: time(of: tick, id.participant), capturedAt: tick.measured, eventId: eventId(id, flow))
        let context = ReportContext(leg: id.name)
        return [.report(.init(flow: key, mark: mark, json: json, context: context))]
    }

    private mutating func mayBeginFlow(of participant: String) -> Bool {
        do throws(ServerError) {
            try pace(.observedFlow, participant)
            return true
        } catch {
            return false
        }
    }

    private func waitingSample(
        _ observation: StreamObservation, _ tick: Tick, of participant: String
    ) -> WaitingSample {
        var sample =
            switch observation {
            case .publisher(let observation): StreamSample(observation)
            case .subscriber(let observation): StreamSample(observation)
            }
        let time = time(of: tick, participant)
        sample.date(to: time, from: tick.report.timestamp)
        return WaitingSample(
            view: .init(role: observation.role, track: observation.track), sample: sample, time: time,
            measured: tick.measured)
    }

    func records(
        of waiting: WaitingSample, _ flow: ObservedFlow, _ id: ObservedPeer.ID
    ) -> [StoreRecord] {
        guard let key = flowKey(flow, id.participant) else { return [] }
        let eventId = eventId(id, flow)
        let mark = EventMark(time: waiting.time, capturedAt: waiting.measured, eventId: eventId)
        return records(waiting.sample, of: key, mark, eventId: eventId)
    }

    private func time(of tick: Tick, _ participant: String) -> Double {
        let start = participants[participant]?.joinedAt ?? now.unix
        return min(now.unix, max(start, now.unix - tick.age))
    }

    /// The same if the same report comes again.
    private func eventId(_ peer: ObservedPeer.ID, _ flow: ObservedFlow) -> String {
        "\(id.rawValue) \(peer.participant) \(peer.name) \(flow.endpoint.number)"
    }

    func flowKey(_ flow: ObservedFlow, _ participant: String) -> FlowKey? {
        guard let storing, let connection = participants[participant]?.connection else { return nil }
        return FlowKey(connection: connection.rawValue, number: storing.number(of: flow.endpoint))
    }
}
