// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Makes names that no one else has: 80 random bits each.
package struct IDSource: Sendable {
    static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")
    static let length = 16
    private var generator: any RandomNumberGenerator & Sendable

    /// - Parameter generator: Where the chance comes from; no one may guess it.
    package init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = generator
    }

    /// A source of other names, for the session of this number.
    func fork(for session: SessionNumber) -> IDSource {
        IDSource(ForkedGenerator(generator: generator, offset: session.rawValue &* 0x9E37_79B9_7F4A_7C15))
    }

    /// The next name.
    mutating func next() -> String {
        String(
            (0..<Self.length).map { _ in
                Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &generator)]
            })
    }
}

/// As random as the generator that it was forked from, and another sequence even if that one's is fixed.
private struct ForkedGenerator: RandomNumberGenerator, Sendable {
    var generator: any RandomNumberGenerator & Sendable
    /// Not 0.
    let offset: UInt64

    mutating func next() -> UInt64 { generator.next() &+ offset }
}
