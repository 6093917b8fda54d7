// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells a lack of bandwidth from loss, and holds on to the answer.
///
/// Queueing is the evidence for bandwidth. Congestion control lowers its estimate for losses too, so a low estimate after
/// loss is still the loss's until it has climbed again; a low estimate that nothing else explains is bandwidth after a
/// while (ours).
struct CauseLatch: Sendable {
    /// What a tick says.
    struct Input: Sendable {
        var lossGrade: Int?
        var bandwidthGrade: Int?
        var isQueueing: Bool
        var estimate: Double?
    }

    private var cause = NetworkReason.none
    private var queuedAt = -Double.infinity
    private var heldEstimate: Double?
    private var shortSince: Double?

    /// Takes a tick; tells the cause, and whether only the estimate still has to recover from it.
    mutating func handle(
        _ input: Input, at time: Double, _ rules: ConditionRules
    ) -> (cause: NetworkReason, isRecovering: Bool) {
        let isShort = (input.bandwidthGrade ?? 5) < 5
        let isLossy = (input.lossGrade ?? 5) < 5
        if input.isQueueing { queuedAt = time }
        let hasQueued = time - queuedAt <= rules.queueingMemory * 1000
        shortSince = isShort ? shortSince ?? time : nil
        guard isShort || isLossy else {
            cause = .none
            heldEstimate = nil
            return (.none, false)
        }
        if hasQueued, isShort {
            cause = .bandwidth
        } else if isLossy, cause != .bandwidth || !hasQueued {
            cause = .packetLoss
        } else if cause == .none, let shortSince, time - shortSince >= rules.bareShortage * 1000 {
            cause = .bandwidth
        }
        return settle(input, hasQueued, isLossy, rules)
    }

    /// Notes that an outage ended: what is short now recovers from it.
    mutating func noteOutage() {
        cause = .connection
        queuedAt = -.infinity
    }

    /// Notes that what looked like a queue is a longer path: congestion control was mistaken as well.
    mutating func noteLongerPath() {
        queuedAt = -.infinity
        if cause == .bandwidth { cause = .unknown }
    }

    private mutating func settle(
        _ input: Input, _ hasQueued: Bool, _ isLossy: Bool, _ rules: ConditionRules
    ) -> (cause: NetworkReason, isRecovering: Bool) {
        switch cause {
        case .bandwidth:
            if input.isQueueing || heldEstimate == nil { heldEstimate = input.estimate }
            guard !hasQueued, let held = heldEstimate, let estimate = input.estimate else {
                return (cause, false)
            }
            return (cause, estimate >= held * rules.climbing && !isLossy)
        case .packetLoss, .connection, .unknown:
            return (cause, !isLossy)
        default:
            return (isLossy ? .packetLoss : .unknown, false)
        }
    }
}
