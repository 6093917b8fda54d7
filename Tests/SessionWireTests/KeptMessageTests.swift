// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionWire
import TestSupport
import Testing

@Suite("Messages of released versions")
struct KeptMessageTests {
    private struct Line {
        let name: String
        let isClients: Bool
        let message: [String: Any]
    }

    private static func messages(_ release: KeptRelease) throws -> [Line] {
        try release.lines("messages.jsonl").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            return Line(
                name: object["name"] as? String ?? "", isClients: object["from"] as? String == "client",
                message: object["message"] as? [String: Any] ?? [:])
        }
    }

    @Test("are read, and what they say is said by this version's, too", arguments: KeptRelease.all)
    func read(release: KeptRelease) throws {
        let messages = try Self.messages(release)
        #expect(messages.count > 60)
        for line in messages {
            let json = try JSONSerialization.data(withJSONObject: line.message)
            let again: [UInt8]
            if line.isClients {
                again = Array(try ClientMessage(json: Array(json)).validated().json())
            } else {
                again = Array(try ServerMessage(json: Array(json)).json())
            }
            let written = try JSONSerialization.jsonObject(with: Data(again))
            #expect(KeptRelease.lost(line.message, in: written) == [], "\(line.name)")
        }
    }
}
