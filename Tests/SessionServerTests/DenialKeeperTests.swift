// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Logging
import SessionCore
import Synchronization
import Testing

@testable import SessionServer

@Suite("Tokens of those who were put out")
struct DenialKeeperTests {
    /// A list that can be away, and always refuses the id `never`.
    private final class List: RefusedTokenList {
        struct Away: Error {}

        private struct State {
            var isAway = false
            var ids: [String] = []
            var attempts = 0
        }

        private let state = Mutex(State())

        var ids: [String] { state.withLock { $0.ids } }
        var attempts: Int { state.withLock { $0.attempts } }

        func set(isAway: Bool) { state.withLock { $0.isAway = isAway } }

        func add(_ token: RefusedToken, forgetting forgotten: [String]) throws {
            try state.withLock { state in
                state.attempts += 1
                guard !state.isAway, token.id != "never" else { throw Away() }
                state.ids.append(token.id)
            }
        }

        func tokens() -> [RefusedToken] { [] }

        func close() {}
    }

    private let list = List()

    private func keeper() -> DenialKeeper {
        DenialKeeper(
            list, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, pause: .seconds(3600))
    }

    private static func token(_ id: String) -> DeniedToken {
        DeniedToken(session: "s", id: id, expires: 1)
    }

    @Test("are stored once they can be, each once; what is away is asked once a time")
    func away() async {
        let keeper = keeper()
        await keeper.keep(Self.token("a"))
        #expect(list.ids == ["a"])
        list.set(isAway: true)
        for id in ["b", "c", "d"] { await keeper.keep(Self.token(id)) }
        await keeper.retry()
        #expect(list.ids == ["a"] && list.attempts == 3)
        list.set(isAway: false)
        await keeper.retry()
        await keeper.retry()
        #expect(list.ids == ["a", "c", "d", "b"])
        await keeper.keep(Self.token("e"))
        #expect(list.ids.last == "e" && list.attempts == 7)
    }

    @Test("wait behind none that is never stored, and are stored at the end")
    func refused() async {
        let keeper = keeper()
        for id in ["never", "a", "b"] { await keeper.keep(Self.token(id)) }
        await keeper.retry()
        #expect(list.ids == [])
        await keeper.finish()
        #expect(list.ids == ["a", "b"])
    }

    @Test("that wait are no more than there is room for")
    func room() async {
        let keeper = keeper()
        list.set(isAway: true)
        for number in 0..<(DenialKeeper.limit + 5) { await keeper.keep(Self.token("\(number)")) }
        list.set(isAway: false)
        await keeper.finish()
        #expect(list.ids.count == DenialKeeper.limit)
    }
}
