// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A name that the server has given to something.
package protocol ServerName: RawRepresentable, Hashable, Sendable, Codable, Comparable
where RawValue == String {
    init(rawValue: String)
}

extension ServerName {
    package init(_ name: String) { self.init(rawValue: name) }

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// A session's name.
package struct SessionID: ServerName {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// A stream's name.
package struct StreamID: ServerName {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// A connection's name: that of a client in its session.
package struct ConnectionID: ServerName {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}
