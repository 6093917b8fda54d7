// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import NetworkEmulation
import RouterWire
import SessionWire
import TestSupport

@testable import SessionCore

/// A core on virtual time, with clients by name and a router that does as it is asked.
struct CoreScenario {
    var core: Lobby
    private(set) var session = ""
    private(set) var now = CoreTime(unix: 1_700_000_000_000, elapsed: .zero)
    /// What was sent to each client and not looked at yet.
    private var inboxes: [String: [ServerMessage]] = [:]
    /// What the router was asked and not looked at yet.
    private(set) var commands: [RouterCommand] = []
    private(set) var closed: [String: CloseReason] = [:]
    /// The routers that were ended.
    private(set) var endedRouters: [RouterID] = []
    /// The routers that were asked anything, each time.
    private(set) var askedRouters: [RouterID] = []
    /// What the store was given.
    private(set) var stored: [StoreRecord] = []
    /// What someone waits for to be stored.
    private(set) var receipts: [StoreReceipt] = []
    /// What the store was given together and was not looked at yet, with what someone waits for it by.
    private var submissions: [(records: [StoreRecord], receipt: StoreReceipt?)] = []
    /// How messages of participants of observed calls are to be answered.
    private(set) var outcomes: [ReportTicket: [ReportOutcome]] = [:]
    /// Tokens that are to be remembered as denied.
    private(set) var denials: [DeniedToken] = []
    /// What was logged.
    private(set) var notes: [CoreNote] = []
    /// Messages that went to many.
    private(set) var broadcasts = 0
    private var sockets: [String: SocketID] = [:]
    private var nextIDs: [String: Int] = [:]
    /// Whether the router answers every offer at once.
    var routerAnswers = true

    init(
        limits: SessionServerLimits = .init(), timeouts: SessionServerTimeouts? = nil,
        mediaMode: MediaMode = .routed, hasRouter: Bool = true, seal: RestorationSeal = .test(),
        routers: Int = 1, emulatesNetworks: Bool = false, seed: UInt64 = 1, storing: CoreStoring? = nil,
        audioFallback: AudioFallbackRules = .init()
    ) {
        core = Lobby(
            limits: limits, timeouts: timeouts ?? Self.timeouts,
            iceServers: { _, _ in [.init(urls: ["stun:stun.example:3478"])] },
            audioFallback: audioFallback, routers: routers,
            emulatesNetworks: emulatesNetworks,
            ids: IDSource(SeededRandom(seed: seed)), seal: seal, storing: storing)
        do {
            session = try core.createSession(mediaMode: mediaMode, at: now).session
        } catch {
            session = "none"
        }
        if hasRouter { for router in core.routers.ids { put(.routerReady(router)) } }
    }

    /// The defaults, but legs need not connect: the router of a scenario does not say that they do.
    private static var timeouts: SessionServerTimeouts {
        var timeouts = SessionServerTimeouts()
        timeouts.connecting = .seconds(1_000_000)
        return timeouts
    }

    // MARK: Doing

    /// The core learns of its run before.
    mutating func recall(_ run: FormerRun) { core.recall(run) }

    /// Sets the wall clock, forward or back.
    mutating func setClock(by step: Duration) { now.unix += step / .milliseconds(1) }

    mutating func put(_ input: CoreInput) { perform(core.handle(input, at: now)) }

    private mutating func perform(_ actions: [CoreAction]) {
        for action in actions {
            switch action {
            case .send(let socket, let message): inboxes[name(of: socket), default: []].append(message)
            case .broadcast(let broadcast):
                broadcasts += 1
                for recipient in broadcast.recipients {
                    var message = broadcast.message
                    message.seq = recipient.number
                    inboxes[name(of: recipient.socket), default: []].append(message)
                }
            case .close(let socket, let reason): closed[name(of: socket)] = reason
            case .command(let command, let router):
                commands.append(command)
                askedRouters.append(router)
                if routerAnswers { answer(command, from: router) }
            case .endRouter(let router): endedRouters.append(router)
            case .store(let records, let receipt):
                stored += records
                receipts += receipt.map { [$0] } ?? []
                submissions.append((records, receipt))
            case .settled(let ticket, let outcome): outcomes[ticket, default: []].append(outcome)
            case .deny(let token): denials.append(token)
            case .log(let note): notes.append(note)
            }
        }
    }

