// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import TestSupport
import Testing

@testable import CallStore

@Suite("The list of refused tokens")
struct RefusedTokenFileTests {
    private static func token(_ id: String, _ scope: RefusedToken.Scope = .api, end: Double) -> RefusedToken {
        RefusedToken(scope: scope, id: id, end: end)
    }

    @Test("is what it was when it is opened again, whatever the clock says, and its owner's alone")
    func reopened() async throws {
        let folder = try TemporaryFolder()
        let file = try RefusedTokenFile(path: folder.store)
        // Long over; that of a session has the id of the API's, and never ends.
        let tokens = [
            Self.token("a", end: 1000), Self.token("a", .session("s"), end: .infinity),
            Self.token("b", .session("s"), end: 2000),
        ]
        for token in tokens { try await file.add(token) }
        try await file.add(Self.token("gone", end: 0))
        try await file.add(Self.token("a", end: 5000), forgetting: ["gone"])
        file.close()
        #expect(try folder.mode("calls.sqlite") == "600")
        let again = try RefusedTokenFile(path: folder.store)
        let known = try await again.tokens()
        #expect(known.count == 3)
        #expect(known.first { $0.scope == .api } == Self.token("a", end: 5000))
        #expect(Set(known.filter { $0.scope == .session("s") }.map(\.id)) == ["a", "b"])
        again.close()
    }

    @Test("that is damaged is neither opened nor replaced: what was revoked would be good again")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let file = try RefusedTokenFile(path: folder.store)
        for number in 0..<1000 { try await file.add(Self.token("token \(number)", end: 1000)) }
        file.close()
        var bytes = try Data(contentsOf: URL(filePath: folder.store))
        bytes.replaceSubrange(4096..<bytes.count, with: Data(repeating: 0xA5, count: bytes.count - 4096))
        try bytes.write(to: URL(filePath: folder.store))
        do {
            _ = try RefusedTokenFile(path: folder.store)
            Issue.record("it was opened")
        } catch {
            #expect(error.description.contains("cannot be read") && error.description.contains(folder.store))
        }
        #expect(try Data(contentsOf: URL(filePath: folder.store)) == bytes)
    }
}
