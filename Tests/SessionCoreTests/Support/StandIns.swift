// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

@testable import SessionCore

extension RestorationSeal {
    /// A seal that only those with the same secret open; it hides nothing.
    static func test(secret: String = "secret \(UInt64.random(in: .min ... .max))") -> RestorationSeal {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return RestorationSeal(
            seal: { claim in
                let body = (try? encoder.encode(claim)) ?? Data()
                return "\(body.base64EncodedString()).\(secret)"
            },
            open: { token in
                guard token.hasSuffix(".\(secret)"),
                    let body = Data(base64Encoded: String(token.dropLast(secret.count + 1)))
                else { return nil }
                return try? JSONDecoder().decode(Claim.self, from: body)
            })
    }
}

extension StoredNames {
    /// What stands for a name says it and the secret.
    static func test(secret: String, keepsNames: Bool) -> StoredNames {
        StoredNames(keepsNames: keepsNames) { name in name.map { "\(secret): \($0)" } }
    }
}
