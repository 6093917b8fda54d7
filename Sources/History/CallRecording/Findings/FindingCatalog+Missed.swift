// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Why a connection never came to be: the first rule that fits has the reason.
extension FindingCatalog {
    static let missedRules: [ConnectionRule] = [
        .init(.dtlsFailed) { facts, rules in
            let establishment = facts.establishment
            guard establishment.isICEConnected, establishment.dtlsState == "failed" || facts.isGivenUp(rules)
            else { return nil }
            let state = establishment.dtlsState ?? establishment.lastState ?? "unknown"
            return FindingMatch(from: facts.from, to: facts.to, .word("state", state))
        },
        .init(.noLocalCandidates) { facts, rules in
            guard facts.negotiation.isComplete, facts.localCandidates.count == 0,
                facts.localCandidates.isComplete || facts.isGivenUp(rules)
            else { return nil }
            return FindingMatch(from: facts.from, to: facts.to)
        },
        .init(.noRemoteCandidates) { facts, rules in
            guard facts.negotiation.isComplete, facts.remoteCandidates.count == 0, facts.pairs.isEmpty,
                facts.establishment.checkingSince == nil, facts.isGivenUp(rules)
            else { return nil }
            return FindingMatch(from: facts.from, to: facts.to)
        },
        .init(.onlyHostCandidates) { facts, _ in
            guard let after = facts.iceFailedAfter, facts.localCandidates.isOnlyHost else { return nil }
            return FindingMatch(
                from: facts.from, to: facts.to, .seconds("delay", after), .word("tried", facts.triedPairs))
        },
        .init(.iceFailed) { facts, _ in
            guard let after = facts.iceFailedAfter else { return nil }
            return FindingMatch(
                from: facts.from, to: facts.to, .seconds("delay", after), .word("tried", facts.triedPairs))
        },
        .init(.negotiationFailed) { facts, _ in
            let failure = facts.negotiation.failures.first { $0.method != "addIceCandidate" }
            guard let failure else { return nil }
            return FindingMatch(
                from: failure.time, to: facts.to, .word("method", failure.method),
                .word("reason", failure.reason))
        },
        .init(.connectionAborted) { facts, rules in
            guard facts.isClosed == true, facts.duration < rules.establishmentTime else { return nil }
            return FindingMatch(from: facts.from, to: facts.to, .seconds("waited", facts.duration))
        },
        .init(.negotiationUnfinished) { facts, rules in
            guard !facts.negotiation.isComplete else { return nil }
            return FindingMatch(
                from: facts.from, to: facts.end, isMild: !facts.isGivenUp(rules),
                .word("missing", facts.negotiation.missing))
        },
        .init(.neverEstablished) { facts, rules in
            FindingMatch(
                from: facts.from, to: facts.end, isMild: !facts.isGivenUp(rules),
                .seconds("waited", facts.waited, limit: rules.establishmentTime),
                .word("state", facts.establishment.lastState ?? facts.establishment.lastICEState ?? "new"))
        },
    ]
}

extension ConnectionFacts {
    /// Its lifetime, in seconds.
    var duration: Double { max(0, to - from) / 1000 }

    /// Time until it was closed or the recording ended, in seconds.
    var waited: Double { max(0, end - from) / 1000 }

    /// Whether it was there while another one was.
    func overlaps(_ other: ConnectionFacts) -> Bool { from <= other.end && other.from <= end }

    /// Whether anything was ever negotiated on it.
    var isUsed: Bool { negotiation.hasLocal || negotiation.hasRemote || reports > 0 }

    /// Whether its events show that it was wanted and never came to be.
    var isMissed: Bool {
        let isTraced = negotiation.hasLocal || negotiation.hasRemote
        return events > 0 && isTraced && !establishment.isConnected
            && !tracks.contains { $0.packets ?? 0 > 0 }
    }

    /// When it broke without coming back, in Unix ms; `nil` if it did not.
    var brokenAt: Double? {
        guard establishment.isConnected, let last = establishment.lastState,
            ["failed", "disconnected"].contains(last)
        else { return nil }
        // An app that closes while the connection is interrupted has ended the call.
        guard last == "failed" || isClosed != true else { return nil }
        return to - establishment.lastInterruption * 1000
    }

    /// Whether it was waited for long enough, or has failed.
    func isGivenUp(_ rules: FindingRules) -> Bool {
        establishment.lastState == "failed" || establishment.lastICEState == "failed"
            || waited >= rules.establishmentTime
    }

    /// Time until ICE failed, in seconds; `nil` if it did not.
    ///
    /// Browsers say so after up to half a minute; what is closed before that was being tried all the time.
    var iceFailedAfter: Double? {
        guard !establishment.isICEConnected else { return nil }
        if let after = establishment.iceFailedAfter { return after }
        guard establishment.lastICEState == "disconnected", let since = establishment.checkingSince else {
            return nil
        }
        return max(0, (establishment.failedAt ?? end) - since) / 1000
    }

    /// Which paths were tried, for a sentence.
    var triedPairs: String {
        let tried = pairs.filter { $0.state != "frozen" && $0.state != "waiting" }
        guard !tried.isEmpty else { return kindsOfCandidates }
        var counts: [(name: String, count: Int)] = []
        for pair in tried {
            let name = "\(pair.localType ?? "?") to \(pair.remoteType ?? "?")"
            if let place = counts.firstIndex(where: { $0.name == name }) {
                counts[place].count += 1
            } else {
                counts.append((name, 1))
            }
        }
        let kinds = counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
        let answered = tried.contains { $0.responsesReceived ?? 0 > 0 }
        return
            "\(tried.count) \(tried.count == 1 ? "path was" : "paths were") tried (\(kinds)), \(answered ? "and none held" : "and none was answered")"
    }

    /// The same where no report says which paths there were.
    private var kindsOfCandidates: String {
        "this end had \(localCandidates.words), the other end \(remoteCandidates.words), and no path worked"
    }
}

extension CandidateFacts {
    /// Time to the first relay, in seconds; `nil` if there was none.
    var relayDelay: Double? {
        [relayDelayOverUDP, relayDelayOverTCP, relayDelayOverTLS].compactMap(\.self).min()
    }

    /// What there is, for a sentence.
    fileprivate var words: String {
        let kinds = [("host", hasHost), ("srflx", hasServerReflexive), ("relay", hasRelay)].filter(\.1).map(
            \.0)
        return kinds.isEmpty ? "no candidates" : "candidates of \(kinds.joined(separator: ", "))"
    }
}

extension NegotiationFacts {
    /// Whether both ends have described themselves.
    var isComplete: Bool { hasLocal && hasRemote && isPending != true }

    /// What is missing, for a sentence.
    fileprivate var missing: String {
        switch (hasLocal, hasRemote) {
        case (true, false): "the offer was never answered"
        case (false, _): "the offer that arrived was never answered by this end"
        case (true, true): "offer and answer were begun and not finished"
        }
    }
}
