// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Crypto
import Foundation
import SessionCore

extension RestorationSeal {
    /// A seal whose token is its claim, in base64, and a keyed hash of it.
    ///
    /// - Parameter secret: The application's; servers with the same one believe each other's tokens.
    init(secret: String) {
        let purpose = Data("sightline restoration".utf8)
        let code = HMAC<SHA256>.authenticationCode(for: purpose, using: SymmetricKey(data: Data(secret.utf8)))
        let key = SymmetricKey(data: Data(code))
        self.init(seal: { Self.seal($0, key) }, open: { Self.open($0, key) })
    }

    private static func seal(_ claim: Claim, _ key: SymmetricKey) -> String {
        // Strings and a finite number can always be written.
        let body = (try? JSONEncoder.sorted.encode(claim)) ?? Data()
        let code = Data(HMAC<SHA256>.authenticationCode(for: body, using: key))
        return "\(body.base64EncodedString()).\(code.base64EncodedString())"
    }

    private static func open(_ token: String, _ key: SymmetricKey) -> Claim? {
        let parts = token.split(separator: ".")
        guard parts.count == 2, let body = Data(base64Encoded: String(parts[0])),
            let code = Data(base64Encoded: String(parts[1])),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: body, using: key)
        else { return nil }
        return try? JSONDecoder().decode(Claim.self, from: body)
    }
}
