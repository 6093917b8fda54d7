// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// Makes tokens that a client keeps for the server: what it had, so that a server that was restarted can give it back
/// to the same client and to no one else.
///
/// How a token is sealed is a matter of whoever makes the core.
package struct RestorationSeal: Sendable {
    /// What a token says.
    package struct Claim: Sendable, Equatable, Codable {
        /// What was had.
        package enum Subject: String, Sendable, Codable { case connection, stream }

        package var subject: Subject
        /// The run of the server that gave it.
        package var instance: String
        package var session: String
        package var mediaMode: MediaMode
        /// The client's connection.
        package var connection: String
        /// The connection, or the stream that it published.
        package var id: String
        /// When that was made, Unix ms.
        package var creationTime: Double
        /// The id of the token that the client has joined with.
        package var grant: String
        /// When it was given, Unix ms.
        package var issued: Double
        /// No one can guess it.
        package var nonce: String
    }

    /// Makes a token that no one else can make.
    package let seal: @Sendable (Claim) -> String
    /// Reads a token; `nil` if it is none of ours, or was tampered with.
    package let open: @Sendable (String) -> Claim?

    package init(
        seal: @escaping @Sendable (Claim) -> String, open: @escaping @Sendable (String) -> Claim?
    ) {
        self.seal = seal
        self.open = open
    }
}
