// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Gathers the facts of one peer connection from its reports.
struct ConnectionSampler: Sendable {
    /// Most streams and pairs that are kept of a peer connection.
    private static let limit = 4096

    private(set) var facts: ConnectionFacts
    private var tracks: [String: TrackSampler] = [:]
    private var order: [String] = []
    private var pressure = (high: 0, all: 0)
    /// The kinds of media that have come.
    private var arrived: Set<MediaKind> = []
    private var firstBytes: (time: Double, sent: UInt64?, received: UInt64?)?

    init(_ pc: String, at time: Double) { facts = ConnectionFacts(pc: pc, from: time, to: time) }

    /// The facts so far.
    var result: ConnectionFacts {
        var facts = facts
        facts.tracks = order.compactMap { tracks[$0]?.result }
        if pressure.all > 0 { facts.processorPressure = Double(pressure.high) / Double(pressure.all) }
        return facts
    }

    mutating func take(_ record: RecordedReport) {
        let report = record.report
        if facts.reports == 0, let own = report.peerConnections.first?.timestamp, own > 0 {
            facts.clockSkew = (record.time - own) / 1000
        }
        facts.reports += 1
        // Not the report itself: it may be large, and is one for each peer connection.
        facts.pairs = pairs(report)
        facts.to = max(facts.to, record.time)
        noteTransport(report, at: record.time)
        notePressure(report)
        noteFirstMedia(report, at: record.time)
        for stream in report.outboundRTP {
            guard let kind = stream.kind.flatMap({ MediaKind(rawValue: $0.rawValue) }) else { continue }
            sampler(stream.id, kind, .publisher, record.time) { $0.take(stream, of: report, at: record.time) }
        }
        for stream in report.inboundRTP {
            guard let kind = stream.kind.flatMap({ MediaKind(rawValue: $0.rawValue) }) else { continue }
            sampler(stream.id, kind, .subscriber, record.time) {
                $0.take(stream, of: report, at: record.time)
            }
        }
    }

    /// The first report cannot tell when what it has came.
    private mutating func noteFirstMedia(_ report: borrowing StatsReport, at time: Double) {
        guard arrived.count < MediaKind.allCases.count else { return }
        for index in report.inboundRTP.indices {
            let isAudio = report.inboundRTP[index].kind == .audio
            let count =
                isAudio ? report.inboundRTP[index].packetsReceived : report.inboundRTP[index].framesDecoded
            guard count ?? 0 > 0, arrived.insert(isAudio ? .audio : .video).inserted, facts.reports > 1
            else { continue }
            let delay = (time - facts.from) / 1000
            if isAudio {
                facts.traffic.firstAudioDelay = delay
            } else {
                facts.traffic.firstVideoDelay = delay
            }
        }
    }

    private mutating func sampler(
        _ id: String, _ kind: MediaKind, _ role: StreamRole, _ time: Double,
        _ body: (inout TrackSampler) -> Void
    ) {
        if tracks[id] == nil {
            guard tracks.count < Self.limit else { return }
            order.append(id)
        }
        body(&tracks[id, default: TrackSampler(kind: kind, role: role, at: time)])
    }

    /// rtcstats clients add how the browser sees the processor: 1 critical, 2 serious, 3 fair, 4 nominal.
    private mutating func notePressure(_ report: borrowing StatsReport) {
        for entry in report.unknown where entry.type == "compute-pressure" {
            guard let state = entry.members["cpuState"] else { continue }
            pressure.all += 1
            let isHigh = state.number.map { $0 <= 2 } ?? ["critical", "serious"].contains(state.text ?? "")
            if isHigh { pressure.high += 1 }
        }
    }

    // MARK: Transport

    private mutating func noteTransport(_ report: borrowing StatsReport, at time: Double) {
        let transport =
            report.transports.first { $0.selectedCandidatePairId != nil } ?? report.transports.first
        if let transport {
            facts.establishment.dtlsState = transport.dtlsState?.rawValue ?? facts.establishment.dtlsState
            facts.establishment.dtlsRole = transport.dtlsRole?.rawValue ?? facts.establishment.dtlsRole
            facts.establishment.dtlsVersion = transport.tlsVersion ?? facts.establishment.dtlsVersion
            facts.establishment.srtpCipher = transport.srtpCipher ?? facts.establishment.srtpCipher
            facts.traffic.pathChanges = transport.selectedCandidatePairChanges ?? facts.traffic.pathChanges
        }
        let pair = selected(transport, report)
        if let pair { note(pair, report) }
        noteRates(pair, transport, at: time)
        noteConnected(pair, transport)
        noteCandidates(report)
    }

