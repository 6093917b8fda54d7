// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import TestSupport
import Testing

@testable import SessionServer

@Suite("What other servers show live")
struct EventReaderTests {
    private typealias Event = EventReader.Event

    private static let text =
        "retry: 2000\n\nid: 1\nevent: sample\ndata: {\"a\":1}\n\n:\n\nevent: alert\ndata: {\"ü\":\"\"}\n\ndata: {}\n\nevent: x\n\n"

    @Test("is read however its bytes are cut; what says nothing is no event", arguments: Seed.draw(20))
    func pieces(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (reader, rest, found) = (EventReader(), Array(Self.text.utf8)[...], [Event]())
        while !rest.isEmpty {
            let count = 1 + random.next(rest.count)
            found += reader.take(rest.prefix(count)) ?? []
            rest = rest.dropFirst(count)
        }
        #expect(
            found == [.init(type: "sample", data: "{\"a\":1}"), .init(type: "alert", data: "{\"ü\":\"\"}")])
    }

    @Test("has an end where a line has none")
    func endless() {
        var reader = EventReader()
        let bytes = [UInt8](repeating: 0x61, count: EventReader.limit)
        #expect(reader.take(bytes) == [])
        #expect(reader.take([0x61]) == nil)
    }

    @Test("gets to those who watch its session, or all, and not to other servers")
    func relay() async throws {
        let feed = LiveFeed()
        let all = try #require(feed.listen(session: nil))
        let own = try #require(feed.listen(session: "s"))
        let other = try #require(feed.listen(session: "t"))
        let node = try #require(feed.listen(session: nil, isNode: true))
        feed.relay("sample", #"{"flow":{"session":"s"}}"#)
        feed.relay("event", #"{"session":"u"}"#)
        feed.relay("event", "not JSON")
        feed.close()
        func types(_ stream: AsyncStream<LiveFeed.Message>) async -> [String] {
            await stream.reduce(into: []) { $0.append($1.type) }
        }
        #expect(await types(all) == ["sample", "event", "event"])
        #expect(await types(own) == ["sample"])
        #expect(await types(other) == [])
        #expect(await types(node) == [])
    }

    @Test("is asked for only where someone watches")
    func wanted() throws {
        let feed = LiveFeed()
        #expect(feed.remote == .sessions([]))
        let node = feed.listen(session: nil, isNode: true)
        #expect(feed.remote == .sessions([]))
        let one = feed.listen(session: "s")
        #expect(feed.remote == .sessions(["s"]))
        let all = feed.listen(session: nil)
        #expect(feed.remote == .all)
        withExtendedLifetime((node, one, all)) {}
    }
}
