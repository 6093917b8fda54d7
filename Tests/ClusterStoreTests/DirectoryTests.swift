// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import ClusterStore
import PostgresClient
import TestSupport
import Testing

@Suite(
    "Nodes, and whose sessions are where, in the database",
    .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
    .timeLimit(.minutes(2)))
struct DirectoryTests {
    private static let silence: Duration = .seconds(10)

    /// A database of nodes, of which some have said nothing for long.
    private struct Nodes {
        let database: TestDatabase
        let connection: PostgresConnection
        var instances: [String: SampleLog.Instance] = [:]

        init(_ names: [String], silent: [String] = []) async throws {
            database = try await .migrated()
            connection = database.connection
            for name in names { instances[name] = try await enter(name) }
            for name in silent {
                try await connection.run { session in
                    _ = try session.execute(
                        "UPDATE nodes SET beat_at = now() - interval '11 seconds' WHERE name = $1",
                        [.text(name)])
                }
            }
        }

        @discardableResult
        func enter(_ name: String) async throws -> SampleLog.Instance {
            try await connection.transaction { session in
                let instance = try SampleLog.begin(node: name, session)
                _ = try NodeTable.enter(
                    name, instance: instance, url: "http://\(name)", internalURL: "http://\(name).internal",
                    tags: ["aa", "ab", "ac"], session)
                return instance
            }
        }

        func all() async throws -> [NodeTable.Node] { try await connection.run { try NodeTable.all($0) } }

        func takeOver(
            _ session: String, from dead: String, to node: String, isBegun: Bool = false,
            _ connection: PostgresConnection? = nil
        ) async throws -> PlacementTable.Takeover {
            try await (connection ?? self.connection).transaction {
                try PlacementTable.takeOver(
                    session, from: dead, to: node, after: DirectoryTests.silence, isBegun: isBegun, $0)
            }
        }

        /// A session in the history.
        ///
        /// - Parameter ended: When it ended, in SQL.
        func store(_ name: String, ended: String, _ mayReturn: Bool, _ instance: Int64) async throws {
            try await connection.run { session in
                _ = try session.execute(
                    """
                    INSERT INTO sessions (name, media_mode, created_at, last_at, ended_at, may_return, instance)
                    VALUES ($1, 'relayed', 1, 2, \(ended), $2, $3)
                    """, [.text(name), .bool(mayReturn), .int64(instance)])
            }
        }

        func placement(_ session: String) async throws -> PlacementTable.Placement? {
            try await connection.run { try PlacementTable.find(session, $0) }
        }
    }

    @Test("a node keeps its tag over its runs, each has its own, and there is one for each")
    func tags() async throws {
        let nodes = try await Nodes(["n1", "n2", "n3"])
        let tags = try await nodes.all().map(\.tag)
        #expect(tags == ["aa", "ab", "ac"])
        try await nodes.enter("n2")
        #expect(try await nodes.all().map(\.tag) == tags)
        await #expect(throws: NodeTable.Full.self) { try await nodes.enter("n4") }
    }

    @Test("a node is silent from its last beat on; one of a run that was replaced says nothing")
    func beats() async throws {
        let nodes = try await Nodes(["n1"], silent: ["n1"])
        #expect(try await nodes.all()[0].silence > Self.silence)
        let first = try #require(nodes.instances["n1"])
        #expect(try await nodes.connection.run { try NodeTable.beat("n1", instance: first, load: 0.5, $0) })
        var found = try await nodes.all()[0]
        #expect(found.silence < Self.silence && found.load == 0.5)
        try await nodes.enter("n1")
        try await nodes.connection.run { session in
            // Whose name is another run's by now hears of it.
            #expect(try !NodeTable.beat("n1", instance: first, load: 0.7, session))
            try NodeTable.leave("n1", instance: first, session)
        }
        found = try await nodes.all()[0]
        #expect(found.load == 0 && found.silence < Self.silence)
    }

