// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// The program for a support desk says what `sightline` says, and needs no engine, no server and no database.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct AnalyzeProgramTests {
        private static let dump = Repository.fixture("recordings/chromium_rtcstats.gz")

        private static func run(_ program: URL, _ arguments: [String]) async throws -> (Int32, [String]) {
            let process = try ChildProcess(program, arguments)
            let code = try await process.exitCode(within: .seconds(60))
            return (code, process.lines)
        }

        @Test("it says of a dump what the whole program says", arguments: ["text", "json"])
        func same(format: String) async throws {
            let own = try await Self.run(
                BuiltProducts.sightlineAnalyze, ["--format", format, Self.dump.path])
            let whole = try await Self.run(
                BuiltProducts.sightline, ["analyze", "--format", format, Self.dump.path])
            #expect(own.0 == whole.0 && own.1 == whole.1)
            #expect(own.0 == 0 && own.1.count > 3)
            let wrong = try await Self.run(BuiltProducts.sightlineAnalyze, ["--no-such-option"])
            #expect(wrong.0 == 64)
        }

        #if os(Linux)
        @Test("it is linked to nothing of an engine, a server or a database")
        func libraries() async throws {
            let ldd = URL(filePath: "/usr/bin/ldd")
            let (code, libraries) = try await Self.run(ldd, [BuiltProducts.sightlineAnalyze.path])
            #expect(code == 0 && !libraries.isEmpty)
            let heavy = ["vpx", "avcodec", "srtp", "opus", "libssl", "libcrypto", "sqlite", "pulse", "X11"]
            for library in libraries {
                for name in heavy { #expect(!library.contains(name), "\(library)") }
            }
            let (_, others) = try await Self.run(ldd, [BuiltProducts.sightline.path])
            #expect(others.contains { $0.contains("vpx") }, "the whole program has an engine")
        }
        #endif
    }
}
