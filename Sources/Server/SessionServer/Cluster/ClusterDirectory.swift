// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import ClusterStore
import Foundation
import Logging
import PostgresClient
import SessionCore
import SessionWire
import Synchronization

/// Which node of the cluster has which session, as one of them knows it, and says of itself that it is there.
///
/// A session's name says where it began, so most are found without asking anyone. While the database is away, what was
/// known last goes on to hold, and no node counts as gone.
actor ClusterDirectory {
    /// Where a session is.
    enum Place: Sendable, Equatable {
        case here
        case at(NodeTable.Node)
        /// No one can say at the moment.
        case unknown
    }

    /// Most sessions of which is remembered where they are.
    private static let capacity = 10_000
    /// Between two looks at the database.
    private static let interval: Duration = .seconds(1)
    /// How long who joins waits for what is about to be known; less than a client waits for its answer.
    private static let verdictTimeout: Duration = .seconds(3)
    /// Between two renewals of what is noted.
    private static let renewal: Duration = .seconds(3600)

    let node: String
    private let own: SessionServerConfiguration.Store.Route
    private let store: ClusterHistory
    private let hub: ServerHub
    private let logger: Logger
    /// For what is asked again and again; and for what someone waits for.
    private let beats: PostgresConnection
    private let finder: PostgresConnection
    private var book: NodeBook
    private var placement: Placement
    private var nodes: [String: NodeTable.Node] = [:]
    /// Where sessions were when the database said so last.
    private var owners: [String: PlacementTable.Placement] = [:]
    /// Of nodes that have been silent: whether they answer.
    private var questions: [String: (askedAt: Duration, answer: Task<Bool, Never>)] = [:]
    /// Puts what nodes that are gone have logged into the history.
    private var recovering: Task<Void, Never>?
    private let onRecovery: @Sendable (ClusterHistory.Recovery) -> Void
    /// The run as which the node was in the store at the last look.
    private var instance: SampleLog.Instance
    private var isDraining = false
    /// When clients were last sent to another node, because this one is drained; `nil` if none was.
    private var sentAwayAt: Duration?
    /// Whether another server runs under the name of this node, which has its sessions then.
    private var isDisplaced = false
    /// The look that is under way: who wants one meanwhile waits for it.
    private var looking: Task<Void, Never>?
    private var looks = 0
    private var lookedAt: Duration = .zero
    private var tidiedAt: Duration = .zero
    private var generator = SystemRandomNumberGenerator()
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    /// The nodes' addresses, for pages that may reach them.
    private nonisolated let known = Mutex<[String]>([])
    /// How often what was here was given up: what is remembered to be here may be elsewhere since.
    private nonisolated let handovers = Mutex(0)

    /// - Parameter onRecovery: Called with what came into the history of a node that is gone.
    init(
        _ store: ClusterHistory, _ cluster: SessionServerConfiguration.Store.Cluster,
        _ route: SessionServerConfiguration.Store.Route, hub: ServerHub, logger: Logger,
        onRecovery: @escaping @Sendable (ClusterHistory.Recovery) -> Void
    ) {
        node = cluster.node
        own = route
        self.store = store
        instance = store.instance
        self.hub = hub
        self.onRecovery = onRecovery
        self.logger = logger
        var address = PostgresConfiguration(cluster.address)
        address.statementTimeout = .seconds(1)
        address.answerTimeout = .seconds(1)
        address.connectTimeout = .seconds(2)
        address.name = "sightline directory"
        beats = PostgresConnection(address)
        finder = PostgresConnection(address)
        book = NodeBook(own: cluster.node)
        placement = Placement(own: cluster.node)
        start = clock.now
    }

    /// Adds the node to the cluster: from now on clients are sent to it.
    ///
    /// - Throws: `PostgresError`, or ``NodeTable/Full``.
    func enter() async throws {
        let (node, own, instance) = (node, own, instance)
        let tags = SessionName.Tag.all.map(\.text).shuffled(using: &generator)
        let text = try await beats.transaction { session in
            try NodeTable.enter(
                node, instance: instance, url: own.url, internalURL: own.internalURL, tags: tags, session)
        }
        if let tag = SessionName.Tag(text) { await hub.setHome(tag) }
        await look()
    }

    /// Says that the node is there, and looks who else is, until the task is cancelled.
    func run() async {
        while (try? await Task.sleep(for: Self.interval)) != nil {
            await look()
            await drain()
            await tidy()
            recoverSilent()
        }
    }

    /// Says that the node is gone, if the database hears of it soon.
    func leave() async {
        recovering?.cancel()
        await recovering?.value
        let (node, instance) = (node, store.instance)
        try? await beats.run { try NodeTable.leave(node, instance: instance, $0) }
        await beats.close()
        await finder.close()
    }

    /// Origins of all nodes.
    nonisolated var addresses: [String] { known.withLock { $0 } }

    /// Another number each time that sessions or calls of this node were given up.
    nonisolated var handoverCount: Int { handovers.withLock { $0 } }

    // MARK: - Finding

    /// Where a session is; taken over from a node that is gone, here or by another one.
    ///
    /// - Parameter isBegun: Whether the application begins it again, so that it may have ended.
    func find(_ session: String, isBegun: Bool = false) async -> Place {
        guard Self.isName(session), await !hub.has(session) else { return .here }
        let placement = await placement(of: session)
        let owner: String
        if let placement {
            owner = placement.owner
        } else {
            guard let home = await home(of: session) else {
                return book.isInformed(at: now) ? .here : .unknown
            }
            owner = home
        }
        if owner == node, !isDisplaced {
            return placement.map { $0.epoch > 0 } ?? false ? await adopt(session) : .here
        }
        guard await verdict(on: owner) == .mustBeAsked else { return await place(owner) }
        if let silent = nodes[owner], await answers(silent) { return .at(silent) }
        return await takeOver(session, from: owner, isBegun: isBegun)
    }

    /// Where a session is to begin whose name the application has chosen; here while the database says nothing of it.
    ///
    /// - Parameters:
    ///   - use: Whether its media goes through a router.
    ///   - prefersOwn: Whether it begins here if this node takes new ones, whatever the others have to do, and
    ///     whether a name that says where it begins is left to that node.
    func begin(_ session: String, for use: RouterUse, prefersOwn: Bool = false) async -> Place {
        guard Self.isName(session), await !hub.has(session) else { return .here }
        // Or anyone's report of a call would take a session from the node that its name says.
        guard !prefersOwn || SessionName(session).home == nil else { return await find(session) }
        let load = await hub.load
        let hasRoom = load.share < Placement.full && (use == .never || !load.areRoutersFull)
        let isOwn = prefersOwn && !isDraining && !isDisplaced && hasRoom
        if await placement(of: session) == nil, book.isInformed(at: now),
            let chosen = isOwn ? node : choose(for: use, ownLoad: load)
        {
            do {
                let owner = try await finder.run { try PlacementTable.begin(session, at: chosen, $0) }
                owners[session] = .init(owner: owner, epoch: 0)
            } catch { note(error) }
        }
        let place = await find(session, isBegun: true)
        return place == .unknown && !book.isInformed(at: now) ? .here : place
    }

    /// Whether there can be a session of a name; of others nothing is asked.
    private static func isName(_ session: String) -> Bool {
        (1...SessionProtocol.nameLimit).contains(session.utf8.count)
    }

    /// Which other node has of a session what is in no minute of the history yet; nothing is taken over for that.
    func holder(of session: String) async -> NodeTable.Node? {
        guard book.isInformed(at: now), await !hub.has(session) else { return nil }
        do {
            let name = try await finder.run { try PlacementTable.holder(of: session, $0) }
            guard let name, name != node else { return nil }
            if nodes[name] == nil { await hearOfNewNodes() }
            return nodes[name].flatMap { $0.silence > NodeBook.silenceLimit ? nil : $0 }
        } catch {
            note(error)
            return nil
        }
    }

    /// Whether this node does what is for one of them to do; each, while the database says nothing.
    var isFirst: Bool { book.serving(at: now).first.map { $0.name == node } ?? true }

    /// The other nodes that have been heard of lately.
    var others: [NodeTable.Node] {
        guard book.isInformed(at: now) else { return [] }
        return nodes.values.filter { $0.name != node && $0.silence <= NodeBook.silenceLimit }
    }

    /// The node at which a new session is to begin; `nil` if all are full.
    ///
    /// - Parameter use: Whether its media goes through a router.
    func choosePlace(for use: RouterUse) async -> Place? {
        guard let chosen = choose(for: use, ownLoad: await hub.load) else { return nil }
        return await place(chosen)
    }

    private func choose(for use: RouterUse, ownLoad: NodeLoad) -> String? {
        // Who is drained knows it before the database says so, and whether it is full as well.
        var serving = book.serving(at: now).filter { $0.name != node || !isDraining }
        for index in serving.indices where serving[index].name == node { serving[index].load = ownLoad }
        return placement.choose(for: use, from: serving, at: now, using: &generator)
    }

    private func place(_ name: String) async -> Place {
        guard name != node || isDisplaced else { return .here }
        if nodes[name] == nil { await hearOfNewNodes() }
        return nodes[name].map(Place.at) ?? .unknown
    }

    /// Looks which nodes there are: one that has just come is given sessions before all others have looked.
    private func hearOfNewNodes() async {
        guard book.isInformed(at: now) else { return }
        let asked = now
        do { take(try await finder.run { try NodeTable.all($0) }, asked: asked) } catch { note(error) }
    }

    /// What the database has noted of a session, or had when it last answered; `nil` if nothing.
    private func placement(of session: String) async -> PlacementTable.Placement? {
        guard book.isInformed(at: now) else { return owners[session] }
        do {
            let found = try await finder.run { try PlacementTable.find(session, $0) }
            if owners.count >= Self.capacity { owners.removeAll() }
            owners[session] = found
            return found
        } catch {
            note(error)
            return owners[session]
        }
    }

    /// Where a session began, by its name; `nil` if no node is there for it, or no one can say.
    private func home(of session: String) async -> String? {
        if let tag = SessionName(session).home {
            if !nodes.values.contains(where: { $0.tag == tag.text }) { await hearOfNewNodes() }
            if let node = nodes.values.first(where: { $0.tag == tag.text }) { return node.name }
        }
        guard book.isInformed(at: now) else { return nil }
        return Placement.home(of: session, among: book.serving(at: now).map(\.name))
    }

    private var now: Duration { clock.now - start }
}

