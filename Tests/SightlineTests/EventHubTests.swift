// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Sightline

@Suite("The hub of events", .timeLimit(.minutes(1)))
struct EventHubTests {
    @Test("every listener hears everything from its beginning on, in one order")
    func order() async {
        let hub = EventHub<Int>(.unbounded)
        let first = hub.events()
        hub.send(1)
        let second = hub.events()
        await withTaskGroup(of: Void.self) { group in
            for sender in 1...4 {
                group.addTask { for number in 0..<500 { hub.send(sender * 1000 + number) } }
            }
        }
        hub.finish()
        hub.send(2)
        let heard = await first.reduce(into: [Int]()) { $0.append($1) }
        #expect(heard.count == 2001 && heard.first == 1)
        #expect(await second.reduce(into: [Int]()) { $0.append($1) } == Array(heard.dropFirst()))
        for sender in 1...4 {
            let own = heard.filter { $0 / 1000 == sender }
            #expect(own == own.sorted(), "each sender's events stay in their order")
        }
        #expect(await hub.events().reduce(into: 0) { sum, _ in sum += 1 } == 0)
    }

    /// Whoever cancels a task holds its lock while the stream tells the hub, and yielding to it wants that
    /// lock.
    @Test("listeners may be cancelled at the moment when they are notified")
    func cancellation() async throws {
        let rounds = 4000
        let count = Mutex(0)
        let hub = EventHub<Int>(.bufferingNewest(8))
        // Threads and an executor of their own: what hangs must not take the tests' threads with it.
        let executor = QueueExecutor()
        Thread.detachNewThread {
            while count.withLock({ $0 < rounds }) { hub.send(1) }
        }
        Thread.detachNewThread {
            for round in 1...rounds {
                let isListening = DispatchSemaphore(value: 0)
                let listener = Task(executorPreference: executor) {
                    for await _ in hub.events() { isListening.signal() }
                }
                isListening.wait()
                listener.cancel()
                count.withLock { $0 = round }
            }
        }
        try await eventually("all listeners were cancelled", within: .seconds(30)) {
            count.withLock { $0 == rounds }
        }
    }

    @Test("A delegate that names no actor may be called on the main one, as it is on Apple's systems")
    func delegateOnMain() async throws {
        let hub = EventHub<Int>(.unbounded)
        let owner = Journal<Int>()
        hub.deliver(
            to: .onMain(of: owner) { number, owner in
                MainActor.preconditionIsolated()
                owner.add(number)
            })
        for number in 0..<20 { hub.send(number) }
        try await eventually("all events") { owner.entries == Array(0..<20) }
        hub.finish()
    }
}
