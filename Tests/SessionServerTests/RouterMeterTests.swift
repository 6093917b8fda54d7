// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

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
        let first = meter.share(of: 2, spent: 10, at: .seconds(1))
        #expect(first == nil)
        let half = meter.share(of: 2, spent: 11, at: .seconds(2))
        #expect(half == 0.5)
        let idle = meter.share(of: 2, spent: 11, at: .seconds(4))
        #expect(idle == 0)
    }

    @Test("a measurement that comes too soon is none, and what it would have said is in the next one")
    func tooSoon() {
        var meter = RouterMeter()
        _ = meter.share(of: 1, spent: 10, at: .seconds(1))
        let soon = meter.share(of: 1, spent: 10.1, at: .milliseconds(1100))
        #expect(soon == nil)
        let next = meter.share(of: 1, spent: 10.5, at: .seconds(2))
        #expect(next == 0.5)
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
        var configuration = Self.configuration("while :; do :; done")
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