// MARK: - Taking over

extension ClusterDirectory {
    /// What may be concluded of a node, if need be in a moment: who is sent to one that does not answer only comes again.
    private func verdict(on owner: String) async -> NodeBook.Verdict {
        let end = now + Self.verdictTimeout
        while now < end, !Task.isCancelled, book.isInformed(at: now),
            book.verdict(on: owner, at: now) == .alive, let silent = nodes[owner],
            silent.silence + (now - lookedAt) > NodeBook.silenceLimit - Self.verdictTimeout,
            await !answers(silent)
        {
            try? await Task.sleep(for: Self.interval / 4)
            if now - lookedAt > Self.interval / 4 { await look() }
        }
        return book.verdict(on: owner, at: now)
    }

    private func takeOver(_ session: String, from dead: String, isBegun: Bool) async -> Place {
        // What its clients had is taken by a full router, too.
        let taker = choose(for: .later, ownLoad: await hub.load) ?? node
        do {
            let outcome = try await finder.transaction { connection in
                try PlacementTable.takeOver(
                    session, from: dead, to: taker, after: NodeBook.silenceLimit, isBegun: isBegun, connection
                )
            }
            switch outcome {
            case .alive: return await place(dead)
            case .over: return .here
            case .owned(by: let owner):
                owners[session] = .init(owner: owner, epoch: 1)
                logger.notice(
                    "a session of a node that is gone was taken over",
                    metadata: ["session": "\(session)", "from": "\(dead)", "by": "\(owner)"])
                return owner == node ? await adopt(session) : await place(owner)
            }
        } catch {
            note(error)
            return await place(dead)
        }
    }

