// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Some rows of many.
package struct StorePage<Item: Sendable>: Sendable {
    /// The rows.
    package var items: [Item]
    /// Where the page ended, for asking what follows; `nil` at the end of a list that has one.
    package var next: PageCursor?

    /// Creates a page.
    package init(items: [Item], next: PageCursor?) {
        self.items = items
        self.next = next
    }
}

extension StorePage: Equatable where Item: Equatable {}
extension StorePage: Codable where Item: Codable {}

/// Where a page ended, as the store that made it wrote it down; no one else can read it.
package struct PageCursor: RawRepresentable, Sendable, Hashable, Codable {
    /// Longest ``rawValue``, bytes of UTF-8.
    package static let limit = 100

    /// As it stands in an address.
    package let rawValue: String

    /// Takes what may have been one; `nil` if it is empty or longer than ``limit``.
    package init?(rawValue: String) {
        guard (1...Self.limit).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }
}

/// A ``PageCursor`` that is none of this list of this store.
package struct ForeignCursor: Error {
    /// Says no more than that.
    package init() {}
}
