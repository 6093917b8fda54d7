// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import MediaPolicy
import RouterWire
import SessionWire

/// Where clients come in: their sockets, who may come back, and the sessions that they are passed on to.
///
/// Pure: no clock, task, lock or I/O.
///
/// One input at a time; what is to be done about it comes back as actions. Nothing that a client sends may
/// trap, nor reach another client except as the event that the protocol has for it.
package struct Lobby: Sendable {
    let settings: CoreSettings
    var ids: IDSource
    /// `nil` without a store.
    var storing: CoreStoring?
    var routers: RouterPool
    var sessions: [SessionID: Session] = [:]
    /// The sessions that no one is in.
    var unused = UnusedSessions()
    /// Whose legs the router's are.
    var sessionsByNumber: [SessionNumber: SessionID] = [:]
    var clients = Table<ClientID, Client>()
    /// The client of each socket that took the place of the one that it joined on.
    var owners: [SocketID: ClientID] = [:]
    /// Who may come back, by token.
    var resumptions: [String: ClientID] = [:]
    /// Those to be removed because too much is queued for them.
    var overfull: Set<ClientID> = []
    /// Those of the clients that have not joined.
    var unjoined: Set<ClientID> = []
    /// Connections of an earlier run of the server that were restored in this one and ended for good; never restored
    /// again.
    var endedRestorations: Set<ConnectionID> = []
    /// Sessions of an earlier run of the server that may be opened again.
    var formerSessions = FormerSessions.unknown(ended: [])
    /// Sessions of other nodes that were taken over, to which their clients may come back.
    var adopted: [SessionID: Adoption] = [:]
    /// Sessions that have ended here and may still be open in the store, and when; none without a cluster.
    var ended: [SessionID: Duration] = [:]
    /// What stands in the names of sessions that are made here; `nil` without a cluster.
    package var home: SessionName.Tag?
    /// Whether the time for coming back to them is over.
    var isRestorationOver = false
    /// Tokens whose holders were put out.
    var denied: DeniedTokens
    /// What participants of observed calls send and how often they rate them, whether they are in the call or not.
    var observers = TokenBuckets()
    /// How often clients' emulated networks are changed.
    var emulationRates = TokenBuckets()
    /// Observed calls that the application has ended.
    var endedCalls = EndedCalls()
    /// What there is in all sessions, counted with each change.
    var census = Census()
    /// The moment of the input at hand.
    var now = CoreTime(unix: 0, elapsed: .zero)
    /// The moment of the first input.
    private var startedAt: Duration?
    private var sessionCount: UInt64 = 0
    private var actions: [CoreAction] = []

    package init(
        limits: SessionServerLimits = .init(), timeouts: SessionServerTimeouts = .init(),
        iceServers: @escaping @Sendable (String, CoreTime) -> [ICEServer] = { _, _ in [] },
        audioFallback: AudioFallbackRules = .init(),
        quality: QualityConfiguration = .init(),
        routers: Int = 1, emulatesNetworks: Bool = false,
        ids: IDSource, seal: RestorationSeal, storing: CoreStoring? = nil
    ) {
        var ids = ids
        self.routers = RouterPool(count: routers, legLimit: limits.routerLegs)
        settings = CoreSettings(
            limits: limits, timeouts: timeouts, iceServers: iceServers, audioFallback: audioFallback,
            quality: quality, emulatesNetworks: emulatesNetworks, seal: seal, instance: ids.next())
        self.ids = ids
        self.storing = storing
        denied = DeniedTokens(limit: limits.deniedTokens)
    }

    /// Learns what is known of the server's run before; before anyone comes.
    package mutating func recall(_ run: FormerRun) {
        if let sessions = run.sessions {
            formerSessions = .known(
                .init(sessions.map { (SessionID($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
            )
        }
        for token in run.denied { denied.insert(token) }
        for (call, time) in run.endedCalls { endedCalls.insert(SessionID(call), at: time) }
    }

    var limits: SessionServerLimits { settings.limits }
    var timeouts: SessionServerTimeouts { settings.timeouts }

    /// Takes note of `input` and says what is to be done.
    ///
    /// `now` must not go backwards.
    package mutating func handle(_ input: CoreInput, at now: CoreTime) -> [CoreAction] {
        self.now = now
        startedAt = startedAt ?? now.elapsed
        switch input {
        case .opened(let socket): opened(socket)
        case .join(let socket, let id, let join, let grant):
            if admits(socket) { joining(client(on: socket), id: id, join, grant) }
        case .message(let socket, let message): if admits(socket) { receive(message, on: socket) }
        case .unreadable(let socket, let id, let seq, let error):
            if admits(socket) { receive(unreadable: error, id: id, seq: seq, on: socket) }
        case .closed(let socket): closed(socket)
        case .routerReady(let router): routerReady(router)
        case .routerLost(let router): routerLost(router)
        case .routerLoad(let router, let load): noteLoad(load, of: router)
        case .router(let notice, let router): take(notice, from: router)
        case .stored(let receipts): stored(receipts)
        case .notStored(let receipt): notStored(receipt)
        case .moved(let sessions, let receipts): moved(sessions, receipts)
        case .tick: tick()
        case .shutdown: shutdown()
        }
        if routers.takeRelease() { releaseOffers() }
        routers.mayRelease = false
        removeOverfull()
        return takeActions()
    }

    /// What is to be done by now.
    package mutating func takeActions() -> [CoreAction] {
        defer { actions.removeAll() }
        for (ticket, outcome) in storing?.tickets.takeOutcomes() ?? [] { act(.settled(ticket, outcome)) }
        return actions
    }
}

// MARK: - Sessions at work

extension Lobby {
    /// Has a session deal with something, and carries out what it wants done.
    ///
    /// - Returns: Whether the session is to end now.
    @discardableResult
    mutating func put(_ input: SessionInput, to id: SessionID) -> Bool {
        // In place: a session is too large to be copied for every message.
        guard let index = sessions.index(forKey: id) else { return false }
        let outcome = sessions.values[index].handle(input, in: surroundings(of: id))
        census.replace(outcome.before, by: outcome.after)
        if outcome.after.sessions > outcome.before.sessions { unused.remove(id) }
        if outcome.after.sessions < outcome.before.sessions, outcome.endsUnused {
            unused.add(id, at: now.elapsed)
        }
        for effect in outcome.effects { carryOut(effect, of: id) }
        if !outcome.isAtRouter { routers.remove(id) }
        return outcome.isOver
    }

    /// A session has ended, and nothing of it is left.
    mutating func forget(_ id: SessionID) {
        guard let session = sessions.removeValue(forKey: id) else { return }
        census.replace(session.census, by: Census())
        unused.remove(id)
        sessionsByNumber[session.number] = nil
        routers.forget(id)
        formerSessions.end(id)
        adopted[id] = nil
        denied.noteEnd()
    }

    func surroundings(of session: SessionID) -> Surroundings {
        let router = routers[routers.choice(for: session)] ?? RouterRecord()
        return Surroundings(
            now: now, isRouterReady: router.isReady, isRouterFull: router.isFull,
            isRouterToBlame: router.isToBlame, spareLegs: limits.routerLegs - router.legs,
            spareSaturation: limits.saturation - routers.saturation(at: now.elapsed),
            spareConnections: spareConnections,
            spareObservedPeers: limits.observedPeers - census.observedPeers,
            mayRestore: mayRestore(in: session))
    }

    /// Clients, and participants of observed calls, that the server takes beside those that it has.
    var spareConnections: Int {
        limits.connections - (clients.count - unjoined.count) - census.observedParticipants
    }

    /// Whether clients of an earlier run of the server may still come back.
    var mayRestore: Bool { now.elapsed - (startedAt ?? now.elapsed) < timeouts.restoration }

    mutating func carryOut(_ effect: SessionEffect, of session: SessionID) {
        switch effect {
        case .send(let client, let message): deliver(message, to: client)
        case .broadcast(let clients, let message): broadcast(message, to: clients)
        case .store(let records, let waiting):
            guard let receipt = storing?.receipt(for: waiting) else { return }
            act(.store(records, receipt))
        case .hold(let ticket): storing?.tickets.add(to: ticket)
        case .release(let ticket): storing?.tickets.settle(ticket, isStored: true)
        case .follow(let former, let ticket): storing?.tickets.follow(former, by: ticket)
        case .deny(let token):
            denied.insert(token)
            act(.deny(token))
        case .expel(let client): putOut(client, .forced, closing: .forced)
        case .ask(let command): act(.command(command, to: routers.place(session)))
        case .countLegs(let count): routers.countLegs(count, of: session)
        case .queueOffers: routers.waiting.insert(session)
        case .releaseOffers: routers.mayRelease = true
        case .saturate(let leg, let saturation):
            routers.expireSaturations(at: now.elapsed)
            routers.saturations[leg] = saturation
        case .endSaturation(let leg): routers.saturations[leg] = nil
        case .act(let action): act(action)
        }
    }

    /// A number that no session has had.
    mutating func nextSessionNumber() -> SessionNumber {
        sessionCount += 1
        return SessionNumber(rawValue: sessionCount)
    }
}

// MARK: - Actions

extension Lobby {
    /// Answers a client's message.
    mutating func answer(_ client: ClientID, _ id: Int?, _ body: ServerMessage.Body) {
        deliver(ServerMessage(re: id, body), to: client)
    }

    /// Refuses a client's message, or tells it what went wrong if `id` is `nil`.
    mutating func refuse(_ client: ClientID, _ id: Int?, _ code: ServerError.Code, _ message: String) {
        answer(client, id, .error(ServerError(code, message)))
    }

    /// Sends a client something that it did not ask for.
    mutating func notify(_ client: ClientID, _ body: ServerMessage.Body) {
        deliver(ServerMessage(body), to: client)
    }

    /// Ends a client's socket; the client does not come back.
    mutating func close(_ client: ClientID, _ reason: CloseReason) {
        if let socket = clients.change(client, { $0.end() }) ?? nil { act(.close(socket, reason)) }
    }

    mutating func act(_ action: CoreAction) { actions.append(action) }
}
