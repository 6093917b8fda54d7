// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import Logging
import PostgresClient
import SessionCore
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

    /// Between two looks at the database.
    static let interval: Duration = .seconds(1)

    let node: String
    private let own: SessionServerConfiguration.Store.Route
    let store: ClusterHistory
    let hub: ServerHub
    let logger: Logger
    /// For what is asked again and again; and for what someone waits for.
    let beats: PostgresConnection
    let finder: PostgresConnection
    var book: NodeBook
    var placement: Placement
    var nodes: [String: NodeTable.Node] = [:]
    /// Where sessions were when the database said so last.
    var owners: [String: PlacementTable.Placement] = [:]
    /// Of nodes that have been silent: whether they answer.
    var questions: [String: (askedAt: Duration, answer: Task<Bool, Never>)] = [:]
    /// Puts what nodes that are gone have logged into the history.
    var recovering: Task<Void, Never>?
    let onRecovery: @Sendable (ClusterHistory.Recovery) -> Void
    /// The run as which the node was in the store at the last look.
    var instance: SampleLog.Instance
    var isDraining = false
    /// When clients were last sent to another node, because this one is drained; `nil` if none was.
    var sentAwayAt: Duration?
    /// Whether another server runs under the name of this node, which has its sessions then.
    var isDisplaced = false
    /// The look that is under way: who wants one meanwhile waits for it.
    var looking: Task<Void, Never>?
    var looks = 0
    var lookedAt: Duration = .zero
    var tidiedAt: Duration = .zero
    var generator = SystemRandomNumberGenerator()
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    /// The nodes' addresses, for pages that may reach them.
    nonisolated let known = Mutex<[String]>([])
    /// How often what was here was given up: what is remembered to be here may be elsewhere since.
    nonisolated let handovers = Mutex(0)

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

    var now: Duration { clock.now - start }
}
