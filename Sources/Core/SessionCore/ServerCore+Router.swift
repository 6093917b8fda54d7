// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterWire
import SessionWire

// MARK: - Notices

extension ServerCore {
    mutating func take(_ notice: RouterNotice) {
        routerHeardAt = now.elapsed
        switch notice {
        case .ready: break
        case .answer(let answer): withLeg(answer.leg) { core, leg in core.answered(leg, answer.answer) }
        case .failure(let failure): failed(failure)
        case .candidate(let candidate):
            withLeg(candidate.leg) { core, leg in core.candidate(candidate, of: leg) }
        case .state(let state): withLeg(state.leg) { core, leg in core.changed(leg, to: state.state) }
        case .report(let report): withLeg(report.leg) { core, leg in core.reported(leg, report) }
        case .fallback(let change):
            withLeg(change.leg) { core, leg in
                core.tell(leg.socket, .fallback(.init(leg: leg.name, state: change.state)))
                core.keep(change.state, of: leg.slot)
            }
        }
    }

    /// Notices about legs that have ended meanwhile are left out.
    private mutating func withLeg(_ name: String, _ body: (inout ServerCore, ServerLeg) -> Void) {
        guard let id = LegID(name: name), let leg = legs[id] else { return }
        body(&self, leg)
    }

    private mutating func candidate(_ candidate: LegCandidate, of leg: ServerLeg) {
        let body = Candidate(
            leg: leg.name, mid: candidate.mid, lineIndex: candidate.lineIndex, candidate: candidate.candidate)
        tell(leg.socket, .candidate(body))
    }

    private mutating func changed(_ leg: ServerLeg, to state: String) {
        judge(leg, isConnected: state)
        if state == "connected" { legs[leg.id]?.connectBy = nil }
        if state == "failed", leg.phase == .up, slots[leg.slot]?.current == leg.id {
            // The client is the one who makes offers, and its own end may not have noticed yet.
            tell(leg.socket, .restartICE(.init(legs: [leg.name])))
        }
        // The current leg carries media: those before it are no longer needed.
        guard state == "connected", let slot = slots[leg.slot], slot.current == leg.id, !slot.retiring.isEmpty
        else { return }
        let soon = now.elapsed + timeouts.overlap
        slots[leg.slot]?.retireAt = slot.retireAt.map { min($0, soon) } ?? soon
    }
}

// MARK: - Answers

extension ServerCore {
    private mutating func answered(_ leg: ServerLeg, _ sdp: String) {
        mayRelease = true
        guard let request = leg.request else {
            guard let offer = leg.offers.first, offer.waiting == nil else { return }
            legs[leg.id]?.offers.removeFirst()
            return answer(leg.socket, offer.id, .answered(.init(leg: leg.name, answer: sdp)))
        }
        guard leg.phase == .adding else { return }
        let connectBy = now.elapsed + timeouts.connecting
        legs[leg.id]?.request = nil
        legs[leg.id]?.phase = .up
        legs[leg.id]?.connectBy = connectBy
        takePlace(leg)
        switch request.kind {
        case .publish: announce(leg.slot, leg.name, id: request.id, answer: sdp)
        case .subscribe:
            keepFlow(leg.slot)
            answer(leg.socket, request.id, .subscribed(.init(leg: leg.name, answer: sdp)))
        case .replace: answer(leg.socket, request.id, .answered(.init(leg: leg.name, answer: sdp)))
        }
    }

    /// A leg that has been answered takes over its slot.
    private mutating func takePlace(_ leg: ServerLeg) {
        let old = slots[leg.slot]?.current
        slots[leg.slot]?.pending = nil
        slots[leg.slot]?.current = leg.id
        quality.slots[leg.slot]?.forgetRouter()
        guard let old else { return }
        guard legs[old]?.phase == .up else { return remove(old, Self.replaced) }
        slots[leg.slot]?.retiring.append(old)
        let latest = now.elapsed + timeouts.replacement
        slots[leg.slot]?.retireAt = latest
    }

    private static let replaced = ServerError(.unknownLeg, "the leg has been replaced")

    /// Lets everybody know of a stream.
    mutating func announce(_ id: SlotID, _ leg: String, id message: Int, answer sdp: String?) {
        guard let slot = slots[id] else { return }
        sessions[slot.session]?.streams[slot.stream]?.isAnnounced = true
        guard let stream = sessions[slot.session]?.streams[slot.stream], let description = describe(stream)
        else { return }
        let restore = restoration(of: stream, in: slot.session)
        answer(
            slot.socket, message,
            .published(.init(leg: leg, stream: description, answer: sdp, restore: restore)))
        tell(everybodyIn: slot.session, but: slot.socket, .streamCreated(description))
        keepStream(stream, in: slot.session, isNew: true)
        log(.published(session: slot.session, stream: stream.id))
    }

