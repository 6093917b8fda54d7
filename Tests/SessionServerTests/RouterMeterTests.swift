// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionCore
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite("How much of what its threads can do a media router does")
struct RouterMeterTests {
    @Test("its processor time since the last measurement, of the processors that it can keep busy")
    func share() {
        var meter = RouterMeter()
        let first = meter.share(of: 2, spent: .init(process: 10), at: .seconds(1))
        #expect(first == nil)
        let half = meter.share(of: 2, spent: .init(process: 11), at: .seconds(2))
        #expect(half == 0.5)
        let idle = meter.share(of: 2, spent: .init(process: 11), at: .seconds(4))
        #expect(idle == 0)
    }

    @Test("a measurement that comes too soon is none, and what it would have said is in the next one")
    func tooSoon() {
        var meter = RouterMeter()
        _ = meter.share(of: 1, spent: .init(process: 10), at: .seconds(1))
        let soon = meter.share(of: 1, spent: .init(process: 10.1), at: .milliseconds(1100))
        #expect(soon == nil)
        let next = meter.share(of: 1, spent: .init(process: 10.5), at: .seconds(2))
        #expect(next == 0.5)
    }

    @Test("a thread that has all that it can do is all of the load, however much time the others have")
    func busiestThread() {
        var meter = RouterMeter()
        _ = meter.share(of: 2, spent: .init(process: 10, threads: [1: 5, 2: 5]), at: .seconds(1))
        let bound = meter.share(of: 2, spent: .init(process: 11, threads: [1: 5.9, 2: 5.1]), at: .seconds(2))
        #expect(abs((bound ?? 0) - 0.9) < 1e-9)
        let even = meter.share(
            of: 2, spent: .init(process: 12.2, threads: [1: 6.5, 2: 5.7]), at: .seconds(3))
        #expect(abs((even ?? 0) - 0.6) < 1e-9)
    }

    @Test("threads that begin and end, or whose ids return, are no load that the process has not")
    func passingThreads() {
        var meter = RouterMeter()
        _ = meter.share(of: 2, spent: .init(process: 10, threads: [1: 5, 2: 5]), at: .seconds(1))
        // The third was there before, and could not be read; the second one's id has another thread now.
        let next = meter.share(
            of: 2, spent: .init(process: 11, threads: [2: 0.1, 3: 100]), at: .seconds(2))
        #expect(next == 0.5)
        let known = meter.share(
            of: 2, spent: .init(process: 12, threads: [2: 0.1, 3: 101]), at: .seconds(3))
        #expect(known == 1)
        let none = meter.share(of: 2, spent: .init(process: 13), at: .seconds(4))
        #expect(none == 0.5)
    }

    @Test("a router keeps no more processors busy than it has threads, nor than the machine has")
    func processors() {
        #expect(RouterMeter.processors(threads: 1) == 1)
        #expect(RouterMeter.processors(threads: 0) == 1)
        let most = RouterMeter.processors(threads: .max)
        #expect(most >= 1 && most == RouterMeter.processors(threads: Int(most)))
    }
}

#if os(Linux)
extension RouterMeterTests {
    /// A router of a shell that says that it is there, and then does something.
    private static func configuration(_ work: String) -> SessionServerConfiguration {
        var configuration = TestServer.configuration
        let ready = #"printf '{"type":"ready","version":1,"processID":%d}\n' $$ >&0; "#
        configuration.router = .init(executable: "/bin/sh", arguments: ["-c", ready + work], threads: 1)
        configuration.timeouts.routerEnd = .seconds(2)
        return configuration
    }

    @Test("a router whose process is busy is full, and takes no new publication")
    func busy() async throws {
        var configuration = Self.configuration("while kill -0 $PPID; do :; done")
        // Other tests may have most of the machine.
        configuration.limits.routerLoad = 0.02
        try await TestServer.run(configuration) { server in
            try await eventually("the router is full") {
                await server.server.routerStates.contains(where: \.isFull)
            }
            let (alice, _) = try await server.join(try await server.server.createSession().session)
            try await alice.send(ClientMessage(id: 2, .publish(.camera("cam"))))
            let code = try await alice.error().code
            #expect(code == .tooMany)
        }
    }

    @Test("a process that spins in one thread does all that it can, where it could have two")
    func spinning() async throws {
        // It ends by itself, should no one end it.
        let spin = "i=0; while [ $i -lt 30000000 ]; do i=$((i + 1)); done"
        let child = try TestSupport.ChildProcess(URL(filePath: "/bin/sh"), ["-c", spin])
        func spent() throws -> RouterMeter.Spent {
            let load = try #require(ProcessLoad(process: child.identifier))
            return .init(process: load.processorSeconds, threads: ProcessLoad.threads(of: child.identifier))
        }
        let first = try spent()
        let start = ContinuousClock.now
        var meter = RouterMeter()
        _ = meter.share(of: 2, spent: first, at: .zero)
        try await eventually("a second of a processor's time", within: .seconds(60)) {
            try spent().process >= first.process + 1
        }
        let last = try spent()
        let time = ContinuousClock.now - start
        let measured = meter.share(of: 2, spent: last, at: time)
        let share = try #require(measured)
        // Other tests may have most of the machine: all is what it was given.
        let given = (last.process - first.process) / time.seconds
        #expect(abs(share / given - 1) < 0.3, "\(share) of \(given)")
    }

    @Test("the load of a router whose process does nothing is known, and next to nothing")
    func idle() async throws {
        try await TestServer.run(Self.configuration("while read -r line; do :; done")) { server in
            try await eventually("the router's load") {
                await server.server.routerStates.first?.load != nil
            }
            let states = await server.server.routerStates
            #expect(states.map(\.isFull) == [false])
            #expect(states.allSatisfy { $0.load ?? 1 < 0.1 })
        }
    }
}
#endif
