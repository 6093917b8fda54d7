// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@testable import Sightline

@Suite("A session that is at another server of a cluster", .timeLimit(.minutes(1)))
struct ElsewhereTests {
    private static func refusal(_ url: String?) -> ServerError { .init(.elsewhere, "not here", url: url) }

    @Test("Its address is followed, and tried in turn with the first one while it cannot be reached")
    func addresses() {
        var addresses = SessionAddresses(entry: "wss://calls.test")
        addresses.fail()
        #expect(addresses.current == "wss://calls.test")
        let followed = addresses.follow(Self.refusal("https://n1.test"))
        #expect(followed && addresses.current == "https://n1.test")
        addresses.fail()
        #expect(addresses.current == "wss://calls.test")
        addresses.fail()
        #expect(addresses.current == "https://n1.test")
        addresses.fail()
        let again = addresses.follow(Self.refusal("https://n2.test"))
        #expect(again && addresses.current == "https://n2.test")
    }

    @Test(
        "No one is sent where what is said can be read in transit, nor to what is no address",
        arguments: ["http://n1.test", "ws://n1.test", "n1.test", "", nil])
    func refused(url: String?) {
        var addresses = SessionAddresses(entry: "wss://calls.test")
        let followed = addresses.follow(Self.refusal(url))
        #expect(!followed && addresses.current == "wss://calls.test")
        let other = addresses.follow(ServerError(.forbidden, "no", url: "https://n1.test"))
        #expect(!other)
    }

    @Test("Clients join where they are sent")
    func joins() async throws {
        let call = Call()
        call.server.move(to: "http://n1.test")
        try await call.session.connect()
        #expect(call.server.hosts == ["server.test", "n1.test"])
        #expect(call.session.isConnected)
        await call.session.disconnect()
    }

    @Test("Servers that send each other's clients away are given up after a few")
    func circle() async throws {
        let call = Call()
        // Wherever it joins, the session is elsewhere.
        call.server.refuse("join", Self.refusal("http://n1.test"))
        await #expect(throws: SightlineError.self) { try await call.session.connect() }
        #expect(call.server.hosts.count == SessionAddresses.hops + 1)
        #expect(call.session.state == .disconnected)
    }

    @Test("A session whose server is gone is found again by the first address, and keeps its streams")
    func takenOver() async throws {
        let call = Call()
        call.server.makeResumable()
        call.server.move(to: "http://n1.test")
        let (publisher, _) = try await call.publish()
        let id = try #require(publisher.stream?.streamId)
        call.server.cut(["n1.test"])
        call.server.restart()
        await call.elapsed(until: "it was sent back to the one that is gone", step: .milliseconds(200)) {
            call.server.hosts.filter { $0 == "n1.test" }.count > 2
        }
        call.server.move(to: "http://n2.test")
        await call.elapsed(until: "it is back", step: .milliseconds(200)) { call.session.isConnected }
        #expect(call.server.hosts.last == "n2.test")
        await eventually("the stream is back") { call.server.publishRequests.count == 2 }
        #expect(publisher.stream?.streamId == id)
        await call.session.disconnect()
    }
}