    /// Removes the legs whose replacement is connected.
    mutating func retire(_ id: SlotID) {
        let old = slots[id]?.retiring ?? []
        slots[id]?.retiring = []
        slots[id]?.retireAt = nil
        for leg in old { remove(leg, Self.replaced) }
    }
}

// MARK: - Failures

extension ServerCore {
    private mutating func failed(_ failure: LegFailure) {
        guard let name = failure.leg, let id = LegID(name: name), let leg = legs[id] else {
            return log(.routerComplaint(code: failure.code.rawValue))
        }
        let error = ServerError(failure)
        if leg.request != nil, failure.endsLeg || failure.code == .duplicateLeg {
            legs[id]?.phase = .lost
            giveUp(leg, error)
        } else if failure.endsLeg {
            lose([leg], Self.lostMessage)
        } else if let offer = leg.offers.first, offer.waiting == nil {
            legs[id]?.offers.removeFirst()
            mayRelease = true
            answer(leg.socket, offer.id, .error(error))
        } else {
            refuse(leg.socket, nil, error.code, "leg \"\(leg.name)\": \(error.message)")
        }
    }

    /// A leg that was never answered ends, and what it was to begin with it.
    mutating func giveUp(_ leg: ServerLeg, _ error: ServerError) {
        guard let slot = slots[leg.slot] else { return }
        slots[leg.slot]?.pending = nil
        remove(leg.id, error)
        // What has a handle lives on without a leg; its client tries again.
        guard slot.current == nil, slot.handle == nil else { return }
        close(leg.slot, error)
        if slot.kind == .publisher { sessions[slot.session]?.streams[slot.stream] = nil }
    }

    /// The router's end of legs is gone.
    private mutating func lose(_ lost: [ServerLeg], _ message: String) {
        var told: [SocketID: [String]] = [:]
        for leg in lost {
            guard let slot = slots[leg.slot] else { continue }
            legs[leg.id]?.phase = .lost
            if slot.current == leg.id {
                refuseRequests(of: leg, Self.unavailable)
                legs[leg.id]?.offers = []
                slots[leg.slot]?.wanted = nil
                told[leg.socket, default: []].append(leg.name)
            } else {
                slots[leg.slot]?.retiring.removeAll { $0 == leg.id }
                remove(leg.id, Self.unavailable)
            }
        }
        for socket in told.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            tell(socket, .mediaLost(.init(legs: told[socket] ?? [], message: message)))
        }
    }

    private static let lostMessage = "the media router lost these legs; replace each of them"

    /// Removes what was answered long ago and has never been connected: the router has room for so many legs only.
    mutating func expireUnconnected() {
        let elapsed = now.elapsed
        let late = legs.values.filter { $0.phase == .up && $0.connectBy.map { $0 <= elapsed } ?? false }
        guard !late.isEmpty else { return }
        let sorted = late.sorted { $0.id < $1.id }
        for leg in sorted { ask(.remove(LegName(leg: leg.id.name))) }
        lose(sorted, "these legs have not connected in time; replace each of them")
    }

    static let unavailable = ServerError(
        .routerUnavailable, "the media router is being started; try again in a second")
}

// MARK: - The router itself

extension ServerCore {
    mutating func routerReady() {
        noteRouter()
        mayRelease = true
    }

    mutating func routerLost() {
        guard isRouterReady else { return }
        isRouterReady = false
        let gone = legs.values.filter(\.isAtRouter).sorted { $0.id < $1.id }
        if !gone.isEmpty { log(.mediaLost(legs: gone.count)) }
        for session in Set(gone.compactMap { slots[$0.slot]?.session }).sorted() {
            note("mediaLost", session, isAlarm: true)
        }
        for leg in gone where leg.request != nil { giveUp(leg, Self.unavailable) }
        lose(gone.filter { $0.request == nil }, Self.lostMessage)
        abandonedOffers = []
    }
}

extension ServerError {
    /// What a client is told of a failure of the router.
    init(_ failure: LegFailure) {
        let code: Code =
            switch failure.code {
            case .malformed: .malformed
            case .unsupported: .unsupportedMedia
            case .tooMany: .tooMany
            case .unknownStream, .unknownLeg, .closed: .routerUnavailable
            default: .internal
            }
        self.init(code, failure.message)
    }
}
