// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import RouterWire
import SessionWire
import WebRTCStats

@testable import SessionCore
@testable import SessionServer

/// A server's core among several sockets, a router and a store, all of which do as an input says.
///
/// The input is text: its first line says what kind of session it is, every other one is a step. The first letter of a
/// step says what happens, the second, a digit, where; the rest is a message in JSON, or bytes that choose. In JSON
/// `$s0`, `$c0`, `$u0`, `$r0`, `$l0` and `$e0` stand for names that the core has given: of streams, connections,
/// subscribers, tokens, the router's legs and sessions.
struct CoreFuzzing {
    private(set) var core: Lobby
    private var now = CoreTime(unix: 1_700_000_000_000, elapsed: .zero)
    private var crowd = CoreCrowd()
    /// By digit.
    private var sockets: [Int: SocketID] = [:]
    private var lastSocket: UInt64 = 0
    private var names = CoreNames()
    private var ids: [Int: Int] = [:]
    private var unanswered: [(command: RouterCommand, router: RouterID)] = []
    private var receipts: [StoreReceipt] = []
    /// What the store is given.
    private(set) var records: [StoreRecord] = []
    private let limits: SessionServerLimits
    /// Whether what is sent must be possible to write; that takes most of the time.
    private let writes: Bool

    private static let seal = RestorationSeal(secret: "a secret of the fuzzer, long enough")
    private static let participants = ParticipantNames(
        secret: "a secret of the fuzzer, long enough", keepsNames: true)
    private static let stepLimit = 256
    private static let socketCount = 6

    private static func limits() -> SessionServerLimits {
        var limits = SessionServerLimits()
        limits.sessions = 4
        limits.unusedSessions = 6
        limits.connectionsPerSession = 4
        limits.connections = 8
        limits.streamsPerConnection = 3
        limits.legsPerConnection = 6
        limits.legNamesPerConnection = 24
        limits.rememberedEvents = 16
        limits.unconfirmedMessages = 24
        limits.heldCandidates = 3
        limits.candidatesPerOffer = 3
        limits.unreadableMessages = 4
        return limits
    }

    @Sendable static func run(_ input: UnsafeRawBufferPointer) throws {
        let text = String(decoding: input, as: UTF8.self)
        let lines = text.split(separator: "\n", maxSplits: stepLimit, omittingEmptySubsequences: false)
        var fuzzing = try CoreFuzzing(lines.first ?? "")
        for line in lines.dropFirst().prefix(stepLimit) { try fuzzing.step(line) }
        try fuzzing.end()
    }

    init(_ kind: Substring) throws {
        var choices = Choices(kind)
        let mode = choices.pick(MediaMode.allCases)
        let stores = choices.flag()
        writes = choices.flag()
        limits = Self.limits()
        core = Lobby(
            limits: limits, iceServers: { _, _ in [.init(urls: ["stun:stun.example:3478"])] }, routers: 2,
            ids: IDSource(FuzzRandom()), seal: Self.seal,
            storing: stores ? CoreStoring(names: Self.participants.stored, run: 1) : nil)
        for mode in [mode, choices.pick(MediaMode.allCases)] { try makeSession(mode) }
        for router in core.routers.ids { try put(.routerReady(router)) }
    }

    private mutating func makeSession(_ mode: MediaMode) throws {
        guard let made = try? core.createSession(mediaMode: mode, at: now) else { return }
        names.sessions.append(made.session)
        _ = core.keepReports(ofSession: made.session, until: now.unix + 1e6)
    }
}

// MARK: - Steps

