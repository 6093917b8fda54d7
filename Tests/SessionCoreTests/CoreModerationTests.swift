// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@testable import SessionCore

@Suite("Moderation")
struct CoreModerationTests {
    private static func session() -> (CoreScenario, stream: String) {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob", .subscriber)
        scenario.subscribe("bob", "s", stream)
        scenario.join("mod", .moderator)
        for client in ["alice", "bob", "mod"] { _ = scenario.inbox(client) }
        return (scenario, stream)
    }

    private static func connection(_ scenario: CoreScenario, _ client: String) -> String {
        scenario.connection(client)
    }

    @Test("a moderator ends a stream; its publisher hears of it as everyone does, and stays")
    func forceUnpublish() {
        var (scenario, stream) = Self.session()
        scenario.send("mod", .forceUnpublish(.init(stream: stream)))
        let gone = ServerMessage.Body.streamDestroyed(.init(id: stream, reason: "forced"))
        #expect(scenario.bodies("mod") == [gone, .done])
        #expect(scenario.bodies("alice") == [gone])
        #expect(scenario.bodies("bob") == [gone])
        #expect(scenario.core.endpoints.isEmpty && scenario.core.legs.isEmpty)
        #expect(scenario.core.clients.count == 3)
        #expect(scenario.publish("alice", "cam2") != "unpublished")
    }

    @Test("a publisher that watches its own stream hears of its end once")
    func ownStream() {
        var (scenario, stream) = Self.session()
        scenario.subscribe("alice", "own", stream)
        _ = scenario.inbox("alice")
        scenario.send("mod", .forceUnpublish(.init(stream: stream)))
        #expect(scenario.bodies("alice") == [.streamDestroyed(.init(id: stream, reason: "forced"))])
    }

    @Test("a moderator puts someone out, with all that is theirs")
    func forceDisconnect() {
        var (scenario, stream) = Self.session()
        let connection = Self.connection(scenario, "alice")
        scenario.send("mod", .forceDisconnect(.init(connection: connection)))
        #expect(scenario.bodies("alice") == [.goodbye(.init(reason: "forced"))])
        #expect(scenario.closed["alice"] == .forced)
        #expect(
            scenario.bodies("bob") == [
                .streamDestroyed(.init(id: stream, reason: "forced")),
                .connectionDestroyed(.init(id: connection, reason: "forced")),
            ])
        #expect(scenario.bodies("mod").last == .done)
        #expect(scenario.core.clients.count == 2)
    }

    @Test(
        "whoever has come back on another socket is put out there, and not on the one before",
        arguments: [true, false])
    func forceDisconnectAfterResumption(noticed: Bool) {
        var (scenario, _) = Self.session()
        var carol = ResumableClient("carol")
        _ = scenario.join(&carol)
        let (connection, before) = (Self.connection(scenario, carol.socket), carol.socket)
        if noticed { scenario.disconnect(before) }
        _ = scenario.resume(&carol)
        scenario.send("mod", .forceDisconnect(.init(connection: connection)))
        #expect(scenario.bodies(carol.socket) == [.goodbye(.init(reason: "forced"))])
        #expect(scenario.closed[carol.socket] == .forced)
        #expect(scenario.closed[before] == (noticed ? nil : .replaced))
        #expect(scenario.core.clients.count == 3 && scenario.core.resumptions.isEmpty)
        scenario.disconnect(carol.socket)
        #expect(scenario.core.owners.isEmpty)
    }

    @Test("others may not, and are refused; what is not there is said to be not there")
    func refusals() {
        var (scenario, stream) = Self.session()
        let connection = Self.connection(scenario, "alice")
        for client in ["alice", "bob"] {
            scenario.send(client, .forceUnpublish(.init(stream: stream)))
            scenario.send(client, .forceDisconnect(.init(connection: connection)))
            #expect(scenario.errors(client) == [.forbidden, .forbidden])
        }
        scenario.send("mod", .forceUnpublish(.init(stream: "none")))
        scenario.send("mod", .forceDisconnect(.init(connection: "none")))
        scenario.send("mod", .forceDisconnect(.init(connection: Self.connection(scenario, "mod"))))
        #expect(scenario.errors("mod") == [.unknownStream, .unknownConnection, .malformed])
        #expect(scenario.core.clients.count == 3 && scenario.core.endpoints.count == 2)
    }
}
