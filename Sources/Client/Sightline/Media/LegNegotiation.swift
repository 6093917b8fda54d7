// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

/// Candidates of one peer connection, held until offer and answer are applied.
///
/// Pure: inputs in, steps out. The server must know the leg before it is notified of its candidates, and the
/// engine must know the answer before it can use the server's.
struct LegNegotiation: Equatable {
    /// What is to be done, in this order.
    struct Step: Equatable {
        /// To be sent to the server.
        var send: [LegCandidate] = []
        /// To be given to the engine.
        var add: [ICECandidate] = []
    }

    private enum Phase: Equatable {
        case offering(local: [LegCandidate], remote: [ICECandidate])
        case established
        case closed
    }

    /// More candidates than a client has by far; the rest of a flood is dropped.
    static let limit = 256

    let leg: LegName
    private var phase = Phase.offering(local: [], remote: [])

    init(leg: LegName) { self.leg = leg }

    /// The engine found a candidate.
    mutating func found(_ candidate: ICECandidate) -> Step {
        send(
            LegCandidate(
                leg: leg, mid: candidate.mid, lineIndex: candidate.lineIndex, candidate: candidate.candidate))
    }

    /// The engine has found all candidates.
    mutating func gatheringCompleted() -> Step {
        send(LegCandidate(leg: leg, mid: nil, lineIndex: nil, candidate: ""))
    }

    /// The server found a candidate.
    mutating func received(_ candidate: LegCandidate) -> Step {
        // The end of candidates needs no call: the engine continues with what it has.
        guard !candidate.candidate.isEmpty else { return Step() }
        let added = ICECandidate(
            mid: candidate.mid, lineIndex: candidate.lineIndex, candidate: candidate.candidate)
        switch phase {
        case .offering(let local, let remote):
            if remote.count < Self.limit { phase = .offering(local: local, remote: remote + [added]) }
            return Step()
        case .established: return Step(add: [added])
        case .closed: return Step()
        }
    }

    /// The answer is in effect.
    mutating func answered() -> Step {
        guard case .offering(let local, let remote) = phase else { return Step() }
        phase = .established
        return Step(send: local, add: remote)
    }

    /// A new offer is about to be made: candidates wait for its answer.
    mutating func restart() {
        if case .established = phase { phase = .offering(local: [], remote: []) }
    }

    /// The connection is over.
    mutating func close() { phase = .closed }

    private mutating func send(_ candidate: LegCandidate) -> Step {
        switch phase {
        case .offering(let local, let remote):
            if local.count < Self.limit { phase = .offering(local: local + [candidate], remote: remote) }
            return Step()
        case .established: return Step(send: [candidate])
        case .closed: return Step()
        }
    }
}