    /// Lets the clients of a session come back to it that was taken over, unless it has ended.
    private func adopt(_ session: String) async -> Place {
        guard book.isInformed(at: now) else { return await placeOfUnadopted(session) }
        do {
            let hasEnded = await hub.hasEnded(session)
            let node = hasEnded ? node : nil
            let (state, refused) = try await finder.run { connection in
                (
                    try PlacementTable.state(of: session, endedAt: node, connection),
                    try ClusterTokens.tokens(of: session, connection)
                )
            }
            switch state {
            case .open(let mediaMode):
                // Who was put out elsewhere is refused here from the first moment on.
                await hub.learn(denied: refused.compactMap(DeniedToken.init))
                await hub.adopt(session, mediaMode: mediaMode, isBegunElsewhere: hasEnded)
            case .observed:
                // What the node that had it did not answer is sent here now, and may be stored.
                try await store.recall(session)
            case .over: break
            }
            return .here
        } catch {
            note(error)
            return await placeOfUnadopted(session)
        }
    }

    /// Of a session of this node of which the store does not say whether it has ended: its clients may have been let back before.
    private func placeOfUnadopted(_ session: String) async -> Place {
        await hub.presence(ofSession: session) == .absent ? .unknown : .here
    }

    /// Whether a node answers that the database has not heard of for long; many may ask at once.
    private func answers(_ node: NodeTable.Node) async -> Bool {
        if let question = questions[node.name], now - question.askedAt < Self.interval {
            return await question.answer.value
        }
        let answer = Task {
            guard let url = URL(string: node.internalURL)?.appending(path: "livez") else { return false }
            return await OutgoingRequest(url).answer(within: .seconds(1))?.isSuccess ?? false
        }
        questions[node.name] = (now, answer)
        return await answer.value
    }
}

