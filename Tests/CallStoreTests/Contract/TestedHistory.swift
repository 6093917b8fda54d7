// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallStore
import ClusterStore
import PostgresClient
import TestSupport
import Testing

/// Everything that conforms to `HistoryStore`, for the tests of what it promises.
enum TestedHistory: String, CaseIterable, CustomTestStringConvertible {
    case memory = "SQLite in memory"
    case file = "SQLite in a file"
    case cluster = "PostgreSQL"

    /// Those that can be tested here, as ``TestedHistoryTests`` tells.
    static let allCases: [Self] =
        PostgresCluster.isInstalled ? [.memory, .file, .cluster] : [.memory, .file]

    /// Those that outlast their server.
    static let lasting = allCases.filter { $0 != .memory }

    var testDescription: String { rawValue }

    /// A call in an empty store of its own.
    func scenario(
        _ configuration: StoreConfiguration = .init(), session: String = "s"
    ) async throws -> StoreScenario {
        let place: any HistoryPlace =
            switch self {
            case .memory: MemoryPlace(configuration: configuration)
            case .file: try FilePlace(configuration)
            case .cluster: try await ClusterPlace(configuration)
            }
        return StoreScenario(session: session, store: try await place.open(), place: place)
    }
}

/// Where a store lies; gone with the last who knows it.
protocol HistoryPlace: AnyObject, Sendable {
    /// Opens it; makes it if there is none.
    func open() async throws -> any HistoryStore
}

private final class MemoryPlace: HistoryPlace {
    private let configuration: StoreConfiguration

    init(configuration: StoreConfiguration) { self.configuration = configuration }

    func open() throws -> any HistoryStore { try SQLiteCallStore.inMemory(configuration: configuration) }
}

private final class FilePlace: HistoryPlace {
    private let folder: TemporaryFolder
    private let configuration: StoreConfiguration

    init(_ configuration: StoreConfiguration) throws {
        folder = try TemporaryFolder()
        self.configuration = configuration
    }

    func open() throws -> any HistoryStore {
        try SQLiteCallStore(path: folder.store, configuration: configuration)
    }
}

/// A database of its own.
final class ClusterPlace: HistoryPlace {
    /// One with the tables, of which the others are copies.
    private static let template = Task {
        let cluster = try await PostgresCluster.shared.value
        try await make("contract", in: cluster)
        return "contract"
    }

    private let cluster: PostgresCluster
    private let name = "c\(UInt64.random(in: .min ... .max))"
    private let configuration: StoreConfiguration

    /// In the cluster that tests share.
    ///
    /// - Parameter migrates: Whether it has the tables.
    init(_ configuration: StoreConfiguration, migrates: Bool = true) async throws {
        self.configuration = configuration
        cluster = try await PostgresCluster.shared.value
        let template = migrates ? try await Self.template.value : "template1"
        try await Self.run("CREATE DATABASE \(name) TEMPLATE \(template)", cluster)
    }

    init(_ configuration: StoreConfiguration, in cluster: PostgresCluster) async throws {
        self.configuration = configuration
        self.cluster = cluster
        try await Self.make(name, in: cluster)
    }

    var address: PostgresConfiguration { Self.address(name, cluster) }

    func open() async throws -> any HistoryStore { try await openHistory() }

    func openHistory(
        _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) async throws -> ClusterHistory {
        var address = address
        change(&address)
        return try await ClusterHistory.open(address, node: "n", configuration: configuration)
    }

    private static func make(_ name: String, in cluster: PostgresCluster) async throws {
        try await run("CREATE DATABASE \(name)", cluster)
        let connection = PostgresConnection(address(name, cluster))
        try await connection.transaction { session in
            try ClusterSchema.migrate(session)
            try LogPartitions.make(ahead: 3, session)
            for partitions in MinutePartitions.all { try partitions.make(session) }
        }
        await connection.close()
    }

    private static func address(_ database: String, _ cluster: PostgresCluster) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(
            "host=\(cluster.folder) user=sightline dbname=\(database)")
        // All tests begin at once, each with a database of its own.
        configuration.connectTimeout = .seconds(60)
        configuration.answerTimeout = .seconds(120)
        return configuration
    }

    private static func run(_ sql: String, _ cluster: PostgresCluster) async throws {
        let connection = PostgresConnection(address("postgres", cluster))
        try await connection.run { _ = try $0.execute(sql) }
        await connection.close()
    }
}

@Suite("What the contract of stores is tested on")
struct TestedHistoryTests {
    @Test(
        "PostgreSQL is among it",
        .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"))
    func postgres() { #expect(TestedHistory.allCases.contains(.cluster)) }
}
