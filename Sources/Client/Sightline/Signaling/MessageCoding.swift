// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionWire

/// Messages to and from text.
enum MessageCoding {
    /// The message as JSON.
    static func text(_ message: ClientMessage) throws -> String {
        let encoder = JSONEncoder()
        // Members in the same order each time: what packs messages finds the last one again.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return String(decoding: try encoder.encode(message), as: UTF8.self)
    }

    /// Reads a message of the server; `nil` if this version does not know its type or cannot read it.
    static func message(_ text: String) -> ServerMessage? {
        try? JSONDecoder().decode(ServerMessage.self, from: Data(text.utf8))
    }

    /// The request that an answer belongs to, also of an answer that cannot be read otherwise.
    static func answered(_ text: String) -> Int? {
        envelope(text)?.re
    }

    /// The place of a message among the server's; `nil` if it has none.
    static func number(_ text: String) -> Int? { envelope(text)?.seq }

    private struct Envelope: Decodable {
        var re: Int?
        var seq: Int?
    }

    private static func envelope(_ text: String) -> Envelope? {
        try? JSONDecoder().decode(Envelope.self, from: Data(text.utf8))
    }
}