// MARK: - The database

extension ClusterDirectory {
    /// Looks, or waits for the look that is under way: very many clients want one at once when a node dies.
    private func look() async {
        if let looking { return await looking.value }
        let look = Task {
            await lookOnce()
            looking = nil
        }
        looking = look
        await look.value
    }

    private func lookOnce() async {
        let asked = now
        looks += 1
        noteRun()
        let (node, instance) = (node, instance)
        let (names, load) = (await hub.sessionNames + hub.observedCalls, await hub.load)
        let chosen = names.filter { SessionName($0).home == nil }
        let isBeat = looks % Self.looksPerBeat == 1
        do {
            let (isOurs, all, lost) = try await beats.run { session in
                let isOurs =
                    try !isBeat || NodeTable.beat(node, instance: instance, load: load.number, session)
                if isOurs { try PlacementTable.claim(chosen, by: node, session) }
                return (isOurs, try NodeTable.all(session), try PlacementTable.lost(names, by: node, session))
            }
            take(all, asked: asked)
            // Not if it has continued as another run since it looked.
            if !isOurs, store.instance == instance { await giveWay() }
            if !lost.isEmpty { await release(lost) }
        } catch { note(error) }
    }

    /// Renews what is noted of the node's sessions, and has some deleted that is old.
    private func tidy() async {
        guard now - tidiedAt >= Self.renewal, book.isInformed(at: now), !isDisplaced else { return }
        let (node, names) = (node, await hub.sessionNames + hub.observedCalls)
        do {
            let isMore = try await finder.run { try PlacementTable.tidy(names, of: node, $0) }
            if !isMore { tidiedAt = now }
        } catch {
            // It says nothing of whether the database is there: looks say that.
            tidiedAt = now
            logger.warning(
                "what is noted of sessions cannot be tidied up; it is tried again in an hour",
                metadata: ["error": "\(error)"])
        }
    }

    /// Another server has entered the cluster under the name of this node: what is here goes there, or elsewhere.
    private func giveWay() async {
        if !isDisplaced {
            isDisplaced = true
            logger.critical(
                "another server runs as this node and has taken its place: this one gives up its sessions; end one of them",
                metadata: ["node": "\(node)"])
            await hub.setDraining()
        }
        handovers.withLock { $0 += 1 }
        await hub.release(await hub.sessionNames + hub.observedCalls)
    }

    private func noteRun() {
        let now = store.instance
        guard now != instance else { return }
        instance = now
        logger.warning(
            "this server was taken for dead while it was not heard of: another one has stored what it had logged, and it continues",
            metadata: ["run": "\(now.number)"])
    }

    private static let looksPerBeat = Int(NodeBook.beat / interval)

    private func take(_ all: [NodeTable.Node], asked: Duration) {
        nodes = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        known.withLock { $0 = all.map(\.url) }
        let states = all.map {
            NodeState(
                name: $0.name, isServing: $0.drainsIn == nil, load: NodeLoad(number: $0.load),
                silence: $0.silence)
        }
        book.take(states, asked: asked, at: now)
        lookedAt = asked
    }

    private func release(_ lost: [String]) async {
        logger.warning(
            "sessions were taken over by other nodes while this one was not heard of: their clients are sent there",
            metadata: ["sessions": "\(lost.count)"])
        handovers.withLock { $0 += 1 }
        await hub.release(lost)
    }

    private func note(_ error: any Error) {
        guard !(error is CancellationError) else { return }
        // A refusal of what was asked says that the database is there.
        if (error as? PostgresError)?.consequence == .never {
            return logger.warning(
                "the database refuses to say where a session is", metadata: ["error": "\(error)"])
        }
        if book.isInformed(at: now) {
            logger.warning(
                "the database does not say where sessions are; what is known goes on to hold",
                metadata: ["error": "\(error)"])
        }
        book.loseDatabase()
    }
}

// MARK: - What others have left

extension ClusterDirectory {
    /// Has what nodes that are gone have logged put into the history, beside everything else; other nodes may do the same, and
    /// for each one does.
    private func recoverSilent() {
        guard recovering == nil else { return }
        let silent = nodes.values.filter { node in
            node.isOpen && node.name != self.node && book.verdict(on: node.name, at: now) == .mustBeAsked
        }
        guard !silent.isEmpty else { return }
        recovering = Task {
            for node in silent where !Task.isCancelled {
                if await !answers(node) { await recover(node.name) }
            }
            recovering = nil
        }
    }

