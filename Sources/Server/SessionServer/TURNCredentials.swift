// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Crypto
import Foundation
import SessionWire

/// A TURN server whose credentials the session server makes, one for each client.
///
/// The scheme is coturn's `use-auth-secret`, an expired Internet draft that TURN servers share
/// (draft-uberti-behave-turn-rest): the name is the Unix time at which it expires and the client, the
/// password the HMAC-SHA1 of the name with a secret that both servers know. So the TURN server need not ask
/// anyone.
package struct TURNConfiguration: Sendable, Equatable {
    /// Such as `turn:turn.example.com:3478?transport=udp`.
    package var urls: [String]
    /// `static-auth-secret` of the TURN server.
    package var secret: String
    /// How long credentials last; a call's new allocations fail after that.
    ///
    /// Two hours.
    package var lifetime = Self.defaultLifetime

    /// Default lifetime of credentials.
    package static let defaultLifetime: Duration = .seconds(7200)

    /// Names a server.
    package init(urls: [String], secret: String, lifetime: Duration = Self.defaultLifetime) {
        self.urls = urls
        self.secret = secret
        self.lifetime = lifetime
    }

    /// What a client is sent.
    ///
    /// - Parameters:
    ///   - client: Its name; a colon would end it.
    ///   - unixTime: Now, in ms.
    func server(for client: String, at unixTime: Double) -> ICEServer {
        let expiry = Int64((unixTime / 1000).rounded(.down)) + Int64(lifetime.seconds)
        let name = "\(expiry):\(client)"
        let code = HMAC<Insecure.SHA1>.authenticationCode(
            for: Data(name.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return ICEServer(
            urls: urls, username: name, credential: Data(code).base64EncodedString())
    }
}
