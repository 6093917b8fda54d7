// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import SessionWire
import WebRTCStats

/// Publications and subscriptions of observed calls, as the store has them.
extension ObservedCall {
    /// How long a receiver waits for its sender to be known before it counts as someone unknown; what it measures
    /// meanwhile waits, too.
    static let pairingDelay: Duration = .seconds(3)
    /// How long a receiver keeps its sender at least: several who claim its SSRCs in turn are not each to begin a flow.
    static let pairingHold: Duration = .seconds(10)

    /// The flow that an observation is of; `nil` while it is not known what it is.
    ///
    /// - Parameter time: When it was measured, Unix ms: a flow of which it is the first begins then.
    mutating func flow(
        for observation: StreamObservation, from origin: StreamOrigin?, at time: Double,
        of id: ObservedPeer.ID, _ peer: inout ObservedPeer
    ) -> ObservedFlow? {
        let view = ObservedPeer.View(role: observation.role, track: observation.track)
        defer { peer.flows[view]?.heardAt = now.elapsed }
        switch observation {
        case .publisher(let sent): return publication(view, sent, at: time, of: id, &peer)
        case .subscriber: return subscription(view, from: origin, at: time, of: id, &peer)
        }
    }

    /// Ends the flows of tracks that have been gone for long.
    mutating func endGone(of id: ObservedPeer.ID, _ peer: inout ObservedPeer) {
        let limit = now.elapsed - settings.timeouts.observedSilence
        let gone = peer.flows.filter { $0.value.heardAt <= limit }
        for (view, flow) in gone.sorted(by: { $0.value.endpoint < $1.value.endpoint }) {
            peer.flows[view] = nil
            end(flow, of: id.participant)
        }
    }

    private mutating func makeFlow(of stream: StreamID, _ owner: ObservedFlow.Owner) -> ObservedFlow {
        ObservedFlow(
            endpoint: EndpointID(number: nextNumber()), stream: stream, owner: owner, beganAt: now.elapsed,
            heardAt: now.elapsed)
    }

    private mutating func publication(
        _ view: ObservedPeer.View, _ sent: PublisherObservation, at time: Double, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer
    ) -> ObservedFlow? {
        let content = StreamContent(hasAudio: !sent.audio.isEmpty, hasVideo: !sent.video.isEmpty)
        if var known = peer.flows[view] {
            if known.owner != .own(content) {
                known.owner = .own(content)
                peer.flows[view] = known
                keep(content, of: known.stream, by: id.participant, since: time)
            }
            return known
        }
        let flow = makeFlow(of: StreamID(ids.next()), .own(content))
        keep(content, of: flow.stream, by: id.participant, since: time)
        begin(flow, view, at: time, of: id, &peer)
        participants.change(id.participant) { $0.streams += 1 }
        note(
            "streamCreated", participants[id.participant]?.connection, at: time,
            detail: [
                "stream": flow.stream.rawValue, "hasAudio": "\(content.hasAudio)",
                "hasVideo": "\(content.hasVideo)", "videoType": content.videoType.name,
            ])
        return flow
    }

    private mutating func subscription(
        _ view: ObservedPeer.View, from origin: StreamOrigin?, at time: Double, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer
    ) -> ObservedFlow? {
        let sent = origin.flatMap { stream(of: $0, for: view.track) }
        if let known = peer.flows[view] {
            guard let sent, sent != known.stream, mayChange(known) else { return known }
            end(known, at: time, of: id.participant)
        } else if sent == nil, peer.mayWait(at: now.elapsed) {
            return nil
        }
        let first = peer.waiting.beginning(of: view)
        return beginSubscription(view, to: sent, at: min(first ?? time, time), of: id, &peer)
    }

    /// - Parameter sent: `nil` for someone unknown's.
    private mutating func beginSubscription(
        _ view: ObservedPeer.View, to sent: StreamID?, at time: Double, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer
    ) -> ObservedFlow {
        let flow = makeFlow(of: sent ?? StreamID(ids.next()), sent == nil ? .unknown : .another)
        if flow.owner == .unknown {
            let content = StreamContent(
                hasAudio: view.track?.kind != .video, hasVideo: view.track?.kind != .audio)
            keep(content, of: flow.stream, by: nil, since: time)
        }
        begin(flow, view, at: time, of: id, &peer)
        return flow
    }

    /// What still waits for its sender is someone unknown's.
    mutating func endWaiting(of id: ObservedPeer.ID, _ peer: inout ObservedPeer) {
        while let first = peer.waiting.first { storeWaiting(first.view, to: nil, of: id, &peer) }
    }

