// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import NetworkEmulation
import RouterWire
import SessionWire

/// A session: who is in it, what they publish and subscribe to, and how that is connected.
///
/// It knows nothing of any other session nor of the lobby, and sends nothing itself: what it knows of the world outside comes
/// with each input what it has to know, and what it wants done comes back as effects.
struct LiveSession: StoringSession, Sendable {
    let id: SessionID
    let number: SessionNumber
    let mediaMode: MediaMode
    /// Unix ms.
    let creationTime: Double
    /// Whether it stays while no one is in it.
    let isKept: Bool
    let settings: CoreSettings
    var ids: IDSource
    /// `nil` without a store.
    var storing: SessionStoring?
    /// The clients, in the order in which they joined.
    var roster: [ClientID] = []
    var members = Table<ClientID, Member>()
    var streams = Table<StreamID, PublishedStream>()
    var endpoints = Table<EndpointID, Endpoint>()
    var legs = Table<LegID, Leg>()
    var relays = Table<RelayID, Relay>()
    var adaptation: Adaptation
    var offers = OfferQueue()
    var quality: SessionQualityState
    /// Of those clients that send raw reports.
    var analysts = ReportAnalysts()
    /// What fills clients' networks at the moment.
    var saturations: [LegID: Saturation] = [:]
    /// The clients whose networks are emulated, and how.
    var emulations: [ClientID: EmulatedNetwork] = [:]
    /// Publications whose content is not what the others were last sent.
    var pendingUpdates: Set<EndpointID> = []
    /// Streams that the others know of.
    var announcedStreams = 0
    /// How often tokens have let someone in of late.
    private var joinRates = TokenBuckets()
    /// Until when raw reports are kept, Unix ms.
    private(set) var keepsReports: Double?
    /// At the input at hand.
    private(set) var surroundings: Surroundings
    private var effects: [SessionEffect] = []
    private var lastNumber: UInt64 = 0

    init(
        id: SessionID, number: SessionNumber, mediaMode: MediaMode, isKept: Bool, settings: CoreSettings,
        ids: IDSource, storing: SessionStoring?, at now: CoreTime
    ) {
        self.id = id
        self.number = number
        self.mediaMode = mediaMode
        self.isKept = isKept
        self.settings = settings
        self.ids = ids
        self.storing = storing
        creationTime = now.unix
        adaptation = Adaptation(mediaMode)
        quality = SessionQualityState(settings.quality)
        surroundings = Surroundings(now: now)
    }

    var now: CoreTime { surroundings.now }
    var limits: SessionServerLimits { settings.limits }
    var timeouts: SessionServerTimeouts { settings.timeouts }

    /// What of it `GET /readyz` counts.
    var census: Census {
        Census(sessions: roster.isEmpty ? 0 : 1, connections: roster.count, streams: announcedStreams)
    }

    /// A number that was not used before.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}

// MARK: - Inputs

/// What can happen to a session.
enum SessionInput: Sendable {
    /// It has been made.
    case begun
    /// Someone joins by the request of this id, and has a place in it.
    case joined(Identity, id: Int, Resumption?, software: String?)
    /// A member's message that is in order.
    case message(ClientMessage, ClientID)
    /// A member has lost its socket, or has another one.
    case away(ClientID, Bool)
    /// A member is about to leave or is lost; its streams end first.
    case leaving(ClientID, reason: EndReason)
    /// A member is gone.
    case left(ClientID, reason: EndReason)
    /// The router says something of a leg.
    case notice(RouterNotice, LegID)
    /// The router is gone, and its legs with it.
    case routerLost
    /// A leg's offer has its turn at the router.
    case turn(LegID, UInt64)
    /// Raw reports are to be kept until then, Unix ms, or not any longer.
    case keepReports(until: Double?)
    /// A member's network is to be emulated, or not any longer.
    case emulate(ClientID, ConditionSchedule?)
    /// The router says what a member's emulated network did.
    case counted(NetworkCount, ClientID)
    /// Time has passed.
    case tick
    /// It ends, with all that is in it if the server does.
    case ended(isShutdown: Bool)
}

extension LiveSession {
    /// Takes note of an input and says what is to be done.
    mutating func handle(_ input: SessionInput, in surroundings: Surroundings) -> [SessionEffect] {
        self.surroundings = surroundings
        switch input {
        case .begun: keepBeginning()
        case .joined(let member, let id, let resumption, let software):
            join(member, id: id, resumption, software: software)
        case .message(let message, let client): take(message, from: client)
        case .away(let client, let isAway): note(client, isAway: isAway)
        case .leaving(let client, let reason): endStreams(of: client, reason: reason)
        case .left(let client, let reason): remove(client, reason: reason)
        case .notice(let notice, let leg): take(notice, of: leg)
        case .routerLost: routerLost()
        case .turn(let leg, let turn): release(leg, turn: turn)
        case .keepReports(let time): keepsReports = time
        case .emulate(let client, let schedule): emulate(schedule, for: client)
        case .counted(let count, let client): self.count(count, for: client)
        case .tick: tick()
        case .ended(let isShutdown): end(isShutdown: isShutdown)
        }
        defer { effects = [] }
        return effects
    }

