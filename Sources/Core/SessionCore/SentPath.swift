// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality

/// The path of what a peer connection of an observed call sends.
struct SentPath: Sendable {
    /// Where it leads.
    private enum Destination: Sendable {
        case unknown
        /// To a participant; `nil` while that has not said how it arrives.
        case participant(String, Reception?)
    }

    /// How it does as its receiver sees it, which is where losses show first.
    struct Reception: Sendable {
        let condition: NetworkCondition
        /// By ``CoreTime/elapsed``, ms.
        let time: Double
    }

    /// How what is sent arrives.
    enum Arrival: Sendable {
        /// No one is known to receive it.
        case unknown
        /// Under its own SSRCs, so that no one's word is needed.
        case direct
        /// From a server that gives it other SSRCs.
        case forwarded
    }

    private var destination = Destination.unknown
    /// When someone last received it by the same SSRCs.
    private var directAt: Duration?
    /// When someone last received it from a server that gave it others.
    private var forwardedAt: Duration?
    /// How it does beside the participant's other paths.
    var comparison = PathComparison()

    /// Who receives what is sent; `nil` if no one is known to.
    var receiver: String? {
        if case .participant(let name, _) = destination { name } else { nil }
    }

    func arrival(at now: Duration) -> Arrival {
        func isRecent(_ moment: Duration?) -> Bool {
            moment.map { now - $0 < ObservedCall.pairingHold } ?? false
        }
        if isRecent(directAt) { return .direct }
        return isRecent(forwardedAt) ? .forwarded : .unknown
    }

    /// Someone has received what is sent.
    mutating func noteArrival(isForwarded: Bool, at now: Duration) {
        if isForwarded { forwardedAt = now } else { directAt = now }
    }

    /// Someone is its receiver: what is known of the path to another is of no use.
    mutating func noteReceiver(_ participant: String) {
        guard receiver != participant else { return }
        destination = .participant(participant, nil)
        comparison = PathComparison()
    }

    /// Takes note of how what is sent arrives, if it is the receiver who says so; what is late says nothing new.
    mutating func note(_ reception: Reception, by participant: String) {
        guard case .participant(participant, let former) = destination,
            former.map({ $0.time <= reception.time }) ?? true
        else { return }
        destination = .participant(participant, reception)
    }

    /// How it does: what either end sees of it, whichever is worse.
    func condition(_ sent: NetworkCondition, at time: Double, maxAge: Double) -> NetworkCondition {
        // What is measured a second later than that shows nothing of its time.
        guard case .participant(_, let reception?) = destination,
            (-1000...1000 * maxAge).contains(time - reception.time), reception.condition != .unknown
        else { return sent }
        return sent == .unknown ? reception.condition : min(sent, reception.condition)
    }
}