    /// Time passes; the core looks at what is due every 200 ms.
    mutating func pass(_ time: Duration) {
        let end = now.elapsed + time
        while now.elapsed < end {
            let step = min(.milliseconds(200), end - now.elapsed)
            now.elapsed += step
            now.unix += step / .milliseconds(1)
            put(.tick)
        }
    }

    /// A router does so much of what its threads can do, for some seconds; `nil` if no one knows.
    mutating func load(_ share: Double?, of router: RouterID = .first, seconds: Int = 8) {
        for _ in 0..<seconds {
            pass(.seconds(1))
            put(.routerLoad(router, share))
        }
    }

    mutating func open(_ client: String) {
        let socket = SocketID(rawValue: UInt64(sockets.count + 1))
        sockets[client] = socket
        nextIDs[client] = 1
        put(.opened(socket))
    }

    /// Opens a socket, joins, and returns the answer; with a token of the client's own unless another one is named.
    @discardableResult
    mutating func join(
        _ client: String, _ role: TokenRole = .publisher, session: String? = nil,
        mediaMode: MediaMode? = nil, token: String? = nil, connections: Int? = nil,
        expires: Double = .infinity, says software: String? = nil
    ) -> ServerMessage.Body? {
        if sockets[client] == nil { open(client) }
        let grant = TokenGrant(
            session: session ?? self.session, mediaMode: mediaMode, role: role, name: client,
            id: token ?? client, expires: expires, connections: connections)
        let join = ClientMessage.Join(token: "t", client: software)
        put(.join(socket(client), id: nextID(client), join, .success(grant)))
        return inboxes[client]?.popLast()?.body
    }

    /// Makes another session.
    mutating func makeSession(_ mediaMode: MediaMode = .routed, isKept: Bool = false) throws -> String {
        try core.createSession(mediaMode: mediaMode, isKept: isKept, at: now).session
    }

    /// Has a router take no more sessions.
    ///
    /// - Returns: Why it does not; `nil` if it does.
    mutating func drain(_ router: RouterID, within time: Duration) -> ServerError.Code? {
        do throws(ServerError) { try core.drain(router, within: time, at: now) } catch { return error.code }
        return nil
    }

    /// The application ends a session; what is to be done is done with the next tick.
    mutating func endSession(_ name: String, wasHosted: Bool = false) -> Bool {
        core.endSession(name, wasHosted: wasHosted, at: now)
    }

    /// Emulates a client's network by a schedule, or not any longer, and lets a tick pass; gives how it is then.
    @discardableResult
    mutating func emulate(
        _ schedule: ConditionSchedule?, for client: String
    ) throws(ServerError) -> ParticipantNetwork {
        let network = try core.emulate(
            schedule, for: member(client)?.identity.description.id ?? "unknown", in: session, at: now)
        pass(.milliseconds(200))
        return network
    }

    /// How a client's network is.
    func network(of client: String) throws(ServerError) -> ParticipantNetwork {
        try core.network(of: member(client)?.identity.description.id ?? "unknown", in: session)
    }

    /// Has raw reports kept until then, Unix ms.
    mutating func keepReports(until time: Double) -> Bool {
        core.keepReports(ofSession: session, until: time)
    }

    /// A participant of an observed call says something; gives what is to be answered once the outcome is known.
    @discardableResult
    mutating func say(
        _ grant: ObserverGrant, _ reports: [ObservedReport], events: [ObservedEvent] = [],
        client: String? = nil, bytes: Int = 1000, issued: Double? = nil
    ) throws -> ObservedTaking {
        try core.charge(grant, bytes: bytes, at: now)
        let reports = ObservedReports(client: client, reports: reports, events: events)
        defer { perform(core.takeActions()) }
        return try core.take(reports, from: grant, issued: issued ?? now.unix, at: now)
    }

