// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Makes names that nobody else has: 80 random bits each.
package struct IDSource: Sendable {
    private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")
    private static let length = 16
    private var generator: any RandomNumberGenerator & Sendable

    /// - Parameter generator: Where the chance comes from; nobody may guess it.
    package init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = generator
    }

    /// The next name.
    mutating func next() -> String {
        String(
            (0..<Self.length).map { _ in
                Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &generator)]
            })
    }
}
