// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension ConnectionFacts {
    /// Takes the peer connection's events, in their order.
    mutating func note(_ trace: [TraceEvent]) {
        guard let first = trace.first, let last = trace.last else { return }
        let wait = max(0, from - first.time) / 1000
        traffic.firstAudioDelay = traffic.firstAudioDelay.map { $0 + wait }
        traffic.firstVideoDelay = traffic.firstVideoDelay.map { $0 + wait }
        from = min(from, first.time)
        to = max(to, last.time)
        events = trace.count
        isClosed = trace.contains { $0.content == .closed }
        dataChannels = trace.count { $0.content == .dataChannel }
        var reader = NegotiationReader()
        var establishment = EstablishmentReader(establishment, trace)
        var gatheringSince: Double?
        // The reports list the same candidates again.
        let reported = (localCandidates.count, remoteCandidates.count)
        localCandidates.count = 0
        remoteCandidates.count = 0
        for event in trace {
            reader.take(event)
            establishment.take(event)
            switch event.content {
            case .created(let settings): configuration = settings ?? configuration
            case .candidateError(let error):
                if candidateErrors.count < Self.errorLimit { candidateErrors.append(error) }
            case .gatheringState("gathering"): gatheringSince = gatheringSince ?? event.time
            case .localCandidate(let candidate):
                localCandidates.note(candidate, after: gatheringSince.map { (event.time - $0) / 1000 })
            case .describing(let description) where !description.isLocal:
                for candidate in description.candidates { remoteCandidates.note(candidate, after: nil) }
            case .remoteCandidate(let candidate): remoteCandidates.note(candidate, after: nil)
            default: break
            }
        }
        localCandidates.count = max(localCandidates.count, reported.0)
        remoteCandidates.count = max(remoteCandidates.count, reported.1)
        negotiation = reader.facts
        self.establishment = establishment.finish(at: to)
        noteFirstFrames(trace)
    }

    private static let errorLimit = 100

    /// When the first media of a received track came: its event, then its being unmuted.
    private mutating func noteFirstFrames(_ trace: [TraceEvent]) {
        var received: [String: Double] = [:]
        var delays: [String: Double] = [:]
        for event in trace {
            switch event.content {
            case .trackReceived(let track): received[track.id] = received[track.id] ?? event.time
            case .trackUnmuted(let id):
                if delays[id] == nil, let since = received[id] {
                    delays[id] = max(0, event.time - since) / 1000
                }
            default: break
            }
        }
        for index in tracks.indices {
            guard let id = tracks[index].trackIdentifier, let delay = delays[id] else { continue }
            tracks[index].received?.firstFrameDelay = delay
        }
    }
}

extension CandidateFacts {
    /// Takes an event's candidate; `nil` says that there are no more.
    fileprivate mutating func note(_ candidate: TraceCandidate?, after delay: Double?) {
        guard let candidate else {
            isComplete = true
            return
        }
        count += 1
        note(candidate.type, isHidden: candidate.isNameHidden)
        switch (candidate.type, candidate.relayProtocol) {
        case (.serverReflexive, _): stunDelay = stunDelay ?? delay
        case (.relay, .udp?), (.relay, nil): relayDelayOverUDP = relayDelayOverUDP ?? delay
        case (.relay, .tcp?): relayDelayOverTCP = relayDelayOverTCP ?? delay
        case (.relay, .tls?): relayDelayOverTLS = relayDelayOverTLS ?? delay
        default: break
        }
    }
}

/// Follows offer and answer.
private struct NegotiationReader {
    private(set) var facts = NegotiationFacts()
    private var offered: Double?
    private var local: (call: String?, time: Double)?
    private var remote: (call: String?, time: Double)?
    private var restart: Restart?

    private enum Restart { case begun, offered }

    private static let failureLimit = 100

    mutating func take(_ event: TraceEvent) {
        switch event.content {
        case .signalingState(let state): take(state)
        case .describing(let description): take(description, at: event.time)
        case .described(let isLocal, let call): finish(isLocal, call, at: event.time)
        case .iceRestart:
            facts.restarts += 1
            facts.isRestartAnswered = facts.isRestartAnswered ?? false
            restart = .begun
        case .failed(let method, let reason):
            guard facts.failures.count < Self.failureLimit else { return }
            facts.failures.append(.init(time: event.time, method: method, reason: reason))
        case .created: facts.isPending = facts.isPending ?? false
        default: break
        }
    }

    private mutating func take(_ state: String) {
        guard state != "closed" else { return }
        facts.isPending = state != "stable"
        if state == "stable" { facts.completed = (facts.completed ?? 0) + 1 }
        guard state == "have-local-offer", restart == .begun else { return }
        restart = .offered
    }