    /// A participant of an observed call says something, and does not wait until that is stored.
    mutating func observe(
        _ grant: ObserverGrant, _ reports: [ObservedReport], events: [ObservedEvent] = [],
        client: String? = nil, bytes: Int = 1000, issued: Double? = nil
    ) throws -> ObservedReceipt {
        try say(grant, reports, events: events, client: client, bytes: bytes, issued: issued).receipt
    }

    /// Sends a message with the next id, and returns that id.
    @discardableResult
    mutating func send(_ client: String, _ body: ClientMessage.Body) -> Int {
        let id = nextID(client)
        put(.message(socket(client), ClientMessage(id: id, body)))
        return id
    }

    /// Publishes and returns the stream's id.
    @discardableResult
    mutating func publish(_ client: String, _ leg: LegName, senderStatsTrack: Bool = false) -> String {
        send(client, .publish(Self.publish(leg, senderStatsTrack: senderStatsTrack)))
        for message in inbox(client) {
            if case .published(let published) = message.body { return published.stream.id }
        }
        return "unpublished"
    }

    mutating func subscribe(_ client: String, _ leg: LegName, _ stream: String) {
        send(client, .subscribe(.init(leg: leg, stream: stream, offer: "offer-\(leg)")))
    }

    mutating func disconnect(_ client: String) {
        put(.closed(socket(client)))
    }

    // MARK: Looking

    /// What a client was sent since the last look.
    mutating func inbox(_ client: String) -> [ServerMessage] {
        defer { inboxes[client] = [] }
        return inboxes[client] ?? []
    }

    /// The bodies of what a client was sent since the last look.
    mutating func bodies(_ client: String) -> [ServerMessage.Body] {
        inbox(client).map(\.body)
    }

    /// The codes of the errors that a client was sent since the last look, and nothing but errors.
    mutating func errors(_ client: String) -> [ServerError.Code?] {
        bodies(client).map { if case .error(let error) = $0 { error.code } else { nil } }
    }

    /// What the store was given since the last look, together what came together.
    mutating func takeSubmissions() -> [(records: [StoreRecord], receipt: StoreReceipt?)] {
        defer { submissions = [] }
        return submissions
    }

    /// What the router was asked since the last look.
    mutating func takeCommands() -> [RouterCommand] {
        defer { commands = [] }
        return commands
    }

    /// The router's name for a client's leg; `none` if it has none.
    func routerName(_ client: String, _ leg: LegName) -> LegName {
        member(client)?.names.legs[leg]?.name ?? "none"
    }

    func socket(_ client: String) -> SocketID {
        sockets[client] ?? SocketID(rawValue: 0)
    }

    /// The session; `nil` once it has ended.
    var live: LiveSession? { core.sessions[SessionID(session)]?.live }

    /// A client as the session knows it.
    func member(_ client: String) -> Member? { core.members[ClientID(socket(client))] }

    /// Whether nothing is left of anyone.
    var isClean: Bool { core.isClean }

    static func publish(_ leg: LegName, senderStatsTrack: Bool = false) -> ClientMessage.Publish {
        .init(
            leg: leg, content: .init(name: "cam", hasAudio: true, hasVideo: true),
            senderStatsTrack: senderStatsTrack, offer: "offer-\(leg)")
    }

    private mutating func answer(_ command: RouterCommand, from router: RouterID) {
        switch command {
        case .add(let leg):
            put(.router(.answer(.init(leg: leg.leg, answer: "answer to \(leg.offer)")), from: router))
        case .offer(let offer):
            put(.router(.answer(.init(leg: offer.leg, answer: "answer to \(offer.offer)")), from: router))
        default: break
        }
    }

    private func name(of socket: SocketID) -> String {
        sockets.first { $0.value == socket }?.key ?? "nobody"
    }

    private mutating func nextID(_ client: String) -> Int {
        let id = nextIDs[client] ?? 1
        nextIDs[client] = id + 1
        return id
    }
}
