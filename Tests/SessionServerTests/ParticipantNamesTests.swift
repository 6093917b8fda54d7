// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import SessionServer

@Suite("What stands for names")
struct ParticipantNamesTests {
    private static let names = ParticipantNames(secret: TestServer.secret, keepsNames: false)

    @Test("is taken as it is, and a name by its hash")
    func given() throws {
        let standIn = try #require(Self.names.participant("Alice"))
        #expect(Self.names.participant(given: "Alice") == standIn)
        #expect(Self.names.participant(given: standIn) == standIn)
    }

    @Test("is another one for another name or secret")
    func different() {
        let other = ParticipantNames(secret: "other", keepsNames: false)
        #expect(Self.names.participant("alice") != Self.names.participant("bob"))
        #expect(Self.names.participant("alice") != other.participant("alice"))
    }

    @Test("can be a person's name too: with its prefix that person is found")
    func lookAlike() throws {
        let lookAlike = "p0123456789abcdef"
        let standIn = try #require(Self.names.participant(lookAlike))
        #expect(Self.names.participant(given: lookAlike) == lookAlike)
        #expect(Self.names.participant(given: "name:\(lookAlike)") == standIn)
        #expect(Self.names.participant(given: "name:Alice") == Self.names.participant("Alice"))
        #expect(Self.names.participant(given: "name:name:x") == Self.names.participant("name:x"))
        #expect(Self.names.participant(given: "name:") == nil && Self.names.participant(given: "") == nil)
    }

    @Test(
        "has exactly one form; what differs from it is a name",
        arguments: [
            "P0123456789abcdef", "p0123456789ABCDEF", "p0123456789abcde", "p0123456789abcdef0",
            "p０123456789abcd",
        ])
    func form(text: String) {
        #expect(Self.names.participant(given: text) == Self.names.participant(text))
    }
}
