// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallStore
import Testing

/// Everything that conforms to `CallHistory`, for the tests of what it promises.
enum TestedHistory: String, CaseIterable, CustomTestStringConvertible {
    case memory = "SQLite in memory"
    case file = "SQLite in a file"

    /// Those that outlast their server.
    static let lasting: [Self] = [.file]

    var testDescription: String { rawValue }

    /// A call in an empty store of its own.
    func scenario(
        _ configuration: StoreConfiguration = .init(), session: String = "s"
    ) async throws -> StoreScenario {
        let place: any HistoryPlace =
            switch self {
            case .memory: MemoryPlace(configuration: configuration)
            case .file: try FilePlace(configuration)
            }
        return StoreScenario(session: session, store: try await place.open(), place: place)
    }
}

/// Where a store lies; gone with the last who knows it.
protocol HistoryPlace: AnyObject, Sendable {
    /// Opens it; makes it if there is none.
    func open() async throws -> any CallHistory
}

private final class MemoryPlace: HistoryPlace {
    private let configuration: StoreConfiguration

    init(configuration: StoreConfiguration) { self.configuration = configuration }

    func open() throws -> any CallHistory { try SQLiteCallStore.inMemory(configuration: configuration) }
}

private final class FilePlace: HistoryPlace {
    private let folder: TemporaryFolder
    private let configuration: StoreConfiguration

    init(_ configuration: StoreConfiguration) throws {
        folder = try TemporaryFolder()
        self.configuration = configuration
    }

    func open() throws -> any CallHistory {
        try SQLiteCallStore(path: folder.store, configuration: configuration)
    }
}
