// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Crypto
import Foundation
import SessionProtocol

/// Makes tokens that a client keeps for the server: what it had, so that a server that was started anew can
/// give it back to the same client and to nobody else.
///
/// A token is its claim, in base64, and a keyed hash of it.
struct RestorationSeal: Sendable {
    /// What a token says.
    struct Claim: Sendable, Equatable, Codable {
        /// What was had.
        enum Thing: String, Sendable, Codable { case connection, stream }

        var thing: Thing
        /// The run of the server that gave it.
        var instance: String
        var session: String
        var mediaMode: MediaMode
        /// The client's connection.
        var connection: String
        /// The connection, or the stream that it published.
        var id: String
        /// When that was made, Unix ms.
        var creationTime: Double
        /// The id of the token that the client has joined with.
        var grant: String
        /// When it was given, Unix ms.
        var issued: Double
        /// Nobody can guess it.
        var nonce: String
    }

    private let key: SymmetricKey

    /// A seal that nobody else has.
    init() {
        key = SymmetricKey(size: .bits256)
    }

    /// - Parameter secret: The application's; servers with the same one believe each other's tokens.
    init(secret: String) {
        let purpose = Data("sightline restoration".utf8)
        let code = HMAC<SHA256>.authenticationCode(for: purpose, using: SymmetricKey(data: Data(secret.utf8)))
        key = SymmetricKey(data: Data(code))
    }

    func seal(_ claim: Claim) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Strings and a finite number can always be written.
        let body = (try? encoder.encode(claim)) ?? Data()
        let code = Data(HMAC<SHA256>.authenticationCode(for: body, using: key))
        return "\(body.base64EncodedString()).\(code.base64EncodedString())"
    }

    /// Reads a token; `nil` if it is none of ours, or was tampered with.
    func open(_ token: String) -> Claim? {
        let parts = token.split(separator: ".")
        guard parts.count == 2, let body = Data(base64Encoded: String(parts[0])),
            let code = Data(base64Encoded: String(parts[1])),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: body, using: key)
        else { return nil }
        return try? JSONDecoder().decode(Claim.self, from: body)
    }
}
