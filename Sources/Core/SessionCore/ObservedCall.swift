// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import SessionWire
import WebRTCStats

/// Whom a token lets in to add to an observed call, and as whom.
package struct ObserverGrant: Sendable, Hashable {
    /// The app's name for the call.
    package var call: String
    /// The app's name for the participant: to no other one is anything added.
    package var participant: String
    /// What the app says of the participant, such as its version.
    package var tags: [String: String]

    package init(call: String, participant: String, tags: [String: String] = [:]) {
        self.call = call
        self.participant = participant
        self.tags = tags
    }
}

/// A call of an app's own, of which the server gets nothing but the reports of its participants' peer connections.
///
/// It is judged by what judges recordings: an observer per peer connection, whose streams get what their senders report
/// where both ends of them are known (`Docs/decisions/0017-observed-calls.md`).
struct ObservedCall: StoringSession, Sendable {
    let id: SessionID
    let number: SessionNumber
    /// When the first of what is known of it was measured, Unix ms.
    let creationTime: Double
    /// When it was first heard of, Unix ms.
    let beginningTime: Double
    let settings: CoreSettings
    var ids: IDSource
    /// `nil` without a store.
    var storing: SessionStoring?
    var participants = Table<String, ObservedParticipant>()
    var peers: [ObservedPeer.ID: ObservedPeer] = [:]
    /// Who sends an SSRC.
    var senders: [UInt64: Set<ObservedPeer.ID>] = [:]
    /// Who sends a track that the app calls so.
    var trackNames: [String: Set<ObservedPeer.ID>] = [:]
    /// Until when raw reports are kept, Unix ms.
    private(set) var keepsReports: Double?
    /// At the input at hand.
    private(set) var surroundings: Surroundings
    private var effects: [SessionEffect] = []
    /// What is to be stored because of the input at hand.
    var batch = ObservedBatch()
    /// Where something waits for its sender.
    var holding: Set<ObservedPeer.ID> = []
    private var lastNumber: UInt64 = 0

    init(
        id: SessionID, number: SessionNumber, settings: CoreSettings, ids: IDSource, storing: SessionStoring?,
        createdAt creationTime: Double, at now: CoreTime
    ) {
        self.id = id
        self.number = number
        self.settings = settings
        self.ids = ids
        self.storing = storing
        self.creationTime = creationTime
        beginningTime = now.unix
        surroundings = Surroundings(now: now)
    }

    var now: CoreTime { surroundings.now }
    var limits: SessionServerLimits { settings.limits }
    /// Whether everyone has left.
    var isOver: Bool { participants.isEmpty }

    var census: Census {
        Census(
            sessions: participants.isEmpty ? 0 : 1, connections: participants.count,
            streams: participants.values.reduce(0) { $0 + $1.streams },
            observedParticipants: participants.count, observedPeers: peers.count)
    }

    mutating func add(_ effect: SessionEffect) { effects.append(effect) }

    mutating func store(_ records: [StoreRecord]) {
        if storing != nil { batch.store(records) }
    }

    /// A number that was not used before.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}

/// Who takes part in an observed call, and sends its reports.
struct ObservedParticipant: Sendable {
    let grant: ObserverGrant
    let connection: ConnectionID
    /// What its software calls itself; `nil` until it has said so.
    var client: String?
    let joinedAt: Double
    var heardAt: Duration
    /// Its peer connections, by their names.
    var peers: Set<String> = []
    /// What it sends.
    var streams = 0
    /// Where its peer connections show a queue.
    var queue = ClientQueue<String>()
    /// How far its clock is from the server's.
    var clock = ClockOffset()
    var rates = TokenBuckets()
    /// The last of its reports.
    var taken = TakenReports()
}

// MARK: - Inputs

extension ObservedCall {
    /// Takes note of an input and says what is to be done; what only clients with sockets do is none of it.
    mutating func handle(_ input: SessionInput, in surroundings: Surroundings) -> [SessionEffect] {
        self.surroundings = surroundings
        switch input {
        case .begun: keepBeginning(.observed, createdAt: creationTime)
        case .keepReports(let time): keepsReports = time
        case .tick: tick()
        case .ended: end()
        case .joined, .message, .away, .leaving, .left, .notice, .routerLost, .turn, .emulate, .counted: break
        }
        return takeEffects()
    }

