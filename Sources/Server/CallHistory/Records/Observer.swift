// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Who measured a sample.
package enum Observer: Int64, VocabularyWord {
    /// The client itself, or the server from the client's raw report.
    case client = 0
    /// The media router's end of the client's peer connection.
    case router = 1

    /// How it is written.
    package var name: String { self == .client ? "client" : "router" }

    /// Reads a name; `nil` if it is none.
    package init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// Writes its name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    /// Reads its name.
    ///
    /// - Throws: `DecodingError` if it is none.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let match = Self(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no such observer")
        }
        self = match
    }
}
