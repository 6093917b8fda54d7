// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import NIOCore
import RouterWire
import SessionCore
import SessionWire
import Synchronization
import Testing

@testable import SessionServer

@Suite("The router process")
struct RouterSupervisorTests {
    /// A router of a few lines: takes every leg, answers every offer, and ends on `remove` of its last leg
    /// name.
    private static let script = #"""
        printf '{"type":"ready","version":1,"processID":%d}\n' $$ >&0
        while read -r line; do
          leg=${line#*\"leg\":\"}; leg=${leg%%\"*}
          case "$line" in
            *'"type":"add"'*|*'"type":"offer"'*)
              printf '{"type":"answer","leg":"%s","answer":"from %d"}\n' "$leg" $$ >&0;;
          esac
        done
        """#

    private static func configuration(_ script: String = script) -> SessionServerConfiguration {
        var configuration = TestServer.configuration
        configuration.router = .init(executable: "/bin/sh", arguments: ["-c", script])
        configuration.timeouts.routerEnd = .seconds(2)
        return configuration
    }

    private static func wait(_ server: TestServer, until condition: (Health) -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition(await server.server.health) {
            guard ContinuousClock.now < deadline else {
                throw TestSocket.Unexpected(description: "the router did not become what it should be")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Publishes and returns the router's process id, which the answer holds.
    private static func publish(_ alice: TestSocket, id: Int, leg: LegName) async throws -> pid_t {
        try await alice.send(ClientMessage(id: id, .publish(.camera(leg))))
        guard case .published(let published) = try await alice.message().body,
            let process = pid_t((published.answer ?? "").dropFirst("from ".count))
        else { throw TestSocket.Unexpected(description: "not published") }
        return process
    }

    private static func isAlive(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

    @Test("a killed router is announced, started again, and its legs come back")
    func killed() async throws {
        try await TestServer.run(Self.configuration()) { server in
            try await Self.wait(server) { $0.routerIsRunning }
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            let first = try await Self.publish(alice, id: 2, leg: "cam")
            kill(first, SIGKILL)
            guard case .mediaLost(let lost) = try await alice.message().body else {
                Issue.record("alice was not notified")
                return
            }
            #expect(lost.legs == ["cam"])
            // At once: the server holds it back until the router is there again.
            try await alice.send(
                ClientMessage(id: 3, .replace(.init(leg: "cam2", replaces: "cam", offer: "o"))))
            guard case .answered(let answer) = try await alice.message().body else {
                Issue.record("no answer")
                return
            }
            #expect(answer.leg == "cam2" && answer.answer != "from \(first)")
            let health = await server.server.health
            #expect(health.routerRestarts == 1 && health.routerIsRunning && health.streams == 1)
            #expect(!Self.isAlive(first))
        }
    }

    @Test(
        "the router ends with the server, by itself or killed",
        arguments: [script, script + "\ntrap '' TERM; while :; do sleep 1; done"])
    func endsWithServer(_ script: String) async throws {
        let process = try await Self.processOfOneCall(Self.configuration(script))
        #expect(!Self.isAlive(process))
    }

    private static func processOfOneCall(_ configuration: SessionServerConfiguration) async throws -> pid_t {
        let box = Box()
        try await TestServer.run(configuration) { server in
            try await wait(server) { $0.routerIsRunning }
            let (alice, _) = try await server.join(try await server.server.createSession().session)
            await box.set(try await publish(alice, id: 2, leg: "cam"))
        }
        return await box.value
    }

    private actor Box {
        var value: pid_t = 0
        func set(_ value: pid_t) { self.value = value }
    }

    @Test("cancelling the server ends the router, too")
    func cancelled() async throws {
        let server = SightlineServer(configuration: Self.configuration())
        let task = Task { try await server.run() }
        let test = TestServer(server: server, port: try await server.boundPort)
        try await Self.wait(test) { $0.routerIsRunning }
        let (alice, _) = try await test.join(try await server.createSession().session)
        let process = try await Self.publish(alice, id: 2, leg: "cam")
        task.cancel()
        _ = await task.result
        #expect(!Self.isAlive(process))
    }

    @Test("of the server's environment the router gets nothing but how a program is started")
    func environment() async throws {
        let script = #"""
            printf '{"type":"ready","version":1,"processID":%d}\n' $$ >&0
            read -r line
            leg=${line#*\"leg\":\"}; leg=${leg%%\"*}
            names=$(tr '\0' '\n' < /proc/$$/environ | cut -d= -f1)
            printf '{"type":"answer","leg":"%s","answer":"%s"}\n' "$leg" "$(echo $names)" >&0
            while read -r line; do :; done
            """#
        try await TestServer.run(Self.configuration(script)) { server in
            try await Self.wait(server) { $0.routerIsRunning }
            let (alice, _) = try await server.join(try await server.server.createSession().session)
            try await alice.send(ClientMessage(id: 2, .publish(.camera("cam"))))
            guard case .published(let published) = try await alice.message().body else {
                Issue.record("not published")
                return
            }
            let names = Set((published.answer ?? "").split(separator: " ").map(String.init))
            #expect(names.isSuperset(of: ["PATH", "LANG"]))
            #expect(names.isSubset(of: Self.variables), "\(names)")
        }
    }

    private static let variables: Set = [
        "PATH", "LANG", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
    ]

    @Test("no secret of ours is among what a child gets")
    func secrets() {
        let own = [
            "SIGHTLINE_SECRET": "s", "SIGHTLINE_TURN_SECRET": "s", "SIGHTLINE_WEBHOOK_SECRET": "s",
            "HOME": "/root",
            "PATH": "/tmp", "LD_PRELOAD": "/tmp/x.so", "LD_LIBRARY_PATH": "/opt/lib",
            "AWS_SECRET_ACCESS_KEY": "s",
        ]
        #expect(
            ChildProcess.environment(from: own) == [
                "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LD_LIBRARY_PATH": "/opt/lib",
            ])
    }

    @Test("the router has no descriptor but its three, its own process group, and signals as they should be")
    func surroundings() async throws {
        let script = #"""
            printf '{"type":"ready","version":1,"processID":%d}\n' $$ >&0
            read -r line
            leg=${line#*\"leg\":\"}; leg=${leg%%\"*}
            set -- /proc/$$/fd/*; fds=$*; group=$(cut -d' ' -f5 /proc/$$/stat)
            ignored=$(while read -r name mask; do [ "$name" = SigIgn: ] && echo $mask; done < /proc/$$/status)
            printf '{"type":"answer","leg":"%s","answer":"%s|%s|%s"}\n' "$leg" "$fds" "$((group - $$))" "$ignored" >&0
            while read -r line; do :; done
            """#
        try await TestServer.run(Self.configuration(script)) { server in
            try await Self.wait(server) { $0.routerIsRunning }
            let (alice, _) = try await server.join(try await server.server.createSession().session)
            try await alice.send(ClientMessage(id: 2, .publish(.camera("cam"))))
            guard case .published(let published) = try await alice.message().body else {
                Issue.record("not published")
                return
            }
            let parts = (published.answer ?? "").split(separator: "|")
            let descriptors =
                parts.first?.split(separator: " ").compactMap { $0.split(separator: "/").last } ?? []
            // 3 and 10 are the shell's own, for reading the directory and for its redirections.
            #expect(Set(descriptors).subtracting(["0", "1", "2", "3", "10"]).isEmpty, "\(descriptors)")
            #expect(parts.dropFirst().first == "0")
            // Of the first 31 signals none; 32 and 33 are the C library's own.
            let ignored = parts.last.flatMap { UInt64($0, radix: 16) }
            #expect(ignored.map { $0 & 0x7FFF_FFFF } == 0)
        }
    }

    @Test(
        "a router that is not one of ours is not used, and the server lives",
        arguments: [
            #"printf '{"type":"ready","version":2,"processID":1}\n' >&0; cat <&0 >/dev/null"#,
            #"printf 'nonsense\n{"type":"state","leg":"x","state":"new"}\n' >&0; cat <&0 >/dev/null"#,
            "exit 3", "kill -ABRT $$", "head -c 2000000 /dev/zero >&0; cat <&0 >/dev/null",
        ])
    func strangeRouters(_ script: String) async throws {
        var configuration = Self.configuration(script)
        configuration.timeouts.routerEnd = .milliseconds(100)
        try await TestServer.run(configuration) { server in
            let (alice, _) = try await server.join(try await server.server.createSession().session)
            for id in 2...4 {
                try await alice.send(ClientMessage(id: id, .publish(.camera("cam"))))
                #expect(try await alice.error().code == .routerUnavailable)
            }
            #expect(await server.server.health.problems == [.routerAway])
        }
    }

    @Test("a router that is not there is no reason to end")
    func missing() async throws {
        var configuration = TestServer.configuration
        configuration.router = .init(executable: "/nowhere/router")
        try await TestServer.run(configuration) { server in
            let (alice, _) = try await server.join(try await server.server.createSession().session)
            try await alice.send(ClientMessage(id: 2, .publish(.camera("cam"))))
            #expect(try await alice.error().code == .routerUnavailable)
        }
    }

    @Test("lines that cannot be read are omitted")
    func noise() async throws {
        let noisy = Self.script.replacing(
            "while read", with: #"printf 'x\n{"type":"new"}\n\n{}\n' >&0; while read"#)
        let process = try await Self.processOfOneCall(Self.configuration(noisy))
        #expect(process > 0)
    }
}

@Suite("What is on its way to the router")
final class RouterOutletTests: Sendable {
    private static let offer = String(repeating: "x", count: 100_000)

    private let wasAborted = Mutex(false)

    @Test(
        "a router that falls behind gets no new offers, what it must know, and all again when it has caught up"
    )
    func behind() async {
        let outlet = RouterOutlet { [self] in wasAborted.withLock { $0 = true } }
        var taken = 0
        while outlet.send(.offer(LegOffer(leg: "a", offer: Self.offer))) == nil { taken += 1 }
        #expect((20...42).contains(taken))
        guard
            case .failure(let failure) = outlet.send(
                .add(AddLeg(leg: "b", kind: .publisher, stream: "s", offer: Self.offer)))
        else {
            Issue.record("an offer was taken")
            return
        }
        #expect(failure.leg == "b" && failure.code == .tooMany && failure.endsLeg)
        #expect(failure.message.contains("try again"))
        #expect(
            outlet.send(.candidate(LegCandidate(leg: "a", mid: nil, lineIndex: nil, candidate: Self.offer)))
                == nil)
        #expect(outlet.send(.remove(LegRemoval(leg: "a"))) == nil)
        var lines = outlet.lines.makeAsyncIterator()
        for _ in 0..<taken {
            guard let line = await lines.next() else { return }
            outlet.sent(line)
        }
        #expect(outlet.send(.offer(LegOffer(leg: "c", offer: Self.offer))) == nil)
        let rest = [await lines.next(), await lines.next()].compactMap { $0 }
        #expect(rest.map { $0.readableBytes > 1000 } == [false, true])
        #expect(!wasAborted.withLock { $0 })
    }

    @Test("a router that takes nothing for so long that even removals are queued is ended")
    func hanging() {
        let outlet = RouterOutlet { [self] in wasAborted.withLock { $0 = true } }
        let removal = RouterCommand.remove(LegRemoval(leg: LegName(Self.offer)))
        for _ in 0...(RouterOutlet.hangingBacklog / 100_000) { #expect(outlet.send(removal) == nil) }
        #expect(wasAborted.withLock { $0 })
    }
}