    @Test("of fifty who take over a session of a node that is gone, one does, and all know which")
    func race() async throws {
        let nodes = try await Nodes(["n1", "n2", "n3"], silent: ["n1"])
        let database = nodes.database
        let outcomes = try await withThrowingTaskGroup(of: PlacementTable.Takeover.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let connection = database.connection
                    defer { Task { await connection.close() } }
                    return try await nodes.takeOver("s", from: "n1", to: "n\(2 + number % 2)", connection)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let placement = try #require(try await nodes.placement("s"))
        #expect(placement.epoch == 1 && ["n2", "n3"].contains(placement.owner))
        #expect(outcomes.count == 50 && outcomes.allSatisfy { $0 == .owned(by: placement.owner) })
        let other = placement.owner == "n2" ? "n3" : "n2"
        let owner = placement.owner
        #expect(
            try await nodes.connection.run { try PlacementTable.lost(["s", "t"], by: other, $0) } == ["s"])
        #expect(try await nodes.connection.run { try PlacementTable.lost(["s", "t"], by: owner, $0) } == [])
    }

    @Test("nothing is taken from a node that is there, and everything of one that is not known")
    func alive() async throws {
        let nodes = try await Nodes(["n1", "n2"])
        #expect(try await nodes.takeOver("s", from: "n1", to: "n2") == .alive)
        #expect(try await nodes.placement("s") == nil)
        #expect(try await nodes.takeOver("s", from: "removed", to: "n2") == .owned(by: "n2"))
        // By now it is someone else's.
        #expect(try await nodes.takeOver("s", from: "removed", to: "n1") == .owned(by: "n2"))
    }

    @Test("a session that has ended is no one's to open again, unless the application begins it again")
    func over() async throws {
        let nodes = try await Nodes(["n1", "n2"], silent: ["n1"])
        let instance = try #require(nodes.instances["n1"]).number
        func store(_ name: String, _ ended: String, _ mayReturn: Bool) async throws {
            try await nodes.store(name, ended: ended, mayReturn, instance)
        }
        func state(_ name: String) async throws -> PlacementTable.Return {
            try await nodes.connection.run { try PlacementTable.state(of: name, $0) }
        }
        try await store("open", "NULL", false)
        try await store("ended", "2", false)
        // Its own end may be on its way to the store; of what another node has begun it is none.
        let own = try await nodes.connection.run { try PlacementTable.state(of: "open", endedAt: "n1", $0) }
        let other = try await nodes.connection.run { try PlacementTable.state(of: "open", endedAt: "n2", $0) }
        let new = try await nodes.connection.run { try PlacementTable.state(of: "new", endedAt: "n2", $0) }
        #expect(own == .over && other == .open(.relayed) && new == .over)
        #expect(try await nodes.takeOver("ended", from: "n1", to: "n2") == .over)
        #expect(try await nodes.placement("ended") == nil)
        #expect(try await nodes.takeOver("ended", from: "n1", to: "n2", isBegun: true) == .owned(by: "n2"))
        #expect(try await nodes.takeOver("open", from: "n1", to: "n2") == .owned(by: "n2"))
        #expect(try await state("open") == .open(.relayed))
        #expect(try await state("ended") == .over)
        #expect(try await state("unknown") == .open(nil))
        try await nodes.connection.run { session in
            _ = try session.execute("UPDATE sessions SET media_mode = 'observed' WHERE name = 'ended'")
        }
        #expect(try await state("ended") == .observed)
        // It has ended with its node, until someone comes back.
        let row = try await nodes.connection.run { session in
            try session.execute("SELECT ended_at, may_return FROM sessions WHERE name = 'open'").first.map {
                (try $0.value(0, as: Int64.self), try $0.value(1, as: Bool.self))
            }
        }
        #expect(row.map { $0 == (2, true) } == true)
    }

