// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import SessionWire
import WebRTCStats

/// Judges what participants say of their peer connections.
extension ObservedCall {
    /// Judges what a participant says of a peer connection.
    mutating func judge(
        _ report: ObservedReport, of participant: String, _ offset: Double
    ) throws(ServerError) {
        let id = ObservedPeer.ID(participant: participant, name: report.peerConnection)
        if report.content == .closed { return end(id) }
        if try isRepeated(report, of: id) { return }
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
        noteTaken(report, of: id)
    }

    /// Whether a report was taken before, which its sender did not hear of.
    ///
    /// It is not judged once more, and its message waits until what it said the first time is stored.
    private mutating func isRepeated(
        _ report: ObservedReport, of id: ObservedPeer.ID
    ) throws(ServerError) -> Bool {
        guard let time = report.measured else { return false }
        let elapsed = now.elapsed
        let known = participants.change(id.participant) { $0.taken.again(id.name, time: time, at: elapsed) }
        guard let former = known ?? nil else { return false }
        try pace(.observedReport, id.participant)
        peers[id]?.heardAt = elapsed
        if let ticket = batch.message, let first = former.ticket { add(.follow(first, by: ticket)) }
        // What follows may build on it, if it is said in other words than the first time.
        if case .changes(let changes) = report.content, peers[id]?.rebuilder.isPast(changes) == false,
            peers[id]?.rebuilder.add(changes) == nil
        {
            throw ServerError(.lostBase, "the next report of this peer connection has to be whole")
        }
        return true
    }

    private mutating func noteTaken(_ report: ObservedReport, of id: ObservedPeer.ID) {
        guard let time = report.measured else { return }
        let (elapsed, message) = (now.elapsed, batch.message)
        participants.change(id.participant) { $0.taken.insert(id.name, time: time, message, at: elapsed) }
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
        let isDirect = peer.path.arrival(at: now.elapsed) == .direct
        let isServed = !isDirect && (origins.isForwarded || origins.whole == nil)
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
            batch.release(peer.takeWaiting(.init(role: .subscriber, track: nil)), isStored: false)
        }
        for observation in result.all {
            let origin = origins.origin(of: observation.track, in: tick.report)
            let sample = waitingSample(observation, tick, of: id.participant)
            // Each flow that begins stays in the store: ever new tracks would fill it.
            guard peer.knows(sample.view) || mayBeginFlow(of: id.participant) else { continue }
            guard let flow = flow(for: observation, from: origin, at: sample.time, of: id, &peer) else {
                hold(sample, of: tick.report, at: id, &peer)
                continue
            }
            let held = peer.takeWaiting(sample.view)
            batch.release(held, isStored: true)
            records += (held + [sample]).flatMap { self.records(of: $0, flow, id) }
        }
        store(records + keptReport(tick, of: id, &peer))
        if !peer.mayWait(at: now.elapsed) { endWaiting(of: id, &peer) }
        endGone(of: id, &peer)
    }

    /// Has a sample wait until it is known whose stream it is of.
    private mutating func hold(
        _ sample: WaitingSample, of report: StatsReport, at id: ObservedPeer.ID, _ peer: inout ObservedPeer
    ) {
        peer.hold(sample, of: report)
        batch.hold()
        holding.insert(id)
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
            time: time(of: tick, id.participant), capturedAt: tick.measured, eventId: eventId(id, "report"))
        let context = ReportContext(leg: LegName(id.name))
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
            measured: tick.measured, ticket: batch.message)
    }

    func records(
        of waiting: WaitingSample, _ flow: ObservedFlow, _ id: ObservedPeer.ID
    ) -> [StoreRecord] {
        guard let key = flowKey(flow, id.participant) else { return [] }
        let eventId = eventId(id, waiting.view.name)
        let mark = EventMark(time: waiting.time, capturedAt: waiting.measured, eventId: eventId)
        return records(waiting.sample, of: key, mark, eventId: eventId)
    }

    private func time(of tick: Tick, _ participant: String) -> Double {
        let start = participants[participant]?.joinedAt ?? now.unix
        return min(now.unix, max(start, now.unix - tick.age))
    }

    /// The same if the same report comes again, also to another run of the server: numbers of flows are others then.
    private func eventId(_ peer: ObservedPeer.ID, _ part: String) -> String {
        "\(id.rawValue) \(peer.participant) \(peer.name) \(part)"
    }

    func flowKey(_ flow: ObservedFlow, _ participant: String) -> FlowKey? {
        guard let storing, let connection = participants[participant]?.connection else { return nil }
        return FlowKey(connection: connection.rawValue, number: storing.number(of: flow.endpoint))
    }
}