    private mutating func end(isShutdown: Bool) {
        if isShutdown { return keepShutdown() }
        keepEnd()
        log(.sessionEnded(id.rawValue.printable))
    }
}

// MARK: - Coming and going

extension LiveSession {
    /// Whether a token lets another client in.
    ///
    /// One whose holder is away gives its place to the newcomer: whoever has a token may have lost what it takes to
    /// come back, and waits for no one.
    ///
    /// - Returns: Who gives its place.
    mutating func admit(_ grant: TokenGrant, at now: Duration) throws(ServerError) -> ClientID? {
        guard joinRates.take(.join, of: UInt64(bitPattern: EventMark.hash(grant.id)), at: now) else {
            throw ServerError(.tooMany, "clients join by this token too often: once a second is enough")
        }
        let holders = present.filter { $0.identity.grant.id == grant.id }
        let limit = grant.connections ?? limits.connectionsPerToken
        guard holders.count >= limit else { return nil }
        guard let away = holders.first(where: \.isAway) else {
            throw ServerError(
                .tooMany, "the token is in use by \(limit) clients, as many as it allows; get another one")
        }
        return away.identity.client
    }

    /// Whether a connection has left, or was never there.
    func isFree(_ connection: String) -> Bool {
        !members.contains { $0.identity.description.id == connection }
    }

    /// Takes someone in, and lets the others know.
    private mutating func join(_ member: Identity, id: Int, _ resumption: Resumption?, software: String?) {
        let joined = welcome(member, resumption)
        roster.append(member.client)
        members.add(Member(member, rememberedEvents: limits.rememberedEvents), as: member.client)
        answer(member.client, id, .joined(joined))
        keepConnection(member, software: software)
        notify(allBut: member.client, .connectionCreated(member.description))
        membersChanged()
        log(
            .joined(
                session: self.id.rawValue.printable, connection: member.description.id,
                client: software.map { "\"\($0)\"" }))
    }

    /// What who joins is sent about the others.
    private func welcome(_ member: Identity, _ resumption: Resumption?) -> ServerMessage.Joined {
        ServerMessage.Joined(
            session: id.rawValue, mediaMode: mediaMode, role: member.grant.role,
            connection: member.description, connections: present.map(\.identity.description),
            streams: streams.rows(where: \.isAnnounced).sorted { $0.publication < $1.publication }
                .compactMap { describe($0) },
            iceServers: settings.iceServers(member.description.id, now), resumption: resumption)
    }

    /// The members, in the order in which they joined.
    var present: [Member] { roster.compactMap { members[$0] } }

    /// A client has lost its socket, or has another one.
    private mutating func note(_ client: ClientID, isAway: Bool) {
        guard let connection = identity(of: client)?.description.id else { return }
        members.change(client) { $0.isAway = isAway }
        log(
            isAway
                ? .away(session: id.rawValue.printable, connection: connection)
                : .resumed(session: id.rawValue.printable, connection: connection))
    }

    private mutating func endStreams(of client: ClientID, reason: EndReason) {
        for endpoint in (members[client]?.endpoints ?? []).sorted() { end(endpoint, reason: reason) }
    }