extension CoreFuzzing {
    mutating func step(_ line: Substring) throws {
        guard let kind = line.utf8.first else { return }
        let digit = Int(line.utf8.dropFirst().first ?? 0) % Self.socketCount
        let rest = line.dropFirst(2)
        switch kind {
        case UInt8(ascii: "o"): try open(digit)
        case UInt8(ascii: "c"): try close(digit)
        case UInt8(ascii: "j"): try join(digit, rest)
        case UInt8(ascii: "m"): try message(digit, rest, isInOrder: false)
        case UInt8(ascii: "M"): try message(digit, rest, isInOrder: true)
        case UInt8(ascii: "b"): try built(digit, rest)
        case UInt8(ascii: "n"): try notice(rest)
        case UInt8(ascii: "N"): try builtNotice(rest)
        case UInt8(ascii: "a"): try answerAll()
        case UInt8(ascii: "u"): try put(.routerReady(RouterID(rawValue: digit % 2)))
        case UInt8(ascii: "d"): try put(.routerLost(RouterID(rawValue: digit % 2)))
        case UInt8(ascii: "l"):
            try put(.routerLoad(RouterID(rawValue: digit % 2), Double(rest.prefix(6))))
        case UInt8(ascii: "t"): try pass(.milliseconds(min(120_000, Int(rest.prefix(6)) ?? 200)))
        case UInt8(ascii: "x"): try storedAll()
        case UInt8(ascii: "y"): if let receipt = receipts.popLast() { try put(.notStored(receipt)) }
        case UInt8(ascii: "s"): try makeSession(MediaMode.allCases[digit % 3])
        case UInt8(ascii: "z"): try put(.shutdown)
        default: break
        }
    }

    private mutating func open(_ digit: Int) throws {
        try close(digit)
        lastSocket += 1
        let socket = SocketID(rawValue: lastSocket)
        sockets[digit] = socket
        ids[digit] = 0
        crowd.open(socket)
        try put(.opened(socket))
    }

    private mutating func close(_ digit: Int) throws {
        guard let socket = sockets.removeValue(forKey: digit) else { return }
        try put(.closed(socket))
        // Whatever was said because of it went nowhere.
        crowd.close(socket)
    }

    /// The quick way in: a letter each for the role, the session and whether the client is resumable.
    private mutating func join(_ digit: Int, _ rest: Substring) throws {
        if sockets[digit] == nil { try open(digit) }
        var choices = Choices(rest)
        let token = "\(choices.pick(["p", "s", "m"]))\(choices.number(below: 3))"
        let join = ClientMessage.Join(
            token: token, client: "fuzz", resumable: choices.flag(),
            restore: choices.flag() ? names.tokens.last : nil)
        try take(ClientMessage(id: 1, .join(join)), digit, isInOrder: true)
    }

    private mutating func message(_ digit: Int, _ text: Substring, isInOrder: Bool) throws {
        guard let socket = sockets[digit] else { return }
        switch Result(catching: { () throws(ClientMessage.Unreadable) in
            try ClientMessage(json: names.expand(text))
        }) {
        case .success(let message): try take(message, digit, isInOrder: isInOrder)
        case .failure(let error):
            crowd.ask(error.id, on: socket)
            try put(.unreadable(socket, id: error.id, seq: error.seq, error.error))
        }
    }

    /// Messages that are in order themselves, at a tenth of the cost of reading one.
    private mutating func built(_ digit: Int, _ rest: Substring) throws {
        var choices = Choices(rest)
        try take(ClientMessage(id: 1, CoreMessages.body(&choices, names)), digit, isInOrder: true)
    }

    private mutating func take(_ message: ClientMessage, _ digit: Int, isInOrder: Bool) throws {
        guard let socket = sockets[digit] else { return }
        var message = message
        if isInOrder {
            ids[digit, default: 0] += 1
            message.id = ids[digit] ?? 1
            if message.isNumbered { message.seq = crowd.nextNumber(of: socket) }
        }
        crowd.ask(message.id, on: socket)
        switch message.body {
        case .join(let join): try put(.join(socket, id: message.id, join, grant(join.token)))
        case .resume(let resume):
            crowd.resumes(resume, on: socket)
            try put(.message(socket, message))
        default: try put(.message(socket, message))
        }
    }

    /// A token is a letter for the role, and the session's place.
    private func grant(_ token: String) -> Result<TokenGrant, ServerError> {
        let roles: [Character: TokenRole] = ["p": .publisher, "s": .subscriber, "m": .moderator]
        guard let role = token.first.flatMap({ roles[$0] }), let place = Int(token.dropFirst().prefix(1)),
            names.sessions.indices.contains(place)
        else { return .failure(ServerError(.invalidToken, "the token is not in order")) }
        return .success(
            TokenGrant(session: names.sessions[place], role: role, name: String(token.dropFirst(2))))
    }

    private mutating func notice(_ text: Substring) throws {
        guard let notice = try? RouterNotice(line: names.expand(text)) else { return }
        try put(.router(notice, from: .first))
    }

