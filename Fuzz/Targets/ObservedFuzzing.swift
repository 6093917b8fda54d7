// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import SessionWire
import WebRTCStats

@testable import SessionCore
@testable import SessionServer

/// Three participants of two observed calls, who say what an input says.
///
/// Each line is a step: who (`a`, `b`, `c`), how, and what. `p` posts a body of `POST /v1/calls/{call}/reports`, `w` is a
/// message of an rtcstats client's socket, `x` ends that socket, `t` lets as many seconds pass as there are bytes. With `s`
/// all is stored that someone waits for, with `d` the last of it is dropped, with `m` another node has the calls by now.
struct ObservedFuzzing {
    private var core: Lobby
    private var now = CoreTime(unix: 1_700_000_000_000, elapsed: .zero)
    private var readers: [Character: RTCStatsReader] = [:]
    private let limits: SessionServerLimits
    /// Flows that have begun and have not ended, as the store has them.
    private var flows: Set<FlowKey> = []
    /// Of what is not stored yet.
    private var receipts: [StoreReceipt] = []
    /// Messages that are to be answered yet.
    private var unanswered: Set<ReportTicket> = []
    private var answered: Set<ReportTicket> = []

    private static let stepLimit = 128
    /// Most entries of a report: what a body or a message has room for.
    private static let entryLimit = 1 << 14
    private static let participants = ParticipantNames(
        secret: "a secret of the fuzzer, long enough", keepsNames: true)

    static func run(_ input: UnsafeRawBufferPointer) throws {
        var fuzzing = Self()
        for line in input.split(separator: UInt8(ascii: "\n"), maxSplits: stepLimit).prefix(stepLimit) {
            try fuzzing.step(line)
        }
        try fuzzing.end()
    }

    private init() {
        var limits = SessionServerLimits()
        limits.sessions = 2
        limits.connectionsPerSession = 2
        limits.legsPerConnection = 4
        limits.observedPeersPerCall = 6
        limits.observedPeers = 8
        self.limits = limits
        core = Lobby(
            limits: limits, ids: IDSource(FuzzRandom()),
            seal: RestorationSeal(secret: "a secret of the fuzzer, long enough"),
            storing: CoreStoring(names: Self.participants.stored, run: 1))
    }

    private mutating func step(_ line: Slice<UnsafeRawBufferPointer>) throws {
        guard line.count >= 2, let first = line.first, first >= UInt8(ascii: "a"),
            first <= UInt8(ascii: "c")
        else { return }
        let who = Character(Unicode.Scalar(first))
        let what = Array(line.dropFirst(2))
        switch line[line.startIndex + 1] {
        case UInt8(ascii: "p"):
            guard (try? core.charge(grant(who), bytes: what.count, at: now)) != nil,
                let reports = try? ObservedReports(json: what)
            else { return }
            try take(reports, of: who)
        case UInt8(ascii: "w"):
            let new = RTCStatsReader(client: "fuzz", prefix: "r\(who)", limits: limits)
            guard let reports = readers[who, default: new].read(what) else { return }
            try take(reports, of: who)
        case UInt8(ascii: "x"):
            guard var reader = readers.removeValue(forKey: who) else { return }
            try take(reader.end(), of: who)
        case UInt8(ascii: "t"): try pass(.seconds(1 + what.count % 40))
        case UInt8(ascii: "s"): try storedAll()
        case UInt8(ascii: "d"): if let receipt = receipts.popLast() { try put(.notStored(receipt)) }
        case UInt8(ascii: "m"): try moveAll()
        default: break
        }
    }

    private func grant(_ who: Character) -> ObserverGrant {
        ObserverGrant(call: who == "c" ? "second" : "first", participant: String(who))
    }

    private mutating func take(_ reports: ObservedReports, of who: Character) throws {
        let asked = reports.reports.count
        let longest = reports.events.flatMap { $0.detail.values }.map(\.utf8.count).max() ?? 0
        try require(longest <= 1024, "a detail of an event takes \(longest) bytes")
        guard let taking = try? core.take(reports, from: grant(who), issued: now.unix, at: now) else {
            return
        }
        let receipt = taking.receipt
        try require(receipt.accepted + receipt.restart.count <= asked, "more was taken than was said")
        if let ticket = taking.ticket { unanswered.insert(ticket) }
        for report in reports.reports {
            guard case .report(let stats) = report.content else { continue }
            try require(
                stats.entryCount <= Self.entryLimit, "a report has \(stats.entryCount) entries")
        }
        try pass(.milliseconds(200))
    }

    private mutating func pass(_ time: Duration) throws {
        now.elapsed += time
        now.unix += time / .milliseconds(1)
        try put(.tick)
        let counts = core.census
        try require(
            counts.observedPeers <= limits.observedPeers && counts.sessions <= limits.sessions
                && counts.observedParticipants <= 3, "there is more than there may be: \(counts)")
    }

    private mutating func storedAll() throws {
        let all = receipts
        receipts = []
        try put(.stored(all))
    }

    private mutating func moveAll() throws {
        let all = receipts
        receipts = []
        try put(.moved(sessions: core.observedCalls, all))
    }

    private mutating func put(_ input: CoreInput) throws {
        for action in core.handle(input, at: now) {
            switch action {
            case .store(let records, let receipt):
                if let receipt { receipts.append(receipt) }
                for record in records { try note(record) }
            case .settled(let ticket, _):
                try require(answered.insert(ticket).inserted, "a message is answered twice")
                unanswered.remove(ticket)
            case .send, .broadcast, .command, .close, .endRouter, .deny, .log: break
            }
        }
    }

    private mutating func note(_ record: StoreRecord) throws {
        switch record {
        case .flow(let flow): try require(flows.insert(flow.key).inserted, "a flow begins twice: \(flow)")
        case .flowEnded(let key, _):
            try require(flows.remove(key) != nil, "a flow ends that is not there: \(key)")
        case .sample(let sample):
            try require(flows.contains(sample.flow), "a sample of a flow that is not there")
            try require(
                sample.sample.withoutImpossibleFigures() == sample.sample,
                "a sample has figures that cannot be")
        default: break
        }
    }

    /// When no one says anything any more, nothing is left.
    private mutating func end() throws {
        for _ in 0..<3 { try pass(.seconds(40)) }
        try require(unanswered.isEmpty, "a message is not answered")
        try storedAll()
        try require(core.storing?.tickets.count == 0, "a message is kept of which all is stored")
        try require(flows.isEmpty && core.sessions.isEmpty, "a call does not end, or a flow of it")
        try require(core.census == Census(), "counted as there is what has gone: \(core.census)")
    }
}
