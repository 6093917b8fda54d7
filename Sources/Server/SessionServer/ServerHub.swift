// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import HistoryWriter
import Logging
import NetworkEmulation
import RouterWire
import SessionCore
import SessionWire
import Synchronization

/// The one owner of the core: takes inputs in turn, and does what the core says.
actor ServerHub {
    /// A media router that is there.
    private struct RouterLink {
        let outlet: RouterOutlet
        /// `nil` if it has none of its own.
        let process: Int32?
    }

    private var core: Lobby
    private var outlets: [SocketID: ClientOutlet] = [:]
    private var routers: [RouterID: RouterLink] = [:]
    private var isShutDown = false
    /// Whether it gives up its sessions, and is not to get others.
    private var isDraining = false
    private let lastSocket = Atomic<UInt64>(0)
    /// Those who wait for the last socket's end.
    private var endWaiters: [CheckedContinuation<Void, Never>] = []
    private var writer: StoreWriter?
    /// Who waits until what participants of observed calls say is stored.
    private var unsettled: [ReportTicket: Promise<ReportOutcome>] = [:]
    /// What was queued before there was a store.
    private var unwritten: [(records: [StoreRecord], receipt: StoreReceipt?)] = []
    /// Takes tokens that are to be remembered as denied; `nil` if there is no file for them.
    private var denials: AsyncStream<DeniedToken>.Continuation?
    private let metrics: ServerMetrics
    /// `nil` if no one takes traces.
    private let traces: CallTraces?
    private let logger: Logger
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    init(core: Lobby, logger: Logger, metrics: ServerMetrics = .init(), traces: CallTraces? = nil) {
        self.core = core
        self.logger = logger
        self.metrics = metrics
        self.traces = traces
        start = clock.now
    }

    /// A name for a new socket.
    nonisolated func nextSocket() -> SocketID {
        SocketID(rawValue: lastSocket.add(1, ordering: .relaxed).newValue)
    }

    /// Accepts a new socket.
    func open(_ socket: SocketID, _ outlet: ClientOutlet) {
        outlets[socket] = outlet
        if isShutDown { outlet.close(.shutdown) } else { handle(.opened(socket)) }
    }

    /// Waits until the last socket is closed; those without a close handshake are cut off.
    func end() async {
        if !isShutDown {
            handle(.shutdown)
            for outlet in outlets.values { outlet.abort() }
        }
        guard !outlets.isEmpty else { return }
        await withCheckedContinuation { endWaiters.append($0) }
    }

    /// Handles an input and performs the resulting actions.
    func handle(_ input: CoreInput) {
        if case .shutdown = input { isShutDown = true }
        for action in core.handle(input, at: time) { perform(action) }
        if case .closed(let socket) = input { closed(socket) }
    }

    private func closed(_ socket: SocketID) {
        outlets[socket] = nil
        guard outlets.isEmpty else { return }
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
    }

    /// A router is there; `outlet` takes its commands.
    func routerIsReady(_ router: RouterID, _ outlet: RouterOutlet, process: Int32? = nil) {
        routers[router] = RouterLink(outlet: outlet, process: process)
        handle(.routerReady(router))
    }

    /// A router is gone.
    func routerIsLost(_ router: RouterID) {
        routers[router] = nil
        handle(.routerLost(router))
    }

    /// The routers that are there.
    var runningRouters: [RunningRouter] {
        routers.map { RunningRouter(id: $0.key, process: $0.value.process) }.sorted { $0.id < $1.id }
    }

    /// Notes how much of what they can do the routers do; what is said of one that was started again since is not of this one.
    func note(_ measurements: [RouterLoadReader.Measurement]) {
        for measurement in measurements {
            let router = measurement.router
            guard let link = routers[router.id], link.process == router.process else { continue }
            handle(.routerLoad(router.id, measurement.share))
        }
    }

    /// Has a router take no more sessions, and starts it again when it has none, or after that time.
    ///
    func drain(_ router: RouterID, within time: Duration) throws(ServerError) {
        try core.drain(router, within: time, at: self.time)
    }

    /// How the routers are.
    var routerStates: [RouterState] { core.routerStates }

    /// The store is open; `writer` takes what is to be stored.
    func storeIsReady(_ writer: StoreWriter) {
        self.writer = writer
        for (records, receipt) in unwritten { submit(records, receipt, to: writer) }
        unwritten = []
    }

    /// What is known of the server's run before; `denials` takes what the next one is to know.
    func recall(_ run: FormerRun, denials: AsyncStream<DeniedToken>.Continuation) {
        core.recall(run)
        self.denials = denials
    }

    /// Stores raw reports of a session until then, Unix ms.
    ///
    /// - Returns: Whether there is such a session, and a store.
    func keepReports(ofSession session: String, until time: Double?) -> Bool {
        core.keepReports(ofSession: session, until: time)
    }

    /// Creates a session.
    func createSession(
        id: String? = nil, mediaMode: MediaMode, isKept: Bool = false
    ) throws(ServerError) -> SessionCreated {
        try core.createSession(id: id, mediaMode: mediaMode, isKept: isKept, at: time)
    }

    /// The session of a name that the application chose, made if there is none; and whether it was made.
    func session(
        named id: String, mediaMode: MediaMode
    ) throws(ServerError) -> (SessionCreated, isNew: Bool) {
        try core.session(named: id, mediaMode: mediaMode, at: time)
    }

    /// Ends a session; whether there was one.
    func endSession(_ id: String, wasHosted: Bool) -> Bool {
        core.endSession(id, wasHosted: wasHosted, at: time)
    }

    /// Whether there is a session of this name.
    func presence(ofSession id: String) -> SessionPresence { core.presence(ofSession: id) }

    /// Has a node's tag stand in the names of sessions that are made here.
    func setHome(_ tag: SessionName.Tag) { core.home = tag }

    /// Whether a session is here.
    func has(_ session: String) -> Bool { core.has(session) }

    /// The sessions that are here.
    var sessionNames: [String] { core.sessionNames }

    /// The observed calls that are here.
    var observedCalls: [String] { core.observedCalls }

    /// How much of what the server can do it does.
    var load: NodeLoad { core.load }

    /// Takes over a session of a node that is gone.
    func adopt(_ session: String, mediaMode: MediaMode?, isBegunElsewhere: Bool) {
        core.adopt(session, mediaMode: mediaMode, isBegunElsewhere: isBegunElsewhere, at: time)
    }

    /// Whether a session has ended here and was not begun again, which the store may not know yet.
    func hasEnded(_ session: String) -> Bool { core.hasEnded(session) }

    /// Learns what other nodes refuse: tokens whose holders were put out, and observed calls that were ended.
    func learn(denied: [DeniedToken], endedCalls: [String: Double] = [:]) {
        core.learn(denied: denied, endedCalls: endedCalls, at: time)
    }

    /// Has it get no more sessions: it gives up those that it has.
    func setDraining() { isDraining = true }

    /// Releases sessions that are another node's; gives how many clients were in them.
    @discardableResult
    func release(_ sessions: [String]) -> Int {
        let before = core.health.connections
        for action in core.release(sessions, at: time) { perform(action) }
        return before - core.health.connections
    }

    /// Counts bytes that came from a participant of an observed call, before they are read.
    func charge(_ observer: ObserverGrant, bytes: Int) throws(ServerError) {
        try core.charge(observer, bytes: bytes, at: time)
    }

    /// Counts bytes that came from a participant of an observed call; after what time it is their turn.
    func turn(_ observer: ObserverGrant, bytes: Int, within limit: Duration) -> Duration? {
        core.turn(observer, bytes: bytes, within: limit, at: time)
    }

    /// Whether an observed call of this name is live.
    func observes(_ call: String) -> Bool { core.observes(call) }

    /// Takes what a participant of an observed call says.
    ///
    /// - Parameter issued: When its token was made, Unix ms.
    /// - Returns: What is to be answered, and what is to be waited for before; `nil` if nothing is.
    func take(
        _ reports: ObservedReports, from observer: ObserverGrant, issued: Double
    ) throws(ServerError) -> (receipt: ObservedReceipt, outcome: Promise<ReportOutcome>?) {
        let taking = try core.take(reports, from: observer, issued: issued, at: time)
        let outcome = taking.ticket.map { _ in Promise<ReportOutcome>() }
        if let ticket = taking.ticket { unsettled[ticket] = outcome }
        // At once: who reports waits until it is stored.
        for action in core.takeActions() { perform(action) }
        return (taking.receipt, outcome)
    }

    /// Has stored what a participant of an observed call says of it, and whether the participant is in it now.
    ///
    /// - Parameter issued: When its token was made, Unix ms.
    func rate(
        _ rating: CallRating, by observer: ObserverGrant, issued: Double
    ) throws(ServerError) -> Bool {
        try core.rate(rating, by: observer, issued: issued, at: time)
    }

    /// Emulates a participant's network from now on; `nil` ends that.
    func emulate(
        _ schedule: ConditionSchedule?, for connection: String, in session: String
    ) throws(ServerError) -> ParticipantNetwork {
        try core.emulate(schedule, for: connection, in: session, at: time)
    }

    /// How the networks of a session's participants are.
    func networks(of session: String) throws(ServerError) -> [ParticipantNetwork] {
        try core.networks(of: session)
    }

    /// How the server is.
    var health: Health {
        var health = core.health
        if writer?.isFailing == true { health.problems.append(.storeFailing) }
        if isShutDown || isDraining { health.problems.append(.shuttingDown) }
        return health
    }

    /// How the routers are, and which processes those that are there have.
    var routersInProcesses: [(state: RouterState, process: Int32?)] {
        core.routerStates.map { ($0, routers[RouterID(rawValue: $0.router)]?.process) }
    }

    private var time: CoreTime {
        CoreTime(unix: Date().unixTime.rounded(), elapsed: clock.now - start)
    }

    private func perform(_ action: CoreAction) {
        switch action {
        case .send(let socket, let message): outlets[socket]?.send(message)
        case .broadcast(let broadcast): send(broadcast)
        case .close(let socket, let reason): outlets[socket]?.close(reason)
        case .command(let command, let router):
            if let refusal = routers[router]?.outlet.send(command) { handle(.router(refusal, from: router)) }
        case .endRouter(let router): routers[router]?.outlet.abort()
        case .store(let records, let receipt): store(records, receipt)
        case .settled(let ticket, let outcome):
            unsettled.removeValue(forKey: ticket)?.finish(returning: outcome)
        case .deny(let token): denials?.yield(token)
        case .log(let note): note.write(to: logger)
        }
    }
}