    private mutating func builtNotice(_ rest: Substring) throws {
        var choices = Choices(rest)
        try put(.router(CoreMessages.notice(&choices, names), from: .first))
    }

    private mutating func answerAll() throws {
        let commands = unanswered
        unanswered = []
        for (command, router) in commands {
            switch command {
            case .add(let leg): try put(.router(.answer(.init(leg: leg.leg, answer: "a")), from: router))
            case .offer(let offer):
                try put(.router(.answer(.init(leg: offer.leg, answer: "a")), from: router))
            default: break
            }
        }
    }

    private mutating func storedAll() throws {
        let all = receipts
        receipts = []
        try put(.stored(all))
    }

    private mutating func pass(_ time: Duration) throws {
        now.elapsed += time
        now.unix += time / .milliseconds(1)
        try put(.tick)
    }

    /// Everyone goes; nothing may be left of them.
    private mutating func end() throws {
        for digit in sockets.keys.sorted() { try close(digit) }
        try pass(core.timeouts.resumption + .seconds(1))
        try require(core.clients.isEmpty, "\(core.clients.count) clients are left")
        try require(core.resumptions.isEmpty && core.owners.isEmpty, "someone could still come back")
        try require(core.routers.legs == 0, "the routers have legs of no one")
        for session in core.sessions.values.compactMap(\.live) {
            try require(session.members.isEmpty && session.roster.isEmpty, "members are left of no one")
            try require(
                session.legs.isEmpty && session.endpoints.isEmpty && session.relays.isEmpty,
                "media are left of no one")
            try require(session.analysts.isEmpty, "reports of no one are still analysed")
            try require(
                session.quality.endpoints.isEmpty && session.quality.watcherCount == 0,
                "quality of no one is still watched")
        }
    }
}

// MARK: - What comes of it

extension CoreFuzzing {
    private mutating func put(_ input: CoreInput) throws {
        for action in core.handle(input, at: now) {
            switch action {
            case .send(let socket, let message):
                if writes { _ = try message.json() }
                names.note(message)
                try crowd.take(message, to: socket)
            case .broadcast(let broadcast):
                if writes { _ = try broadcast.message.json() }
                for recipient in broadcast.recipients {
                    var message = broadcast.message
                    message.seq = recipient.number
                    names.note(message)
                    try crowd.take(message, to: recipient.socket)
                }
            case .command(let command, let router):
                if writes { _ = try command.line() }
                names.note(command)
                unanswered.append((command, router))
            case .store(let new, let receipt):
                records += new
                if let receipt { receipts.append(receipt) }
            case .close, .endRouter, .settled, .deny, .log: break
            }
        }
        try checkSizes()
    }

    private func checkSizes() throws {
        let members = core.clients.count - core.unjoined.count
        try require(members <= limits.connections, "\(members) clients")
        try require(core.unjoined.count <= sockets.count + 1, "\(core.unjoined.count) have not joined")
        let used = core.sessions.count - core.unused.count
        try require(used <= limits.sessions, "\(used) sessions in use")
        try require(core.unused.count <= limits.unusedSessions, "\(core.unused.count) unused sessions")
        try require(core.resumptions.count <= core.clients.count, "\(core.resumptions.count) may come back")
        try require(core.owners.count <= sockets.count + 1, "\(core.owners.count) sockets belong to someone")
        let most = limits.connections * limits.legsPerConnection
        let sessions = core.sessions.values.compactMap(\.live)
        let endpoints = sessions.reduce(0) { $0 + $1.endpoints.count }
        try require(endpoints <= most, "\(endpoints) publications and subscriptions")
        let legs = sessions.flatMap(\.legs.values)
        try require(legs.count <= 2 * most, "\(legs.count) legs")
        let live = legs.count { $0.phase != .lost }
        try require(core.routers.legs == live, "\(core.routers.legs) legs are counted, \(live) are there")
        for member in sessions.flatMap(\.members.values) {
            let names = member.names.flows.count
            try require(names <= limits.legNamesPerConnection, "\(names) names")
        }
        for client in core.clients.values {
            try require(
                client.link.resumable?.ledger.unconfirmed ?? 0 <= limits.unconfirmedMessages,
                "too much is kept")
        }
    }
}

/// The same numbers in every run.
struct FuzzRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
