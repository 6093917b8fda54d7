// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Crypto
import Foundation
import SessionCore

/// How people's names are stored.
///
/// A keyed hash stands for a name, so that whoever knows the name and asks the server finds what it has of
/// that person, and no one else learns the name from the store.
struct ParticipantNames: Sendable {
    private let key: SymmetricKey
    /// Whether names are stored in clear as well.
    let keepsNames: Bool

    init(secret: String, keepsNames: Bool) {
        // Of its own purpose: the hash must not be of use where the secret signs tokens.
        key = SymmetricKey(data: SHA256.hash(data: Data("sightline participants\0\(secret)".utf8)))
        self.keepsNames = keepsNames
    }

    /// Pseudonym of a name; the same for the same name and secret.
    func participant(_ name: String?) -> String? {
        guard let name, !name.isEmpty else { return nil }
        let code = HMAC<SHA256>.authenticationCode(for: Data(name.utf8), using: key)
        return "p" + code.prefix(8).hexDigits
    }

    /// What stands for a participant, given that, the name, or, for a name that looks like what stands for
    /// another, `name:` and the name.
    func participant(given text: String) -> String? {
        if text.hasPrefix(Self.namePrefix) {
            return participant(String(text.dropFirst(Self.namePrefix.count)))
        }
        return Self.isStandIn(text) ? text : participant(text)
    }

    /// Prefix of a literal name, whatever it looks like.
    static let namePrefix = "name:"

    /// Whether a text has exactly the form of what stands for a name.
    static func isStandIn(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "p") && digits.count == 16
            && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// What the core needs of it.
    var stored: StoredNames { StoredNames(keepsNames: keepsNames) { participant($0) } }
}
