// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// The name and password of HTTP Basic authentication.
struct BasicCredentials: Sendable {
    let name: String
    let password: String

    init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    /// Reads the value of an `Authorization` field; `nil` if it holds none.
    init?(authorization: String?) {
        guard let authorization, authorization.utf8.count <= 4096,
            let space = authorization.firstIndex(of: " "),
            authorization[..<space].lowercased() == "basic",
            let data = Data(base64Encoded: authorization[space...].drop { $0 == " " }.description),
            let text = String(data: data, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else { return nil }
        name = String(text[..<colon])
        password = String(text[text.index(after: colon)...])
    }

    /// Whether both are equal, in constant time.
    func matches(_ other: BasicCredentials) -> Bool {
        let name = Self.isEqual(name, other.name)
        let password = Self.isEqual(password, other.password)
        return name && password
    }

    /// Whether two secrets are equal, in a time that only the wanted one's length determines.
    static func isEqual(_ given: String, _ wanted: String) -> Bool {
        let given = Array(given.utf8)
        let wanted = Array(wanted.utf8)
        var difference = given.count ^ wanted.count
        for index in wanted.indices {
            let byte = given.isEmpty ? 0 : given[index % given.count]
            difference |= Int(byte ^ wanted[index])
        }
        return difference == 0
    }
}
