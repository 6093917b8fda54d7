// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A session's name that says at which node it began, so that no one has to be asked for most.
package struct SessionName: Sendable, Hashable {
    /// What stands for a node in names.
    package struct Tag: Sendable, Hashable {
        /// Characters of one.
        package static let length = 2

        /// Those characters.
        package let text: String

        /// Reads one; `nil` if it is none.
        package init?(_ text: some StringProtocol) {
            guard text.utf8.count == Self.length, text.allSatisfy(IDSource.alphabet.contains) else {
                return nil
            }
            self.text = String(text)
        }

        /// Every one.
        package static var all: [Tag] {
            IDSource.alphabet.flatMap { first in
                IDSource.alphabet.compactMap { second in Tag("\(first)\(second)") }
            }
        }
    }

    /// The whole name.
    package let text: String

    /// Names a session that begins at a node.
    ///
    /// - Parameter id: What no other session is called.
    package init(id: String, home: Tag) { text = id + home.text }

    /// Takes the name of a session, which may be one that an application chose.
    package init(_ text: String) { self.text = text }

    /// The node at which it began; `nil` if the name does not say so.
    package var home: Tag? {
        guard text.utf8.count == IDSource.length + Tag.length, text.allSatisfy(IDSource.alphabet.contains)
        else { return nil }
        return Tag(text.suffix(Tag.length))
    }
}
