// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing

@Suite("What fuzzing begins with and has found", .serialized)
struct SeedTests {
    /// A file in Fuzz/seeds/NAME.
    struct Seed: Sendable, CustomTestStringConvertible {
        let target: FuzzTarget
        let file: URL

        var testDescription: String { "\(target.rawValue)/\(file.lastPathComponent)" }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "seeds")

    private static let seeds = FuzzTarget.allCases.flatMap { target in
        let files = try? FileManager.default.contentsOfDirectory(
            at: folder.appending(path: target.rawValue), includingPropertiesForKeys: nil)
        return (files ?? []).sorted { $0.path < $1.path }.map { Seed(target: target, file: $0) }
    }

    @Test("every target has seeds", arguments: FuzzTarget.allCases)
    func isSeeded(_ target: FuzzTarget) {
        #expect(Self.seeds.contains { $0.target == target })
    }

    @Test("nothing is wrong with any of them", arguments: seeds)
    func replays(_ seed: Seed) async throws {
        let bytes = [UInt8](try Data(contentsOf: seed.file))
        switch seed.target.entry {
        case .now(let run): try bytes.withUnsafeBytes { try run($0) }
        case .later(let run): try await run(bytes)
        }
    }
}