extension ServerHub {
    private func send(_ broadcast: Broadcast) {
        guard let json = try? broadcast.message.json() else { return }
        let isDroppable = broadcast.message.isDroppable
        let whole = SharedText(json)
        let unnumbered = SharedText(ServerMessage.unnumbered(json))
        for recipient in broadcast.recipients {
            let text = recipient.number.map {
                OutgoingText(unnumbered, after: ServerMessage.number($0))
            }
            outlets[recipient.socket]?.send(text ?? OutgoingText(whole), isDroppable: isDroppable)
        }
    }

    private func store(_ records: [StoreRecord], _ receipt: StoreReceipt?) {
        metrics.count(records)
        traces?.take(records)
        guard let writer else { return unwritten.append((records, receipt)) }
        submit(records, receipt, to: writer)
    }

    private func submit(_ records: [StoreRecord], _ receipt: StoreReceipt?, to writer: StoreWriter) {
        let isTaken = writer.submit(records, receipt: receipt)
        if !isTaken, let receipt { handle(.notStored(receipt)) }
    }
}

extension CoreNote {
    fileprivate func write(to logger: Logger) {
        switch self {
        case .joined(let session, let connection, let client):
            logger.info(
                "client joined",
                metadata: [
                    "session": "\(session)", "connection": "\(connection)",
                    "client": "\(client ?? "unnamed")",
                ])
        case .away(let session, let connection):
            logger.info(
                "client lost its socket", metadata: ["session": "\(session)", "connection": "\(connection)"])
        case .resumed(let session, let connection):
            logger.info("client is back", metadata: ["session": "\(session)", "connection": "\(connection)"])
        case .left(let session, let connection, let reason):
            logger.info(
                "client left",
                metadata: ["session": "\(session)", "connection": "\(connection)", "reason": "\(reason)"])
        case .published(let session, let stream):
            logger.info("stream published", metadata: ["session": "\(session)", "stream": "\(stream)"])
        case .unpublished(let session, let stream, let reason):
            logger.info(
                "stream ended",
                metadata: ["session": "\(session)", "stream": "\(stream)", "reason": "\(reason)"])
        case .sessionEnded(let session): logger.info("session ended", metadata: ["session": "\(session)"])
        case .rerouted(let session, let isRouted):
            logger.info(
                "media rerouted",
                metadata: ["session": "\(session)", "to": isRouted ? "router" : "clients"])
        case .emulated(let session, let connection, let conditions):
            logger.warning(
                conditions == nil ? "network emulation ended" : "network is emulated",
                metadata: [
                    "session": "\(session)", "connection": "\(connection)",
                    "conditions": "\(conditions ?? "none")",
                ])
        case .noPath(let session, let stream):
            logger.warning(
                "no path between two clients", metadata: ["session": "\(session)", "stream": "\(stream)"])
        case .mediaLost(let router, let legs):
            logger.warning(
                "media router lost", metadata: ["router": "\(router.rawValue)", "legs": "\(legs)"])
        case .routerHangs(let router):
            logger.error("media router does not respond", metadata: ["router": "\(router.rawValue)"])
        case .routerDrained(let router, let legs):
            logger.info(
                "media router drained", metadata: ["router": "\(router.rawValue)", "legs": "\(legs)"])
        case .routerFull(let router, let load):
            logger.warning(
                "media router is full: new publications and subscriptions are refused",
                metadata: ["router": "\(router.rawValue)", "load": "\(load)"])
        case .routerHasRoom(let router):
            logger.info("media router has room again", metadata: ["router": "\(router.rawValue)"])
        case .routerComplaint(let code):
            logger.warning("media router reported an error", metadata: ["code": "\(code)"])
        }
    }
}