    private mutating func take(_ description: TraceDescription, at time: Double) {
        facts.repeatedLines = max(facts.repeatedLines, description.repeatedLines)
        if description.isLocal {
            facts.hasLocal = true
            if facts.localDelay == nil, local == nil { local = (description.call, time) }
            facts.localType = facts.localType ?? description.type
            let isOffer = description.type == "offer" || (description.type == nil && !facts.hasRemote)
            if isOffer, offered == nil { offered = time }
        } else {
            facts.hasRemote = true
            if facts.remoteDelay == nil, remote == nil { remote = (description.call, time) }
            facts.remoteType = facts.remoteType ?? description.type
            facts.isRemoteICELite = (facts.isRemoteICELite ?? false) || (description.isICELite ?? false)
            let isAnswer = description.type == "answer"
            if isAnswer, facts.answerDelay == nil, let offered {
                facts.answerDelay = max(0, time - offered) / 1000
            }
            if isAnswer, restart == .offered {
                facts.isRestartAnswered = true
                restart = nil
            }
        }
    }

    private mutating func finish(_ isLocal: Bool, _ call: String?, at time: Double) {
        guard let begun = isLocal ? local : remote, begun.call == call else { return }
        let delay = max(0, time - begun.time) / 1000
        if isLocal {
            facts.localDelay = facts.localDelay ?? delay
        } else {
            facts.remoteDelay = facts.remoteDelay ?? delay
        }
    }
}

/// Follows the states of ICE and of the connection.
private struct EstablishmentReader {
    private var facts: EstablishmentFacts
    private var connectingSince: Double?
    private var iceConnectedAt: Double?
    private var interruptedSince: Double?
    /// Whether the events have shown it connected; what the reports say is the outcome.
    private var wasConnected = false
    /// Whether states of the whole connection are said: old browsers say only those of ICE.
    private let hasConnectionStates: Bool

    init(_ facts: EstablishmentFacts, _ trace: [TraceEvent]) {
        self.facts = facts
        hasConnectionStates = trace.contains { event in
            if case .connectionState = event.content { true } else { false }
        }
    }

    mutating func take(_ event: TraceEvent) {
        switch event.content {
        case .iceState(let state): takeICE(state, at: event.time)
        case .connectionState(let state): take(state, at: event.time)
        case .closed: interrupt(false, at: event.time)
        default: break
        }
    }

    mutating func finish(at time: Double) -> EstablishmentFacts {
        interrupt(false, at: time)
        return facts
    }

    private mutating func takeICE(_ state: String, at time: Double) {
        if state != "closed" { facts.lastICEState = state }
        switch state {
        case "checking": facts.checkingSince = facts.checkingSince ?? time
        case "connected", "completed":
            facts.isICEConnected = true
            iceConnectedAt = iceConnectedAt ?? time
            facts.iceDelay = facts.iceDelay ?? facts.checkingSince.map { max(0, time - $0) / 1000 }
        case "failed":
            facts.iceFailedAfter = facts.iceFailedAfter ?? max(0, time - (facts.checkingSince ?? time)) / 1000
        default: break
        }
        guard !hasConnectionStates, state != "checking" else { return }
        take(state == "completed" ? "connected" : state, at: time)
    }

    private mutating func take(_ state: String, at time: Double) {
        if state != "closed" { facts.lastState = state }
        switch state {
        case "connecting": connectingSince = connectingSince ?? time
        case "connected":
            facts.connectedAt = facts.connectedAt ?? time
            if !wasConnected {
                let delay = connectingSince.map { max(0, time - $0) / 1000 }
                facts.connectDelay = delay ?? facts.connectDelay
                facts.dtlsDelay = facts.dtlsDelay ?? iceConnectedAt.map { max(0, time - $0) / 1000 }
            }
            facts.isConnected = true
            wasConnected = true
            interrupt(false, at: time)
        case "disconnected": interrupt(true, at: time)
        case "failed":
            facts.failedAt = facts.failedAt ?? time
            if wasConnected { interrupt(true, at: time) }
        case "closed": interrupt(false, at: time)
        default: break
        }
    }

    private mutating func interrupt(_ isInterrupted: Bool, at time: Double) {
        guard wasConnected || interruptedSince != nil else { return }
        switch (interruptedSince, isInterrupted) {
        case (nil, true):
            facts.interruptions += 1
            interruptedSince = time
        case (let since?, false):
            facts.lastInterruption = max(0, time - since) / 1000
            facts.interruptedTime += facts.lastInterruption
            interruptedSince = nil
        default: break
        }
    }
}
