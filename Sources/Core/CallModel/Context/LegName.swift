// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What two who speak of a leg call it: a client and the server by the client's name, or by the server's for what it names
/// itself; the server and a media router by the server's.
///
/// In messages it is a text.
package struct LegName: RawRepresentable, Hashable, Sendable, Codable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Names a leg.
    package init(_ name: String) { rawValue = name }
}

extension LegName: ExpressibleByStringInterpolation, CustomStringConvertible {
    package init(stringLiteral value: String) { rawValue = value }

    package var description: String { rawValue }
}

/// In dictionaries it is a key, as a text is.
extension LegName: CodingKeyRepresentable {}

extension LegName: Comparable {
    package static func < (first: LegName, second: LegName) -> Bool { first.rawValue < second.rawValue }
}
