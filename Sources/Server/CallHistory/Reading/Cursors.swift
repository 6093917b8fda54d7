// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The numbers that stand in a ``PageCursor``, which are how a store writes down a place.
package protocol StoreCursor {
    /// What stands before them.
    static var prefix: String { get }
    /// Numbers in one.
    static var count: Int { get }
    /// As many as there are in one.
    var numbers: [Int64] { get }
    /// - Parameter numbers: As many as there are in one.
    init?(numbers: [Int64])
}

extension StoreCursor {
    /// Nothing, as a rule.
    package static var prefix: String { "" }

    /// Reads one; `nil` if there is none.
    ///
    /// - Throws: ``ForeignCursor`` if it is another one's.
    package static func read(_ cursor: PageCursor?) throws(ForeignCursor) -> Self? {
        guard let cursor else { return nil }
        guard cursor.rawValue.hasPrefix(prefix) else { throw ForeignCursor() }
        let parts = cursor.rawValue.dropFirst(prefix.count).split(
            separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.prefix(count + 1).compactMap { Int64($0) }
        guard parts.count == count, numbers.count == count, let read = Self(numbers: numbers) else {
            throw ForeignCursor()
        }
        return read
    }

    /// For whoever asks for what follows.
    package var cursor: PageCursor? {
        PageCursor(rawValue: Self.prefix + numbers.map(String.init).joined(separator: "."))
    }
}

/// A place in the order in which rows came: the last row's id, or 0 before the first.
package struct ArrivalCursor: StoreCursor {
    package static let count = 1
    package static let start = Self(id: 0)

    package let id: Int64

    package var numbers: [Int64] { [id] }

    package init(id: Int64) { self.id = id }

    package init?(numbers: [Int64]) {
        guard numbers[0] >= 0 else { return nil }
        id = numbers[0]
    }
}

/// A place in a list that is sorted by time.
package struct TimeCursor: StoreCursor {
    package static let count = 2

    /// Unix ms.
    package let time: Int64
    package let id: Int64

    package var numbers: [Int64] { [time, id] }

    package init(time: Int64, id: Int64) {
        self.time = time
        self.id = id
    }

    package init?(numbers: [Int64]) { self.init(time: numbers[0], id: numbers[1]) }
}

/// A place in a session's minutes.
package struct MinuteCursor: StoreCursor {
    package static let count = 3

    /// Minutes since 1970.
    package let minute: Int64
    package let flow: Int64
    package let observer: Int64

    package var numbers: [Int64] { [minute, flow, observer] }

    package init(minute: Int64, flow: Int64, observer: Int64) {
        self.minute = minute
        self.flow = flow
        self.observer = observer
    }

    package init?(numbers: [Int64]) { self.init(minute: numbers[0], flow: numbers[1], observer: numbers[2]) }
}
