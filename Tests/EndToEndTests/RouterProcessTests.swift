// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionServer
import SessionWire
import Sightline
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

extension EndToEnd {
    @Suite("The router's process", .timeLimit(.minutes(3)))
    struct RouterProcessTests {
        @Test("it has given up what it does not need, and calls go through it")
        func containment() async throws {
            let harness = try await CallHarness()
            let call = try await Call(harness)
            let router = try await harness.router()
            let status = try Self.fields(of: "/proc/\(router)/status")
            #expect(status["NoNewPrivs"] == "1")
            #expect(status["Seccomp"] == "2")
            for capabilities in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
                #expect(status[capabilities].flatMap { UInt64($0, radix: 16) } == 0, "\(capabilities)")
            }
            let users = (status["Uid"] ?? "").split(separator: "\t").compactMap { UInt32($0) }
            #expect(users.count == 4 && Set(users).count == 1)
            if geteuid() == 0 {
                #expect(users.first != 0 && status["Gid"]?.hasPrefix("0") == false)
                #expect(status["Groups"]?.trimmingCharacters(in: .whitespaces) == "")
            }
            try expectLimits(of: router)
            try await expectNothingInherited(by: router)
            await call.end()
            try await harness.close()
        }

        private func expectLimits(of router: Int32) throws {
            let limits = try String(contentsOfFile: "/proc/\(router)/limits", encoding: .utf8)
            func hard(_ name: String) -> Int? {
                limits.split(separator: "\n").first { $0.hasPrefix(name) }?.dropFirst(name.count)
                    .split(separator: " ").dropFirst().first.flatMap { Int($0) }
            }
            #expect(hard("Max core file size") == 0)
            #expect((hard("Max open files") ?? .max) <= 16_384)
            #expect(hard("Max data size") == 2 << 30)
        }

        /// Not even root's own children may be read by others of their user: `/proc` belongs to root then.
        private func expectNothingInherited(by router: Int32) async throws {
            let attributes = try FileManager.default.attributesOfItem(atPath: "/proc/\(router)/environ")
            #expect(attributes[.ownerAccountID] as? Int == 0)
            guard geteuid() == 0 else {
                #expect(FileManager.default.contents(atPath: "/proc/\(router)/environ") == nil)
                return
            }
            let environment = try #require(FileManager.default.contents(atPath: "/proc/\(router)/environ"))
            let names = Set(
                environment.split(separator: 0).compactMap {
                    String(decoding: $0, as: UTF8.self).split(separator: "=").first.map(String.init)
                })
            #expect(
                names.isSubset(of: [
                    "PATH", "LANG", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE", "ASAN_OPTIONS", "TSAN_OPTIONS",
                    "UBSAN_OPTIONS",
                ]), "\(names)")
            // Its input and outputs, and what it has opened since: sockets, events and pipes, but no file.
            let folder = "/proc/\(router)/fd"
            let open = try FileManager.default.contentsOfDirectory(atPath: folder)
            let targets = open.compactMap { name -> String? in
                guard let number = Int(name), number > 2 else { return nil }
                return try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            }
            let files = targets.filter {
                $0.hasPrefix("/") && !$0.hasPrefix("/dev/") && !$0.hasPrefix("/proc/")
            }
            #expect(files.isEmpty, "\(files)")
        }

        @Test("one that hangs is noticed, killed and started again, and the call continues")
        func hanging() async throws {
            let harness = try await CallHarness(change: { configuration in
                configuration.timeouts.routerSilence = .seconds(3)
                configuration.timeouts.routerEnd = .milliseconds(500)
            })
            let call = try await Call(harness)
            let router = try await harness.router()
            kill(router, SIGSTOP)
            try await eventually("a new router", within: .seconds(30)) {
                let health = await harness.server.health
                return health.routerRestarts >= 1 && health.routerIsRunning
            }
            #expect(try await harness.router() != router)
            // A stopped process ends by SIGKILL alone.
            #expect(kill(router, 0) != 0)
            for await _ in call.subscriber.frames() { break }
            #expect(call.alice.isConnected)
            #expect(call.bob.isConnected)
            await call.end()
            try await harness.close()
        }

        @Test("a user or rule that there is not is refused in words")
        func wrongOptions() async throws {
            for (arguments, message) in [
                (["--router-user", "nobody-of-this-name"], "there is no user"),
                (["--allow-candidates", "public,everything"], "--allow-candidates should be made of"),
                (["--router-memory", "1"], "--router-memory should be"),
            ] {
                let router = try ChildProcess(BuiltProducts.sightline, ["router"] + arguments)
                #expect(try await router.exitCode() != 0)
                #expect(router.errors.contains(message), "\(router.errors)")
            }
        }

        private static func fields(of path: String) throws -> [String: String] {
            var fields: [String: String] = [:]
            for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { continue }
                fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
            }
            return fields
        }
    }
}