    /// Removes a client whose streams have ended.
    private mutating func remove(_ client: ClientID, reason: EndReason) {
        guard let member = members.remove(client)?.identity else { return }
        roster.removeAll { $0 == client }
        emulations[client] = nil
        quality.forget(member.connection)
        notify(allBut: client, .connectionDestroyed(.init(id: member.description.id, reason: reason)))
        membersChanged()
        keepEnd(of: member.connection, reason: reason)
        log(.left(session: id.rawValue.printable, connection: member.description.id, reason: reason))
    }
}

// MARK: - Messages

extension LiveSession {
    /// Takes a member's message that is in order.
    private mutating func take(_ message: ClientMessage, from client: ClientID) {
        guard let member = identity(of: client) else { return }
        do throws(ServerError) { try carryOut(message.body, id: message.id, member) } catch {
            answer(client, message.id, .error(error))
        }
    }

    private mutating func carryOut(
        _ body: ClientMessage.Body, id: Int, _ member: Identity
    ) throws(ServerError) {
        switch body {
        // The lobby's.
        case .join, .resume, .ack, .leave: break
        case .publish(let request): try publish(request, id: id, member)
        case .subscribe(let request): try subscribe(request, id: id, member)
        case .offer(let request): try offer(request, id: id, member)
        case .replace(let request): try replace(request, id: id, member)
        case .candidate(let candidate): try take(candidate, member)
        case .prefer(let request): try prefer(request, id: id, member)
        case .update(let request): try update(request, id: id, member)
        case .saturate(let request): try saturate(request, id: id, member)
        case .networkTest(let request): try test(request, id: id, member)
        case .unsubscribe(let leg): try end(leg.leg, .subscriber, id: id, member)
        case .unpublish(let leg): try end(leg.leg, .publisher, id: id, member)
        case .telemetry(let telemetry): try take(telemetry, id: id, member)
        case .relay(let request): try relay(request, id: id, member)
        case .answer(let request): try answerRelay(request, id: id, member)
        case .settled(let leg): try settled(leg.leg, member)
        case .legLost(let leg): try legLost(leg.leg, member)
        case .giveUp(let request): try giveUp(request, member)
        case .networkQuality(let request): askQuality(request, id: id, member)
        case .forceUnpublish(let request): try forceUnpublish(request, id: id, member)
        case .forceDisconnect(let request): try forceDisconnect(request, id: id, member)
        case .rate(let rating): try rate(rating, id: id, member)
        }
    }
}

// MARK: - Time

extension LiveSession {
    /// Looks what is due.
    private mutating func tick() {
        offers.expire(at: now.elapsed)
        forgetStaleOffers()
        expireRequests()
        retireLegs()
        expireRelays()
        expireRouting()
        expireUnconnected()
        advanceEmulations()
        watchQuality()
        notifyUpdates()
    }
}

// MARK: - Who is who

extension LiveSession {
    /// The names that a member has for its peer connections.
    func names(of member: Identity) -> LegNames { members[member.client]?.names ?? LegNames() }

    /// The leg that serves a publication or subscription; `nil` without one.
    func currentLeg(of endpoint: Endpoint) -> Leg? { endpoint.legs.current.flatMap { legs[$0] } }

    /// Who a member is; `nil` if it has left.
    func identity(of client: ClientID) -> Identity? { members[client]?.identity }
}

// MARK: - Effects

extension LiveSession {
    mutating func add(_ effect: SessionEffect) { effects.append(effect) }

    /// Answers a client's message.
    mutating func answer(_ client: ClientID, _ id: Int?, _ body: ServerMessage.Body) {
        add(.send(client, ServerMessage(re: id, body)))
    }

    /// Sends a client something that it did not ask for.
    mutating func notify(_ client: ClientID, _ body: ServerMessage.Body) {
        add(.send(client, ServerMessage(body)))
    }

    /// Sends something to everyone but one.
    mutating func notify(allBut client: ClientID?, _ body: ServerMessage.Body) {
        add(.broadcast(roster.filter { $0 != client }, ServerMessage(body)))
    }

    /// Asks the session's router; not while it is away.
    mutating func ask(_ command: RouterCommand) {
        if surroundings.isRouterReady { add(.ask(command)) }
    }

    /// Counts what a client does; what exceeds the rate is refused.
    mutating func pace(
        _ request: LimitedRequest, of subject: UInt64 = 0, cost: Int = 1, by client: ClientID
    ) throws(ServerError) {
        let elapsed = now.elapsed
        try members.change(client) { member throws(ServerError) in
            try member.pace(request, of: subject, cost: cost, at: elapsed)
        }
    }
}