    /// Takes what a participant says, and lets it in with it.
    ///
    /// - Parameter message: What stands for all that it says until that is stored; `nil` without a store.
    mutating func take(
        _ observed: ObservedReports, from grant: ObserverGrant, as message: ReportTicket?,
        in surroundings: Surroundings
    ) -> (Result<ObservedReceipt, ServerError>, [SessionEffect]) {
        self.surroundings = surroundings
        batch.message = message
        defer { batch.message = nil }
        let result = Result { () throws(ServerError) -> ObservedReceipt in
            let span = observed.span(longest: settings.timeouts.telemetryDelay)
            try enter(grant, observed.client, since: max(creationTime, now.unix - span))
            var receipt = ObservedReceipt()
            let offset = clockOffset(observed, of: grant.participant)
            for report in observed.reports { take(report, of: grant.participant, offset, &receipt) }
            for event in observed.events { take(event, of: grant.participant, offset) }
            return receipt
        }
        return (result, takeEffects())
    }

    /// Has stored what a participant who is there says of the call.
    ///
    /// - Returns: Whether the participant is there.
    mutating func rate(
        _ rating: CallRating, by participant: String, in surroundings: Surroundings
    ) -> (Result<Bool, ServerError>, [SessionEffect]) {
        self.surroundings = surroundings
        let result = Result { () throws(ServerError) -> Bool in
            guard let connection = participants[participant]?.connection else { return false }
            try keep(rating, of: connection)
            return true
        }
        return (result, takeEffects())
    }

    private mutating func takeEffects() -> [SessionEffect] {
        defer { effects = [] }
        return effects + batch.takeEffects()
    }

    private mutating func take(
        _ report: ObservedReport, of participant: String, _ offset: Double, _ receipt: inout ObservedReceipt
    ) {
        do throws(ServerError) {
            try judge(report, of: participant, offset)
            receipt.accepted += 1
        } catch {
            receipt.refuse(report, error)
        }
    }

    /// Counts what a participant does; what exceeds the rate is refused.
    mutating func pace(
        _ request: LimitedRequest, of subject: UInt64 = 0, cost: Int = 1, _ participant: String
    ) throws(ServerError) {
        let elapsed = now.elapsed
        let isAllowed = participants.change(participant) {
            $0.rates.take(request, of: subject, cost: cost, at: elapsed)
        }
        guard isAllowed == true else {
            throw ServerError(.tooMany, "reports come too often; once a second is enough")
        }
    }
}

// MARK: - Coming and going

extension ObservedCall {
    /// Takes someone in who is not there.
    ///
    /// - Parameter time: When the first of what has come was measured, Unix ms.
    private mutating func enter(
        _ grant: ObserverGrant, _ client: String?, since time: Double
    ) throws(ServerError) {
        let elapsed = now.elapsed
        let client = client?.printable
        let isThere = participants.change(grant.participant) { $0.heardAt = elapsed } != nil
        guard !isThere else { return keepClient(client, of: grant.participant) }
        guard participants.count < limits.connectionsPerSession else {
            throw ServerError(
                .tooMany, "the call has \(limits.connectionsPerSession) participants and takes no more")
        }
        guard surroundings.spareConnections > 0 else {
            throw ServerError(.tooMany, "the server has \(limits.connections) clients and takes no more")
        }
        let participant = ObservedParticipant(
            grant: grant, connection: ConnectionID(ids.next()), client: client, joinedAt: time,
            heardAt: elapsed)
        participants.add(participant, as: grant.participant)
        keep(participant)
        note("connectionCreated", participant.connection, at: time, detail: Self.detail(of: grant.tags))
        log(
            .joined(
                session: id.rawValue.printable, connection: participant.connection.rawValue, client: client))
    }

    /// Tags as an event's particulars; their names are the app's, and kept apart from ours.
    private static func detail(of tags: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: tags.map { ("tag.\($0.key)", $0.value) })
    }

    /// Notes what a participant's software calls itself, once.
    private mutating func keepClient(_ client: String?, of name: String) {
        guard let client, var participant = participants[name], participant.client == nil else { return }
        participant.client = client
        participants.change(name) { $0.client = client }
        keep(participant)
    }

