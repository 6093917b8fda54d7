// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What an offer to pack the messages of a WebSocket, or the answer to one, says: permessage-deflate (RFC 7692).
package struct DeflateParameters: Sendable {
    /// The field of requests and answers that speaks of it.
    package static let field = "Sec-WebSocket-Extensions"
    package static let name = "permessage-deflate"
    /// What a window may have, bits; zlib packs with none of fewer.
    package static let windows = 9...15

    /// In lower case, each once, in their order; a value is `nil` where there is none.
    package let parameters: [(name: String, value: String?)]

    /// Reads one offer, or the answer; `nil` if it is about something else, or makes no sense.
    package init?(_ text: some StringProtocol) {
        let plain = String(text).lowercased().filter { $0 != " " && $0 != "\t" }
        let parts = plain.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.first == Self.name[...] else { return nil }
        let parameters: [(name: String, value: String?)] = parts.dropFirst().map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value: String? = pair.count > 1 ? pair[1].filter { $0 != "\"" } : nil
            return (name: String(pair[0]), value: value)
        }
        guard Set(parameters.map { $0.name }).count == parameters.count else { return nil }
        self.parameters = parameters
    }
}
