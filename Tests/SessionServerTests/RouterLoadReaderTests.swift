// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionCore
import Synchronization
import Testing

@testable import SessionServer

@Suite("What the processes of media routers take, beside the hub")
struct RouterLoadReaderTests {
    /// Processes by their ids, and a clock.
    private final class Machine: Sendable {
        let spent = Mutex<[Int32: Double]>([:])
        let now = Mutex(Duration.zero)

        func reader() -> RouterLoadReader {
            RouterLoadReader(processors: 2) { process in
                self.spent.withLock { $0[process] }.map { RouterMeter.Spent(process: $0) }
            }
        }

        /// Time passes, and processes take some of it.
        func pass(_ time: Duration, _ taken: [Int32: Double]) {
            now.withLock { $0 += time }
            spent.withLock { for (process, seconds) in taken { $0[process, default: 0] += seconds } }
        }

        var time: Duration { now.withLock { $0 } }
    }

    private static func router(_ number: Int, _ process: Int32?) -> RunningRouter {
        RunningRouter(id: RouterID(rawValue: number), process: process)
    }

    @Test(
        "each by its own time; nothing is said the first time, and of what cannot be read that no one knows")
    func shares() {
        let machine = Machine()
        var reader = machine.reader()
        let routers = [Self.router(0, 10), Self.router(1, 11), Self.router(2, nil), Self.router(3, 12)]
        machine.pass(.seconds(1), [10: 100, 11: 5])
        var found = reader.measure(routers) { machine.time }
        #expect(found == [.init(router: routers[2], share: nil), .init(router: routers[3], share: nil)])
        machine.pass(.seconds(2), [10: 1, 11: 4])
        found = reader.measure(routers) { machine.time }
        #expect(found.map(\.share) == [0.25, 1, nil, nil])
    }

    @Test(
        "one that was started again begins again, whichever process it had, and one that is gone is forgotten"
    )
    func restarted() {
        let machine = Machine()
        var reader = machine.reader()
        machine.pass(.seconds(1), [10: 100, 20: 1])
        #expect(reader.measure([Self.router(0, 10)]) { machine.time }.isEmpty)
        machine.pass(.seconds(1), [10: 1, 20: 1])
        #expect(reader.measure([Self.router(0, 20)]) { machine.time }.isEmpty)
        machine.pass(.seconds(1), [20: 1])
        #expect(reader.measure([Self.router(0, 20)]) { machine.time }.map(\.share) == [0.5])
        #expect(reader.measure([]) { machine.time }.isEmpty)
        machine.pass(.seconds(1), [20: 2])
        #expect(reader.measure([Self.router(0, 20)]) { machine.time }.isEmpty)
    }

    @Test("reading that takes long is in the time of what is read after it")
    func slow() {
        let machine = Machine()
        var reader = machine.reader()
        let routers = [Self.router(0, 10), Self.router(1, 11)]
        machine.pass(.zero, [10: 0, 11: 0])
        func measure() -> [Double?] {
            reader.measure(routers) {
                // Each takes a second to be read.
                machine.pass(.seconds(1), [10: 1, 11: 1])
                return machine.time
            }.map(\.share)
        }
        _ = measure()
        for _ in 0..<5 { #expect(measure() == [0.5, 0.5]) }
    }

    @Test("the hub takes what is said of a router's process, and not what is said of the one before")
    func hub() async throws {
        try await TestServer.run { server in
            let hub = server.server.hub
            await hub.routerIsReady(.first, RouterOutlet {}, process: 7)
            #expect(await hub.runningRouters == [Self.router(0, 7)])
            for router in [Self.router(0, 6), Self.router(0, nil), Self.router(9, 7)] {
                await hub.note([.init(router: router, share: 1)])
                #expect(await hub.routerStates.map(\.load) == [nil])
            }
            await hub.note([.init(router: Self.router(0, 7), share: 1)])
            #expect(await hub.routerStates.first?.load != nil)
            await hub.routerIsLost(.first)
            #expect(await hub.runningRouters.isEmpty)
        }
    }
}