    private func selected(
        _ transport: ICETransportStats?, _ report: borrowing StatsReport
    ) -> CandidatePairStats? {
        report.candidatePair(id: transport?.selectedCandidatePairId)
            ?? report.candidatePairs.first { $0.nominated == true && $0.state == .succeeded }
    }

    private mutating func note(_ pair: CandidatePairStats, _ report: borrowing StatsReport) {
        var path = PathFacts()
        if let local = report.localCandidate(id: pair.localCandidateId) {
            path.localType = local.candidateType?.rawValue
            path.localProtocol = local.protocol
            path.networkType = local.extra["networkType"]?.text
            path.relayProtocol = local.candidateType == .relay ? local.relayProtocol?.rawValue : nil
            path.typePreference = local.priority.flatMap {
                (0..<(1 << 32)).contains($0) ? Int($0 >> 24) : nil
            }
        }
        path.remoteType = report.remoteCandidate(id: pair.remoteCandidateId)?.candidateType?.rawValue
        facts.firstPath = facts.firstPath ?? path
        facts.lastPath = path
        if let sum = pair.totalRoundTripTime, let count = pair.responsesReceived, count > 0, sum.isFinite,
            sum >= 0
        {
            facts.traffic.roundTripTime = sum / Double(count)
        }
        facts.traffic.firstRoundTripTime = facts.traffic.firstRoundTripTime ?? pair.currentRoundTripTime
    }

    private mutating func noteRates(
        _ pair: CandidatePairStats?, _ transport: ICETransportStats?, at time: Double
    ) {
        let sent = transport?.bytesSent ?? pair?.bytesSent
        let received = transport?.bytesReceived ?? pair?.bytesReceived
        guard sent != nil || received != nil else { return }
        guard let first = firstBytes, time > first.time else {
            firstBytes = firstBytes ?? (time, sent, received)
            return
        }
        let seconds = (time - first.time) / 1000
        facts.traffic.sentBitrate = Self.rate(first.sent, sent, seconds) ?? facts.traffic.sentBitrate
        facts.traffic.receivedBitrate =
            Self.rate(first.received, received, seconds) ?? facts.traffic.receivedBitrate
    }

    private static func rate(_ first: UInt64?, _ last: UInt64?, _ seconds: Double) -> Double? {
        guard let first, let last, last >= first, seconds > 0 else { return nil }
        return Double(last - first) * 8 / seconds
    }

    private mutating func noteConnected(_ pair: CandidatePairStats?, _ transport: ICETransportStats?) {
        if let pair, pair.state == .succeeded { facts.establishment.isICEConnected = true }
        let isEncrypted = transport?.dtlsState == .connected
        // Firefox has no transports: media that arrive say as much.
        let flows = transport?.dtlsState == nil && (pair?.bytesReceived ?? 0) > 0
        if isEncrypted || flows { facts.establishment.isConnected = true }
    }

    private func pairs(_ report: borrowing StatsReport) -> [PairFacts] {
        report.candidatePairs.prefix(64).map { pair in
            PairFacts(
                localType: report.localCandidate(id: pair.localCandidateId)?.candidateType?.rawValue,
                remoteType: report.remoteCandidate(id: pair.remoteCandidateId)?.candidateType?.rawValue,
                state: pair.state?.rawValue, requestsSent: pair.requestsSent,
                responsesReceived: pair.responsesReceived, requestsReceived: pair.requestsReceived)
        }
    }

    private mutating func noteCandidates(_ report: borrowing StatsReport) {
        facts.localCandidates.note(report.localCandidates)
        facts.remoteCandidates.note(report.remoteCandidates)
    }
}

extension CandidateFacts {
    /// Takes what a report lists: a recording without events knows no more.
    fileprivate mutating func note(_ candidates: [CandidateStats]) {
        count = max(count, candidates.count)
        for candidate in candidates {
            note(candidate.candidateType, isHidden: candidate.address?.hasSuffix(".local"))
        }
    }

    mutating func note(_ type: CandidateStats.CandidateType?, isHidden: Bool?) {
        switch type {
        case .host?:
            hasHost = true
            if isHidden == true { hasHidden = true }
        case .serverReflexive?: hasServerReflexive = true
        case .relay?: hasRelay = true
        default: break
        }
    }
}
