// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallStore
import Foundation
import Logging
import RouterWire
import SessionCore
import SessionWire
import Synchronization

/// The one owner of the core: takes inputs in turn, and does what the core says.
actor ServerHub {
    private var core: Lobby
    private var outlets: [SocketID: ClientOutlet] = [:]
    private var router: RouterOutlet?
    private var isShutDown = false
    private let lastSocket = Atomic<UInt64>(0)
    /// Those who wait for the last socket's end.
    private var endWaiters: [CheckedContinuation<Void, Never>] = []
    private var writer: StoreWriter?
    /// What was queued before there was a store.
    private var unwritten: [(records: [StoreRecord], receipt: StoreReceipt?)] = []
    /// Takes tokens that are to be remembered as denied; `nil` if there is no file for them.
    private var denials: AsyncStream<DeniedToken>.Continuation?
    private let metrics: ServerMetrics
    private let logger: Logger
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    init(core: Lobby, logger: Logger, metrics: ServerMetrics = .init()) {
        self.core = core
        self.logger = logger
        self.metrics = metrics
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

    /// The router is there; `outlet` takes its commands.
    func routerIsReady(_ outlet: RouterOutlet) {
        router = outlet
        handle(.routerReady)
    }

    /// The router is gone.
    func routerIsLost() {
        router = nil
        handle(.routerLost)
    }

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

    /// Whether there is a session of this name.
    func presence(ofSession id: String) -> SessionPresence { core.presence(ofSession: id) }

    /// How the server is.
    var health: Health {
        var health = core.health
        health.storeIsWriting = writer?.statistics.isWriting
        if health.storeIsWriting == false { health.status = "degraded" }
        return health
    }

    private var time: CoreTime {
        CoreTime(unix: (Date().timeIntervalSince1970 * 1000).rounded(), elapsed: clock.now - start)
    }

    private func perform(_ action: CoreAction) {
        switch action {
        case .send(let socket, let message): outlets[socket]?.send(message)
        case .broadcast(let broadcast): send(broadcast)
        case .close(let socket, let reason): outlets[socket]?.close(reason)
        case .command(let command):
            if let refusal = router?.send(command) { handle(.router(refusal)) }
        case .endRouter: router?.abort()
        case .store(let records, let receipt): store(records, receipt)
        case .deny(let token): denials?.yield(token)
        case .log(let note): note.write(to: logger)
        }
    }
}

extension ServerHub {
    private func send(_ broadcast: Broadcast) {
        guard let messages = try? broadcast.encoded() else { return }
        let isDroppable = broadcast.message.isDroppable
        for (socket, json) in messages { outlets[socket]?.send(json, isDroppable: isDroppable) }
    }

    private func store(_ records: [StoreRecord], _ receipt: StoreReceipt?) {
        metrics.count(records)
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
        case .noPath(let session, let stream):
            logger.warning(
                "no path between two clients", metadata: ["session": "\(session)", "stream": "\(stream)"])
        case .mediaLost(let legs): logger.warning("media router lost", metadata: ["legs": "\(legs)"])
        case .routerHangs: logger.error("media router hangs")
        case .routerComplaint(let code):
            logger.warning("media router reported an error", metadata: ["code": "\(code)"])
        }
    }
}