    private mutating func keep(_ participant: ObservedParticipant) {
        guard let names = storing?.names else { return }
        store([
            .connection(
                .init(
                    name: participant.connection.rawValue, session: id.rawValue,
                    participant: names.participant(participant.grant.participant),
                    displayName: names.displayName(participant.grant.participant), role: .publisher,
                    client: participant.client, joinedAt: participant.joinedAt))
        ])
    }

    /// Ends what has not been heard of for long, and what has waited for long enough.
    private mutating func tick() {
        settleWaiting()
        let limit = now.elapsed - settings.timeouts.observedSilence
        guard
            participants.contains(where: { $0.heardAt <= limit })
                || peers.values.contains(where: { $0.heardAt <= limit })
        else { return }
        let gone = participants.ids { $0.heardAt <= limit }.sorted()
        // Who has closed all peer connections has left.
        let left = Set(gone.filter { participants[$0]?.peers.isEmpty == true })
        for id in peers.lazy.filter({ $0.value.heardAt <= limit }).map(\.key).sorted() { end(id) }
        for name in gone { remove(name, reason: left.contains(name) ? .left : .lost) }
    }

    private mutating func remove(_ name: String, reason: EndReason) {
        guard let participant = participants[name] else { return }
        for peer in participant.peers.sorted() { end(.init(participant: name, name: peer)) }
        participants.remove(name)
        note("connectionDestroyed", participant.connection, detail: ["reason": reason.name])
        store([.connectionLeft(name: participant.connection.rawValue, at: now.unix, reason: reason)])
        log(
            .left(session: id.rawValue.printable, connection: participant.connection.rawValue, reason: reason)
        )
    }

    private mutating func end() {
        for name in participants.ids.sorted() { remove(name, reason: .shutdown) }
        keepEnd()
        log(.sessionEnded(id.rawValue.printable))
    }
}

// MARK: - Times

extension ObservedCall {
    /// What to add to a participant's times to have the server's, ms.
    private mutating func clockOffset(_ observed: ObservedReports, of participant: String) -> Double {
        let elapsed = now.elapsed
        let times = observed.reports.compactMap(\.measured) + observed.events.compactMap(\.time)
        let newest = times.map { elapsed.milliseconds - $0 }.min()
        let longest = settings.timeouts.telemetryDelay
        return participants.change(participant) { $0.clock.take(newest, longest: longest, at: elapsed) } ?? 0
    }

    /// How long ago something was by a participant's clock, ms.
    func age(_ measured: Double, _ offset: Double) -> Double {
        max(0, now.elapsed.milliseconds - (measured + offset)).rounded()
    }

    private mutating func take(_ event: ObservedEvent, of participant: String, _ offset: Double) {
        guard let known = participants[participant], (try? pace(.telemetry, participant)) != nil else {
            return
        }
        let age = event.time.map { self.age($0, offset) } ?? 0
        let time = min(now.unix, max(known.joinedAt, now.unix - age))
        guard let mark = mark(event, of: participant, at: time) else { return }
        store([
            .event(
                .init(
                    session: id.rawValue, connection: known.connection.rawValue, mark: mark,
                    type: event.kind.rawValue, isAlarm: event.detail["error"] != nil, detail: event.detail))
        ])
    }
}

extension ObservedCall {
    /// The same if the same event comes again; one without a name or time of its own is always another.
    private mutating func mark(
        _ event: ObservedEvent, of participant: String, at time: Double
    ) -> EventMark? {
        if let name = event.id, let captured = event.time {
            let id = "\(id.rawValue) \(participant) event \(name)"
            return EventMark(time: time, capturedAt: captured, eventId: id)
        }
        var mark = ownMark()
        mark?.time = time
        return mark
    }
}

extension ObservedReports {
    /// How long before the last report the first was measured, ms; what is older than the longest counts for nothing.
    func span(longest: Duration) -> Double {
        let times = reports.filter { $0.content != .closed }.compactMap(\.measured)
        guard let last = times.max() else { return 0 }
        return times.map { last - $0 }.filter { $0 <= longest.milliseconds }.max() ?? 0
    }
}

extension ObservedReport {
    /// When it was taken, by the participant's clock, Unix ms; `nil` if no one says.
    var measured: Double? {
        if let time { return time }
        if case .report(let report) = content, report.timestamp > 0 { return report.timestamp }
        return nil
    }
}
