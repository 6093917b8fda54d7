// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// How a peer connection was set up, and the path that it took.
extension FindingCatalog {
    typealias ConnectionRule = FindingRule<ConnectionFacts, FindingMatch?>

    static let setUpRules: [ConnectionRule] = [
        .init(.turnMissing) { facts, _ in
            guard let configuration = facts.configuration, !configuration.hasTURN, facts.isUsed else {
                return nil
            }
            // A server with an address of its own is reached without.
            guard facts.negotiation.isRemoteICELite != true else { return nil }
            return FindingMatch(from: facts.from)
        },
        .init(.turnRefused) { facts, _ in
            turnError(facts) { $0 >= 400 && $0 < 500 }
        },
        .init(.turnUnreachable) { facts, rules in
            turnError(facts) { $0 >= 600 || $0 < 300 } ?? silentTURN(facts, rules)
        },
        .init(.slowSTUN) { facts, rules in
            slow(facts, "delay", facts.localCandidates.stunDelay, rules.stunDelay)
        },
        .init(.slowTURN) { facts, rules in
            slow(facts, "delay", facts.localCandidates.relayDelay, rules.turnDelay)
        },
        .init(.slowSignaling) { facts, rules in
            slow(facts, "delay", facts.negotiation.answerDelay, rules.answerDelay)
        },
        .init(.slowICE) { facts, rules in slow(facts, "delay", facts.establishment.iceDelay, rules.iceDelay)
        },
        .init(.slowDTLS) { facts, rules in
            slow(facts, "delay", facts.establishment.dtlsDelay, rules.dtlsDelay)
        },
        .init(.repeatedSDPLines) { facts, _ in
            let lines = facts.negotiation.repeatedLines
            return lines > 0 ? FindingMatch(from: facts.from, .count("lines", lines)) : nil
        },
        .init(.restartUnanswered) { facts, _ in
            guard facts.negotiation.isRestartAnswered == false, facts.isClosed != true else { return nil }
            return FindingMatch(
                from: facts.from, to: facts.to, .count("restarts", facts.negotiation.restarts))
        },
        .init(.apiCallFailed) { facts, _ in
            guard let failure = facts.negotiation.failures.first, !facts.isMissed else { return nil }
            return FindingMatch(
                from: failure.time, .word("method", failure.method), .word("reason", failure.reason))
        },
        .init(.connectionUnused) { facts, _ in
            guard facts.events > 0, !facts.isUsed, facts.reports == 0 else { return nil }
            return FindingMatch(from: facts.from, to: facts.to)
        },
    ]

    static let pathRules: [ConnectionRule] = [
        .init(.turnOverTCP) { facts, _ in relayed(facts, over: "tcp") },
        .init(.turnOverTLS) { facts, _ in relayed(facts, over: "tls") },
        .init(.vpn) { facts, _ in
            facts.lastPath?.networkType == "vpn" ? FindingMatch(from: facts.from, to: facts.to) : nil
        },
        .init(.connectionDropped) { facts, _ in
            guard let lost = facts.brokenAt, let last = facts.establishment.lastState else { return nil }
            let lasted = max(0, lost - (facts.establishment.connectedAt ?? facts.from)) / 1000
            return FindingMatch(
                from: lost, to: facts.to, .seconds("after", lasted), .word("state", last))
        },
        .init(.connectionInterrupted) { facts, rules in
            let establishment = facts.establishment
            guard establishment.lastState == "connected", establishment.interruptions > 0,
                establishment.interruptedTime >= rules.interruptedTime
            else { return nil }
            return FindingMatch(
                from: facts.from, to: facts.to, .times("count", establishment.interruptions),
                .seconds("time", establishment.interruptedTime, limit: rules.interruptedTime))
        },
        .init(.highRoundTripTime) { facts, rules in
            slow(facts, "time", facts.traffic.roundTripTime, rules.roundTripTime)
        },
    ]

    private static func slow(
        _ facts: ConnectionFacts, _ name: String, _ seconds: Double?, _ limit: Double
    ) -> FindingMatch? {
        guard let seconds, seconds >= limit else { return nil }
        return FindingMatch(from: facts.from, to: facts.to, .seconds(name, seconds, limit: limit))
    }

    private static func relayed(_ facts: ConnectionFacts, over name: String) -> FindingMatch? {
        guard facts.lastPath?.localType == "relay", facts.lastPath?.relayProtocol == name else { return nil }
        return FindingMatch(from: facts.from, to: facts.to, .word("relayProtocol", name))
    }

    /// One server that fails among several that work, or on one of several networks, is nothing.
    private static func turnError(_ facts: ConnectionFacts, _ isMeant: (Int) -> Bool) -> FindingMatch? {
        guard !facts.localCandidates.hasRelay else { return nil }
        let error = facts.candidateErrors.first { $0.isTURN && isMeant($0.code) }
        return error.map { error in
            FindingMatch(
                from: facts.from, to: facts.to, .count("code", error.code),
                .word("reason", "error \(error.code)"))
        }
    }

    /// Browsers keep quiet about servers that do not answer over UDP: no relay in all the time says as much.
    private static func silentTURN(_ facts: ConnectionFacts, _ rules: FindingRules) -> FindingMatch? {
        guard facts.configuration?.hasTURN == true, facts.isMissed, facts.waited >= rules.establishmentTime,
            facts.localCandidates.count > 0, !facts.localCandidates.hasRelay,
            !facts.candidateErrors.contains(where: \.isTURN)
        else { return nil }
        return FindingMatch(from: facts.from, to: facts.to, .word("reason", "no relay in all the time"))
    }
}
