// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

/// A bad leg is not always by its client's network.
@Suite("Blame on a media router")
struct CoreRouterBlameTests {
    /// Calls of two, each in a session of its own: the legs of a publisher and of a subscriber in turn.
    private struct Calls {
        private struct Party {
            let client: String
            let router: RouterID
            var script: LegScript
        }

        var scenario: CoreScenario
        private var parties: [Party] = []

        init(_ count: Int, routers: Int = 1) throws {
            scenario = CoreScenario(routers: routers)
            for call in 0..<count { try add(call) }
            // That a leg is well takes ten seconds to be known.
            _ = run(15) { _ in false }
        }

        private mutating func add(_ call: Int) throws {
            let session = try scenario.makeSession()
            let (publisher, subscriber) = ("publisher \(call)", "subscriber \(call)")
            scenario.join(publisher, session: session)
            scenario.join(subscriber, session: session)
            let stream = scenario.publish(publisher, "cam")
            scenario.subscribe(subscriber, "s", stream)
            let placed = scenario.core.routers.router(of: SessionID(session))
            let router = try #require(placed)
            let uplink = LegScript(.publisher, scenario.routerName(publisher, "cam"), stream)
            let downlink = LegScript(.subscriber, scenario.routerName(subscriber, "s"), stream)
            parties.append(Party(client: publisher, router: router, script: uplink))
            parties.append(Party(client: subscriber, router: router, script: downlink))
        }

        /// The router of each leg.
        var routers: [Int] { parties.map(\.router.rawValue) }

        /// What the client of each leg hears of its side at last, after seconds with that load of all routers.
        mutating func run(
            _ seconds: Int, load: Double? = nil, isBad: (Int) -> Bool
        ) -> [NetworkDegradationSource?] {
            for party in parties { _ = scenario.inbox(party.client) }
            for _ in 0..<seconds {
                scenario.pass(.seconds(1))
                for router in scenario.core.routers.ids { scenario.put(.routerLoad(router, load)) }
                for index in parties.indices {
                    let report = parties[index].script.next(loss: isBad(index) ? 0.3 : 0)
                    scenario.put(.router(.report(report), from: parties[index].router))
                }
            }
            var heard: [NetworkDegradationSource?] = []
            for party in parties { heard.append(lastSide(heardBy: party.client)) }
            return heard
        }

        private mutating func lastSide(heardBy client: String) -> NetworkDegradationSource? {
            let facts = scenario.bodies(client).compactMap { body -> LegMetrics? in
                if case .facts(let facts) = body { facts } else { nil }
            }
            return facts.last?.networkDegradationSource
        }
    }

    private static func silence(_ count: Int) -> [NetworkDegradationSource?] {
        Array(repeating: nil, count: count)
    }

    /// What is heard where the legs of which that holds are the server's.
    private static func server(
        _ count: Int, where isServer: (Int) -> Bool
    ) -> [NetworkDegradationSource?] {
        (0..<count).map { isServer($0) ? .server : nil }
    }
}

// MARK: - By its load

extension CoreRouterBlameTests {
    @Test("bad legs of an overloaded router are the server's, and those that are well are no one's")
    func overloaded() throws {
        var calls = try Calls(2)
        let isBad = { (leg: Int) in leg != 1 }
        let idle = calls.run(30, load: 0.5, isBad: isBad)
        #expect(idle == Self.silence(4))
        let busy = calls.run(30, load: 1, isBad: isBad)
        #expect(busy == Self.server(4, where: isBad))
        let relieved = calls.run(15, load: 0.5, isBad: isBad)
        #expect(relieved == Self.silence(4))
    }

    @Test("nothing is concluded from a load that is not known")
    func unknownLoad() throws {
        var calls = try Calls(2)
        let busy = calls.run(30, load: 1) { _ in true }
        #expect(busy == Self.server(4) { _ in true })
        let unknown = calls.run(10, load: nil) { _ in true }
        #expect(unknown == Self.silence(4))
    }

    @Test("a call that is bad among calls that are well is so by its networks, on a full router, too")
    func lone() throws {
        var calls = try Calls(3)
        let heard = calls.run(30, load: 1) { $0 < 2 }
        #expect(calls.scenario.core.routerStates.map(\.isFull) == [true])
        #expect(heard == Self.silence(6))
    }
}

// MARK: - By the legs of its sessions

extension CoreRouterBlameTests {
    @Test("legs that are bad for the most part, in several sessions, are the server's")
    func most() throws {
        var calls = try Calls(5)
        let fewer = calls.run(30) { $0 < 7 }
        #expect(fewer == Self.silence(10))
        let most = calls.run(30) { $0 < 8 }
        #expect(most == Self.server(10) { $0 < 8 })
        let well = calls.run(40) { _ in false }
        #expect(well == Self.silence(10))
    }

    @Test("few legs may be bad at once by chance")
    func few() throws {
        var calls = try Calls(2)
        let heard = calls.run(30) { _ in true }
        #expect(heard == Self.silence(4))
    }

    @Test("one router's are, while those of the other are well; what is bad at both is neither's")
    func others() throws {
        var calls = try Calls(6, routers: 2)
        let routers = calls.routers
        #expect(routers.count(where: { $0 == 0 }) == 6 && routers.count(where: { $0 == 1 }) == 6)
        let one = calls.run(30) { routers[$0] == 0 }
        #expect(one == Self.server(12) { routers[$0] == 0 })
        let both = calls.run(30) { _ in true }
        #expect(both == Self.silence(12))
    }

    @Test("a router that was started again has done nothing yet")
    func restart() throws {
        var calls = try Calls(3)
        let heard = calls.run(30) { _ in true }
        #expect(heard == Self.server(6) { _ in true })
        calls.scenario.put(.routerLost(.first))
        calls.scenario.put(.routerReady(.first))
        #expect(calls.scenario.core.routers[.first]?.isToBlame == false)
    }

    @Test("what tests a network fills it on purpose, and says nothing of the router")
    func networkTests() {
        var scenario = CoreScenario()
        scenario.join("alice")
        var request = CoreScenario.publish("test")
        request.testsNetwork = true
        scenario.send("alice", .publish(request))
        _ = scenario.inbox("alice")
        let stream = scenario.publish("alice", "cam")
        var scripts = ["test", "cam"].map { leg in
            LegScript(.publisher, scenario.routerName("alice", leg), stream)
        }
        for _ in 0..<10 {
            scenario.pass(.seconds(1))
            for index in scripts.indices {
                let report = scripts[index].next(loss: 0.3)
                scenario.put(.router(.report(report), from: .first))
            }
        }
        #expect(scenario.core.qualities.count == 2, "both are judged")
        #expect(scenario.live?.legStates(at: scenario.now.elapsed).map(\.isBad) == [true])
    }
}