    private func recover(_ dead: String) async {
        do {
            let recovery = try await store.recover(dead, after: NodeBook.silenceLimit)
            guard recovery.runs > 0 else { return }
            logger.notice(
                "what a node that is gone had logged is in the history",
                metadata: ["node": "\(dead)", "samples": "\(recovery.samples)"])
            onRecovery(recovery)
        } catch is CancellationError {} catch {
            logger.warning(
                "what a node that is gone has logged cannot be put into the history; it is tried again",
                metadata: ["node": "\(dead)", "error": "\(error)"])
        }
    }
}

// MARK: - Giving up what it has

extension ClusterDirectory {
    /// Sessions that are given up each second: their clients come back all at once.
    private static let pace = 20
    /// How long who drains waits for the next session to go, once its time is over.
    private static let standstillTimeout: Duration = .seconds(5)
    /// How long who drains serves at least, unless the time is shorter: until a load balancer has seen that it is not ready.
    private static let notice: Duration = .seconds(4)

    /// Has the node take no more sessions, and returns when it has none, or can give none away.
    ///
    /// What it still has after a time goes to others, and no one waits for sessions without clients; it returns soon after that.
    func drain(within time: Duration) async {
        let begin = now
        await giveAway(within: time)
        let noticed = begin + min(time, Self.notice)
        // A client that was sent away asks where it came first, which may be here, who has its session.
        let answered = sentAwayAt.map { $0 + Self.notice } ?? .zero
        try? await Task.sleep(for: max(.zero, max(noticed, answered) - now))
    }

    private func giveAway(within time: Duration) async {
        await beginDraining(within: time)
        var end = now + time
        var isSaid = false
        var (left, changedAt) = (Int.max, now)
        while !Task.isCancelled {
            let count = await hub.sessionNames.count
            guard count > 0 else { return await giveObservedCallsAway() }
            if now < end, await hub.health.connections == 0 { (end, isSaid) = (now, false) }
            if !isSaid { isSaid = await say(drainWithin: end - now) }
            if now < end || count < left { (left, changedAt) = (count, now) }
            guard now < end || hasOthers && now - changedAt <= Self.standstillTimeout else { return }
            try? await Task.sleep(for: Self.interval / 4)
        }
    }

    private func beginDraining(within time: Duration) async {
        guard !isDraining else { return }
        isDraining = true
        handovers.withLock { $0 += 1 }
        await hub.setDraining()
        logger.notice(
            "this server is drained: no new session begins here, and what it has then goes to others",
            metadata: ["seconds": "\(max(0, Int(time.seconds)))"])
    }

    /// Whether another node would take a session.
    private var hasOthers: Bool { book.serving(at: now).contains { $0.name != node } }

    private func say(drainWithin time: Duration) async -> Bool {
        let node = node
        do {
            return try await finder.run { try NodeTable.drain(node, within: max(.zero, time), $0) }
        } catch {
            note(error)
            return false
        }
    }

    /// Gives observed calls to other nodes: no one waits for that, and no one loses a socket.
    private func giveObservedCallsAway() async {
        let node = node
        for call in await hub.observedCalls {
            let load = await hub.load
            guard book.isInformed(at: now), let taker = choose(for: .never, ownLoad: load), taker != node
            else { return }
            do {
                let isMoved = try await finder.transaction {
                    try PlacementTable.move(call, from: node, to: taker, $0)
                }
                if isMoved { owners[call] = .init(owner: taker, epoch: 1) }
                handovers.withLock { $0 += 1 }
                await hub.release([call])
            } catch { return note(error) }
        }
    }

    /// Gives up some of its sessions, if that is wanted by now.
    private func drain() async {
        let time = nodes[node]?.drainsIn
        if let time { await beginDraining(within: time) }
        guard let time, time <= .zero, book.isInformed(at: now) else { return }
        await giveObservedCallsAway()
        let node = node
        for session in await hub.sessionNames.prefix(Self.pace) {
            // Another one than this, which does not serve any more.
            guard let taker = choose(for: .later, ownLoad: await hub.load) else { return }
            do {
                let isMoved = try await finder.transaction {
                    try PlacementTable.move(session, from: node, to: taker, $0)
                }
                if isMoved { owners[session] = .init(owner: taker, epoch: 1) }
                if await hub.release([session]) > 0 { sentAwayAt = now }
            } catch { return note(error) }
        }
    }
}
