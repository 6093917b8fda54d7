// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LabScoring
import Synchronization
import Testing

/// Someone waits until someone else has come.
private struct Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func wait() async {
        for await _ in stream {}
    }
}

private struct Failure: Error, Equatable {
    var item: Int
}

@Suite("What is made side by side", .timeLimit(.minutes(1)))
struct SideBySideTests {
    @Test("has its results in the order of the items, whatever ends first")
    func order() async throws {
        let gates = (0..<4).map { _ in Gate() }
        let ended = Mutex<[Int]>([])
        let results = await sideBySide(Array(0..<4), jobs: 4) { item in
            // Each waits for the next one.
            if item < 3 { await gates[item + 1].wait() }
            ended.withLock { $0.append(item) }
            gates[item].open()
            return item * 10
        }
        #expect(ended.withLock { $0 } == [3, 2, 1, 0])
        #expect(try results.map { try $0?.get() } == [0, 10, 20, 30])
    }

    @Test("is as many at a time as there are jobs, and no more")
    func jobs() async throws {
        let gates = (0..<10).map { _ in Gate() }
        let running = Mutex((now: 0, most: 0))
        let results = await sideBySide(Array(0..<10), jobs: 2) { item in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            // Two meet, whichever of them comes first.
            gates[item].open()
            await gates[item ^ 1].wait()
            running.withLock { $0.now -= 1 }
            return item
        }
        #expect(running.withLock { $0.most } == 2)
        #expect(try results.map { try $0?.get() } == Array(0..<10))
    }

    @Test("begins in order, one after the other with a single job", arguments: [1, 0, -1])
    func single(jobs: Int) async {
        let begun = Mutex<[Int]>([])
        let results = await sideBySide([3, 1, 2], jobs: jobs) { item in
            begun.withLock { $0.append(item) }
            await Task.yield()
        }
        #expect(begun.withLock { $0 } == [3, 1, 2] && results.count == 3)
    }

    @Test("begins no more once one has failed")
    func failure() async {
        let results = await sideBySide([0, 1, 2], jobs: 1) { item in
            if item == 1 { throw Failure(item: item) }
        }
        #expect(throws: Never.self) { try results[0]?.get() }
        #expect(throws: Failure(item: 1)) { try results[1]?.get() }
        #expect(results.count == 3 && results[0] != nil && results[2] == nil)
    }

    @Test("is made to its end where another one fails meanwhile")
    func others() async throws {
        let failed = Gate()
        let results = await sideBySide(["fails", "lasts"], jobs: 2) { item in
            guard item == "lasts" else {
                failed.open()
                throw Failure(item: 0)
            }
            await failed.wait()
            for _ in 0..<100 { await Task.yield() }
            return !Task.isCancelled
        }
        #expect(throws: Failure(item: 0)) { _ = try results[0]?.get() }
        #expect(try results[1]?.get() == true)
    }

    @Test("is nothing of no items")
    func nothing() async {
        let results = await sideBySide([Int](), jobs: 3) { $0 }
        #expect(results.isEmpty)
    }
}