    @Test(
        "a session of a chosen name begins at one node, whoever asks; what is noted of it is kept while it is used"
    )
    func begun() async throws {
        let nodes = try await Nodes(["n1", "n2"])
        let connection = nodes.connection
        #expect(try await connection.run { try PlacementTable.begin("room", at: "n1", $0) } == "n1")
        #expect(try await connection.run { try PlacementTable.begin("room", at: "n2", $0) } == "n1")
        #expect(try await connection.run { try PlacementTable.begin("other", at: "n1", $0) } == "n1")
        try await connection.run { session in
            _ = try session.execute("UPDATE placements SET at = now() - interval '40 days'")
            #expect(try !PlacementTable.tidy(["room"], of: "n1", session))
        }
        #expect(try await nodes.placement("room") == .init(owner: "n1", epoch: 0))
        #expect(try await nodes.placement("other") == nil)
    }

    @Test("what is old is deleted by the portion, so that no one waits for all of it")
    func portions() async throws {
        let nodes = try await Nodes(["n1"])
        try await nodes.connection.run { session in
            _ = try session.execute(
                """
                INSERT INTO placements
                SELECT 'old ' || number, 'n1', 0, now() - interval '40 days'
                FROM generate_series(1, 2500) AS number
                """)
            for isMore in [true, true, false] {
                #expect(try PlacementTable.tidy([], of: "n1", session) == isMore)
            }
            let left = try session.execute("SELECT count(*) FROM placements").first
            #expect(try left?.value(0, as: Int64.self) == 0)
        }
    }

    @Test("what began while no one could note it is noted later, unless another node has it")
    func claimed() async throws {
        let nodes = try await Nodes(["n1", "n2"])
        try await nodes.connection.run { session in
            _ = try PlacementTable.begin("room", at: "n1", session)
            try PlacementTable.claim(["room", "hall"], by: "n2", session)
            try PlacementTable.claim([], by: "n1", session)
            try PlacementTable.claim(["hall"], by: "n1", session)
            #expect(try PlacementTable.lost(["room", "hall"], by: "n2", session) == ["room"])
            #expect(try PlacementTable.lost(["room", "hall"], by: "n1", session) == ["hall"])
        }
        #expect(try await nodes.placement("hall") == .init(owner: "n2", epoch: 0))
    }

    @Test("who does not come back to a session that was given away has left it")
    func givenAway() async throws {
        let nodes = try await Nodes(["n1", "n2"])
        try await nodes.store("s", ended: "NULL", false, try #require(nodes.instances["n1"]).number)
        try await nodes.connection.transaction { session in
            _ = try session.execute(
                """
                INSERT INTO connections (session, name, participant, display_name, role, joined_at)
                SELECT id, 'c', 'p', NULL, 'publisher', 1 FROM sessions
                """)
            #expect(try PlacementTable.move("s", from: "n1", to: "n2", session))
            let row = try #require(try session.execute("SELECT left_at, reason FROM connections").first)
            #expect(try row.value(0, as: Int64.self) == 2 && row.value(1, as: String.self) == "serverLost")
            #expect(try PlacementTable.state(of: "s", session) == .open(.relayed))
        }
    }

    @Test("a node that is drained says so until it is started again, and gives away only what is its own")
    func drained() async throws {
        let nodes = try await Nodes(["n1", "n2"])
        let connection = nodes.connection
        func drainsIn() async throws -> Duration? { try await nodes.all()[0].drainsIn }
        #expect(try await drainsIn() == nil)
        #expect(try await connection.run { try NodeTable.drain("n1", within: .seconds(600), $0) })
        let left = try #require(try await drainsIn())
        #expect(left > .seconds(500) && left <= .seconds(600))
        #expect(try await connection.run { try !NodeTable.drain("n3", within: .zero, $0) })
        #expect(try await connection.transaction { try PlacementTable.move("s", from: "n1", to: "n2", $0) })
        #expect(try await connection.transaction { try !PlacementTable.move("s", from: "n1", to: "n3", $0) })
        #expect(try await nodes.placement("s") == .init(owner: "n2", epoch: 1))
        try await nodes.enter("n1")
        #expect(try await drainsIn() == nil)
    }
}