    /// Has stored what waits, as far as its sender is known by now, or it has waited for long enough: who has sent it may wait for
    /// that before the next report comes.
    mutating func settleWaiting() {
        for id in holding.sorted() {
            // Taken out, so that it is changed where it is.
            guard var peer = peers.removeValue(forKey: id) else {
                holding.remove(id)
                continue
            }
            pairWaiting(of: id, &peer)
            if !peer.mayWait(at: now.elapsed) { endWaiting(of: id, &peer) }
            if peer.waiting.isEmpty { holding.remove(id) }
            peers[id] = peer
        }
    }

    private mutating func pairWaiting(of id: ObservedPeer.ID, _ peer: inout ObservedPeer) {
        guard let report = peer.waiting.report else { return }
        let origins = origins(of: report, to: id, peer)
        // Where each track is someone's known, all of them together are no one's.
        if origins.areSeveralKnown, peer.receivesTracks {
            batch.release(peer.takeWaiting(.init(role: .subscriber, track: nil)), isStored: false)
        }
        for view in peer.waiting.views {
            let origin = origins.origin(of: view.track, in: report)
            guard let sent = origin.flatMap({ stream(of: $0, for: view.track) }) else { continue }
            storeWaiting(view, to: sent, of: id, &peer)
        }
    }

    /// Has stored what waits of a view.
    ///
    /// - Parameter sent: The stream that it is of; `nil` for someone unknown's.
    private mutating func storeWaiting(
        _ view: ObservedPeer.View, to sent: StreamID?, of id: ObservedPeer.ID, _ peer: inout ObservedPeer
    ) {
        let waiting = peer.takeWaiting(view)
        guard let time = waiting.map(\.time).min() else { return }
        let flow = peer.flows[view] ?? beginSubscription(view, to: sent, at: time, of: id, &peer)
        batch.release(waiting, isStored: true)
        store(waiting.flatMap { records(of: $0, flow, id) })
    }

    /// Whether a subscription may be to another stream from now on.
    private func mayChange(_ flow: ObservedFlow) -> Bool {
        flow.owner == .unknown || now.elapsed - flow.beganAt >= Self.pairingHold
    }

    /// The stream that a peer connection sends: the track that the receiver means, or all of it.
    private func stream(of origin: StreamOrigin, for track: MediaTrack?) -> StreamID? {
        let sender = peers[origin.sender]
        let flows = sender?.flows ?? [:]
        let own = flows.first { view, _ in
            guard view.role == .publisher, let sent = view.track else { return false }
            guard let name = origin.track else { return sent.ssrc == track?.ssrc }
            return sent.trackIdentifier.flatMap { sender?.tags[$0]?.name } == name
        }
        return (own?.value ?? flows[.init(role: .publisher, track: nil)])?.stream
    }

    private mutating func keep(
        _ content: StreamContent, of stream: StreamID, by participant: String?, since time: Double
    ) {
        store([
            .stream(
                .init(
                    name: stream.rawValue, session: id.rawValue,
                    connection: participant.flatMap { participants[$0]?.connection.rawValue },
                    content: content, createdAt: time))
        ])
    }

    private mutating func begin(
        _ flow: ObservedFlow, _ view: ObservedPeer.View, at time: Double, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer
    ) {
        peer.flows[view] = flow
        guard let key = flowKey(flow, id.participant) else { return }
        store([
            .flow(
                .init(
                    key: key, session: self.id.rawValue, stream: flow.stream.rawValue,
                    role: view.role, createdAt: time))
        ])
    }

    /// - Parameter time: Unix ms; now if omitted.
    private mutating func end(_ flow: ObservedFlow, at time: Double? = nil, of participant: String) {
        if let key = flowKey(flow, participant) { store([.flowEnded(key, at: time ?? now.unix)]) }
        guard flow.owner != .another else { return }
        store([.streamEnded(name: flow.stream.rawValue, at: time ?? now.unix, reason: .left)])
        guard flow.owner != .unknown else { return }
        participants.change(participant) { $0.streams -= 1 }
        note(
            "streamDestroyed", participants[participant]?.connection,
            detail: ["stream": flow.stream.rawValue, "reason": EndReason.left.name])
    }

    /// A peer connection is closed, or nothing was heard of it for long.
    mutating func end(_ id: ObservedPeer.ID) {
        guard var peer = peers.removeValue(forKey: id) else { return }
        endWaiting(of: id, &peer)
        register(id, instead: peer.sent, nil)
        for flow in peer.flows.values.sorted(by: { $0.endpoint < $1.endpoint }) {
            end(flow, of: id.participant)
        }
        participants.change(id.participant) {
            $0.peers.remove(id.name)
            $0.queue.forget(id.name)
        }
    }
}
