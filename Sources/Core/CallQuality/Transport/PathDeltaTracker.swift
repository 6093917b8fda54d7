// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Path state kept from one report to the next.
struct PathDeltaTracker: Sendable {
    private var pairID: String?
    private var usernameFragment: String?
    /// `nil` until the pair's local candidate has been seen.
    private var isTCP: Bool?
    private var bytesSent = Counter()
    private var bytesReceived = Counter()
    private var transportSent = Counter()
    private var transportReceived = Counter()
    private var responses: UInt64?
    private var totalRoundTripTime: Double?

    /// Makes a report's transport and candidate pair the tick they stand for.
    mutating func advance(to report: borrowing StatsReport, _ tick: Tick) -> PathDelta {
        var result = PathDelta()
        let transport = report.transports.firstIndex { $0.selectedCandidatePairId != nil }
        if let index = transport ?? report.transports.indices.first {
            result.isConnected = Self.isConnected(report.transports[index])
            note(usernameFragment: report.transports[index].iceLocalUsernameFragment, &result)
        }
        let selected = transport.map { report.transports[$0].selectedCandidatePairId } ?? nil
        if let index = Self.pair(selected, in: report.candidatePairs) {
            if pairID != report.candidatePairs[index].id { isTCP = nil }
            if isTCP == nil {
                isTCP = report.localCandidate(id: report.candidatePairs[index].localCandidateId)
                    .map(Self.isTCP)
            }
            result.isTCP = isTCP ?? false
            advance(to: report.candidatePairs[index], tick, &result)
        }
        if let index = transport ?? report.transports.indices.first {
            // The far end may send on another pair than the one that is selected here.
            let sent = transportSent.advance(to: report.transports[index].bytesSent, tick)
            let received = transportReceived.advance(to: report.transports[index].bytesReceived, tick)
            result.bytesSent = sent ?? result.bytesSent
            result.bytesReceived = received ?? result.bytesReceived
        }
        return result
    }

    mutating func forgetTimes() {
        bytesSent.forgetTime()
        bytesReceived.forgetTime()
        transportSent.forgetTime()
        transportReceived.forgetTime()
    }

    private mutating func advance(
        to pair: borrowing CandidatePairStats, _ tick: Tick, _ result: inout PathDelta
    ) {
        if pairID != pair.id {
            result.hasChanged = result.hasChanged || pairID != nil
            pairID = pair.id
            bytesSent = Counter()
            bytesReceived = Counter()
            responses = nil
            totalRoundTripTime = nil
        }
        result.estimate = pair.availableOutgoingBitrate?.ifSane
        result.bytesSent = bytesSent.advance(to: pair.bytesSent, tick)
        result.bytesReceived = bytesReceived.advance(to: pair.bytesReceived, tick)
        result.roundTripTime = pair.currentRoundTripTime?.ifSane
        result.roundTripTimeIsNew =
            result.roundTripTime != nil
            && (pair.responsesReceived == nil || pair.responsesReceived != responses
                || pair.totalRoundTripTime != totalRoundTripTime)
        result.meanRoundTripTime = mean(pair)
        if let count = pair.responsesReceived, let responses { result.isAnswered = count > responses }
        responses = pair.responsesReceived
        totalRoundTripTime = pair.totalRoundTripTime
    }

    private func mean(_ pair: borrowing CandidatePairStats) -> Double? {
        guard let count = pair.responsesReceived, let total = pair.totalRoundTripTime, let responses,
            let totalRoundTripTime, count > responses, total >= totalRoundTripTime
        else { return nil }
        return ((total - totalRoundTripTime) / Double(count - responses)).ifSane
    }

    private mutating func note(usernameFragment fragment: String?, _ result: inout PathDelta) {
        guard let fragment, fragment != usernameFragment else { return }
        result.hasChanged = usernameFragment != nil
        usernameFragment = fragment
    }

    private static func isTCP(_ candidate: CandidateStats) -> Bool {
        candidate.relayProtocol == .tcp || candidate.relayProtocol == .tls || candidate.protocol == "tcp"
    }

    private static func isConnected(_ transport: borrowing ICETransportStats) -> Bool? {
        switch transport.iceState {
        case .connected?, .completed?: true
        case nil: nil
        default: false
        }
    }

    /// The selected pair's place; where no transport names it, that of the nominated pair that sent most.
    private static func pair(_ id: String?, in pairs: [CandidatePairStats]) -> Int? {
        if let id { return pairs.firstIndex { $0.id == id } }
        var best: (index: Int, sent: UInt64)?
        for index in pairs.indices where pairs[index].nominated == true && pairs[index].state == .succeeded {
            let sent = pairs[index].bytesSent ?? 0
            if sent >= best?.sent ?? 0 { best = (index, sent) }
        }
        return best?.index
    }
}
