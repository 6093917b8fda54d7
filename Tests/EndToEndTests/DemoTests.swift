// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// The demo as its user starts it: real server, real router process, real clients.
extension EndToEnd {
    @Suite(.serialized, .timeLimit(.minutes(5))) struct DemoTests {
        @Test(
            "the demo shows both ends once a second, delivers the published size within 3 s, and leaves nothing behind"
        )
        func jsonDemo() async throws {
            let demo = try ChildProcess(
                BuiltProducts.sightline,
                ["demo", "--duration", "6", "--format", "json", "--resolution", "320x180"])
            // Its own: another demo may run on this machine.
            var routers: Set<Int32> = []
            try await eventually("the demo's router") {
                routers = ServerProcess.routers(of: demo.identifier)
                return !routers.isEmpty
            }
            #expect(try await demo.exitCode() == 0, "\(demo.errors)")
            let events = try demo.lines.map(Self.object)
            for role in ["publisher", "subscriber"] {
                for type in ["videoNetworkStatsUpdated", "audioNetworkStatsUpdated", "mediaLinkStatsUpdated"]
                {
                    let ticks = events.filter {
                        $0["type"] as? String == type && $0["role"] as? String == role
                    }
                    let times = try ticks.map { try #require($0["time"] as? Double) }
                    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
                    // Six seconds, of which connecting takes one or so; no single tick on a busy machine decides.
                    #expect((4...7).contains(ticks.count), "\(role) \(type): \(ticks.count)")
                    #expect(
                        (900...1100).contains(try #require(gaps.dropFirst(gaps.count / 2).first)), "\(gaps)")
                }
            }
            let summary = try #require(events.last)
            #expect(summary["type"] as? String == "summary")
            let participants = try #require(summary["participants"] as? [[String: Any]])
            let bob = try #require(participants.first { $0["participant"] as? String == "bob" })
            let time = try #require(bob["timeToPublishedSize"] as? Double)
            #expect(time < 3)
            try await eventually("the router's end") {
                ServerProcess.routers().isDisjoint(with: routers)
            }
        }

        @Test("layers that are configured are all listed, with whether they send")
        func layers() async throws {
            let demo = try ChildProcess(
                BuiltProducts.sightline,
                ["demo", "--duration", "5", "--format", "json", "--resolution", "640x360"])
            #expect(try await demo.exitCode() == 0, "\(demo.errors)")
            let last = try demo.lines.map(Self.object).last {
                $0["type"] as? String == "videoNetworkStatsUpdated" && $0["role"] as? String == "publisher"
            }
            let stats = try #require(last?["stats"] as? [[String: Any]])
            #expect(stats.count == 1)
            let layers = try #require(stats.first?["videoLayers"] as? [[String: Any]])
            #expect(layers.map { $0["width"] as? Int } == [320, 640])
            #expect(layers.allSatisfy { $0["enabled"] as? Bool == true && $0["sending"] as? Bool == true })
        }

        @Test("a recorded demo can be analysed; its file is not written over unless that is asked for")
        func recording() async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "demo-\(UUID()).jsonl")
            defer { try? FileManager.default.removeItem(at: file) }
            let arguments = [
                "demo", "--duration", "4", "--format", "json", "--resolution", "320x180", "--record",
                file.path,
            ]
            let demo = try ChildProcess(BuiltProducts.sightline, arguments)
            #expect(try await demo.exitCode() == 0, "\(demo.errors)")
            let recorded = try Data(contentsOf: file)
            let analysis = try ChildProcess(
                BuiltProducts.sightline, ["analyze", file.path, "--format", "json"])
            #expect(try await analysis.exitCode() == 0, "\(analysis.errors)")
            let summary = try Self.object(try #require(analysis.lines.last))
            #expect(summary["type"] as? String == "summary")
            #expect(summary["intervals"] is [Any])

            let again = try ChildProcess(BuiltProducts.sightline, arguments)
            #expect(try await again.exitCode() == 1)
            #expect(again.errors.contains(file.path) && again.errors.contains("--force"), "\(again.errors)")
            #expect(try Data(contentsOf: file) == recorded)
            let forced = try ChildProcess(BuiltProducts.sightline, arguments + ["--force"])
            #expect(try await forced.exitCode() == 0, "\(forced.errors)")
            #expect(try Data(contentsOf: file).starts(with: recorded) == false)
        }

        @Test("the demo tells both participants' levels, each of itself and of the other")
        func levels() async throws {
            let demo = try ChildProcess(
                BuiltProducts.sightline,
                ["demo", "--duration", "5", "--format", "json", "--resolution", "320x180"])
            #expect(try await demo.exitCode() == 0, "\(demo.errors)")
            let changes = try demo.lines.map(Self.object).filter {
                $0["type"] as? String == "networkQualityLevelChanged"
            }
            for (watcher, watched) in [
                ("alice", "alice"), ("alice", "bob"), ("bob", "alice"), ("bob", "bob"),
            ] {
                let heard = changes.filter {
                    $0["participant"] as? String == watcher && $0["connection"] as? String == watched
                }
                #expect(!heard.isEmpty, "\(watcher) of \(watched)")
                #expect(heard.allSatisfy { $0["networkQualityLevel"] is String })
            }
        }

        @Test("Ctrl-C ends the demo in good order, with its summary")
        func interruption() async throws {
            let demo = try ChildProcess(
                BuiltProducts.sightline, ["demo", "--format", "json", "--resolution", "320x180"])
            try await eventually("the first statistics") {
                demo.lines.contains { $0.contains("mediaLinkStatsUpdated") }
            }
            demo.send(signal: SIGINT)
            #expect(try await demo.exitCode(within: .seconds(15)) == 0, "\(demo.errors)")
            #expect(try Self.object(#require(demo.lines.last))["type"] as? String == "summary")
        }

        @Test(
            "wrong usage says what is right and exits with 64",
            arguments: [
                (["demo", "--resolution", "wide"], "--resolution"),
                (["demo", "--condition", "up:loss=200"], "out of range"),
                (["publish"], "sightline token"),
                (["subscribe", "--url", "nowhere", "--token", "t"], "no server URL"),
                (["serve", "--port", "70000"], "--port"),
                (["serve", "--turn", "turn:127.0.0.1:3478"], "--turn-secret"),
                (["demo", "--routing", "sideways"], "adaptive"), (["nonsense"], "nonsense"),
            ])
        func wrongUsage(arguments: [String], part: String) async throws {
            let command = try ChildProcess(
                BuiltProducts.sightline, arguments,
                environment: ["SIGHTLINE_TOKEN": "", "SIGHTLINE_SECRET": ""])
            #expect(try await command.exitCode() == 64)
            #expect(command.errors.contains(part), "\(command.errors)")
        }

        @Test("a server that is not there gets a clear error and exit code 1")
        func noServer() async throws {
            // Port 1 of the loopback interface: nothing listens there.
            let command = try ChildProcess(
                BuiltProducts.sightline, ["publish", "--url", "http://127.0.0.1:1", "--token", "t"])
            #expect(try await command.exitCode() == 1)
            #expect(command.errors.contains("127.0.0.1:1"), "\(command.errors)")
        }

        private static func object(_ line: String) throws -> [String: Any] {
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }
}
