// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallQuality
import MediaPolicy
import RouterWire
import SessionWire

/// The server's state and decisions.
///
/// Pure: no clock, task, lock or I/O.
///
/// One input at a time; what is to be done about it comes back as actions. Nothing that a client sends may
/// trap, nor reach another client except as the event that the protocol has for it.
package struct ServerCore: Sendable {
    let limits: SessionServerLimits
    let timeouts: SessionServerTimeouts
    /// STUN and TURN servers for a client of this name.
    let iceServers: @Sendable (_ client: String, CoreTime) -> [ICEServerDescription]
    let audioFallback: AudioFallbackRules
    var ids: IDSource
    /// `nil` without a store.
    var storing: CoreStoring?
    var sessions: [String: ServerSession] = [:]
    let seal: RestorationSeal
    /// This run of the server.
    let instance: String
    /// By the socket that each has joined on.
    var clients: [SocketID: ServerClient] = [:]
    /// The client of each socket that took the place of the one that it joined on.
    var owners: [SocketID: SocketID] = [:]
    /// Who may come back, by token.
    var resumptions: [String: SocketID] = [:]
    /// Those to be removed because too much has piled up for them.
    var overfull: Set<SocketID> = []
    /// Those of the clients that have not joined.
    var unjoined: Set<SocketID> = []
    /// Connections of an earlier run of the server that were restored in this one and ended for good; never restored
    /// again.
    var endedRestorations: Set<String> = []
    /// Publications whose content is not what the others were last told.
    var untoldUpdates: Set<SlotID> = []
    /// What fills clients' networks at the moment.
    var saturations: [LegID: Saturation] = [:]
    /// Legs with offers that wait for their turn at the router.
    var waitingLegs: Set<LegID> = []
    /// Offers of legs that were removed while the router worked on them, and how long they count.
    var abandonedOffers: [(socket: SocketID, until: Duration)] = []
    /// Whether something has changed by which an offer's turn may have come.
    var mayRelease = false
    /// Offers that had their turn at the router.
    var lastTurn: UInt64 = 0
    var slots: [SlotID: LegSlot] = [:]
    var legs: [LegID: ServerLeg] = [:]
    var relays: [RelayID: Relay] = [:]
    var quality: QualityBook
    /// Of those clients that send raw reports, by what the reports are of and where it leads: to a subscription, or, by
    /// its own name, to the media router.
    var analysts: [SlotID: [SlotID: ReportAnalyst]] = [:]
    var isRouterReady = false
    /// Times that the router came after the first.
    var routerRestarts = 0
    /// When the router last said something or had no need to.
    var routerHeardAt: Duration = .zero
    private var hasHadRouter = false
    /// The moment of the first input.
    private(set) var startedAt: Duration?
    private var lastNumber: UInt64 = 0
    private var actions: [CoreAction] = []
    /// The moment of the input at hand.
    var now = CoreTime(unix: 0, elapsed: .zero)

    package init(
        limits: SessionServerLimits = .init(), timeouts: SessionServerTimeouts = .init(),
        iceServers: @escaping @Sendable (String, CoreTime) -> [ICEServerDescription] = { _, _ in [] },
        audioFallback: AudioFallbackRules = .init(),
        quality: QualityConfiguration = .init(),
        ids: IDSource, seal: RestorationSeal, storing: CoreStoring? = nil
    ) {
        self.limits = limits
        self.timeouts = timeouts
        self.iceServers = iceServers
        self.audioFallback = audioFallback
        var ids = ids
        instance = ids.next()
        self.ids = ids
        self.storing = storing
        self.quality = QualityBook(quality)
        self.seal = seal
    }

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
        case .routerReady: routerReady()
        case .routerLost: routerLost()
        case .router(let notice): take(notice)
        case .stored(let receipts): stored(receipts)
        case .notStored(let receipt): notStored(receipt)
        case .tick: tick()
        case .shutdown: shutdown()
        }
        if mayRelease { releaseAll() }
        mayRelease = false
        removeOverfull()
        defer { actions.removeAll() }
        return actions
    }

    /// A number that was not used before.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Notes that the router is there; whether it is not the first time.
    mutating func noteRouter() {
        if hasHadRouter { routerRestarts += 1 }
        hasHadRouter = true
        isRouterReady = true
        routerHeardAt = now.elapsed
    }
}

// MARK: - Actions

extension ServerCore {
    /// Answers a client's message.
    mutating func answer(_ socket: SocketID, _ id: Int?, _ body: ServerMessage.Body) {
        deliver(ServerMessage(re: id, body), to: socket)
    }

    /// Refuses a client's message, or tells it what went wrong if `id` is `nil`.
    mutating func refuse(_ socket: SocketID, _ id: Int?, _ code: ServerError.Code, _ message: String) {
        answer(socket, id, .error(ServerError(code, message)))
    }

    /// Tells a client something that it did not ask for.
    mutating func tell(_ socket: SocketID, _ body: ServerMessage.Body) {
        deliver(ServerMessage(body), to: socket)
    }

    /// Tells everybody in a session but one.
    mutating func tell(everybodyIn session: String, but socket: SocketID?, _ body: ServerMessage.Body) {
        let message = ServerMessage(body)
        let recipients = (sessions[session]?.members ?? []).filter { $0 != socket }
            .compactMap { number(message, for: $0) }
        if !recipients.isEmpty { act(.broadcast(.init(message: message, recipients: recipients))) }
    }

    /// Asks the router; not while there is none.
    mutating func ask(_ command: RouterCommand) {
        if isRouterReady { actions.append(.command(command)) }
    }

    /// Ends a client's socket; the client does not come back.
    mutating func close(_ client: SocketID, _ reason: CloseReason) {
        guard let link = clients[client]?.link else { return act(.close(client, reason)) }
        clients[client]?.link.isOver = true
        if let socket = link.socket { act(.close(socket, reason)) }
    }

    mutating func act(_ action: CoreAction) {
        actions.append(action)
    }

    mutating func endRouter() {
        actions.append(.endRouter)
    }

    /// Has something stored; not without a store.
    mutating func store(_ records: [StoreRecord], receipt: StoreReceipt? = nil) {
        if storing != nil { actions.append(.store(records, receipt)) }
    }

    mutating func log(_ note: CoreNote) {
        actions.append(.log(note))
    }
}
