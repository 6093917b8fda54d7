// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

/// The numbers that stand in a ``CallHistory/PageCursor``, which are how this store writes down a place.
protocol StoreCursor {
    /// Numbers in one.
    static var count: Int { get }
    /// As many as there are in one.
    var numbers: [Int64] { get }
    /// - Parameter numbers: As many as there are in one.
    init?(numbers: [Int64])
}

extension StoreCursor {
    /// Reads one; `nil` if there is none.
    ///
    /// - Throws: ``ForeignCursor`` if it is another one's.
    static func read(_ cursor: PageCursor?) throws(ForeignCursor) -> Self? {
        guard let cursor else { return nil }
        let parts = cursor.rawValue.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.prefix(count + 1).compactMap { Int64($0) }
        guard parts.count == count, numbers.count == count, let read = Self(numbers: numbers) else {
            throw ForeignCursor()
        }
        return read
    }

    /// For whoever asks for what follows.
    var cursor: PageCursor? { PageCursor(rawValue: numbers.map(String.init).joined(separator: ".")) }
}

/// A place in the order in which rows came: the last row's id, or 0 before the first.
struct ArrivalCursor: StoreCursor {
    static let count = 1
    static let start = Self(id: 0)

    let id: Int64

    var numbers: [Int64] { [id] }

    init(id: Int64) { self.id = id }

    init?(numbers: [Int64]) {
        guard numbers[0] >= 0 else { return nil }
        id = numbers[0]
    }
}

/// A place in a list that is sorted by time.
struct TimeCursor: StoreCursor {
    static let count = 2

    /// Unix ms.
    let time: Int64
    let id: Int64

    var numbers: [Int64] { [time, id] }

    init(time: Int64, id: Int64) {
        self.time = time
        self.id = id
    }

    init?(numbers: [Int64]) { self.init(time: numbers[0], id: numbers[1]) }
}

/// A place in a session's minutes.
struct MinuteCursor: StoreCursor {
    static let count = 3

    /// Minutes since 1970.
    let minute: Int64
    let flow: Int64
    let observer: Int64

    var numbers: [Int64] { [minute, flow, observer] }

    init(minute: Int64, flow: Int64, observer: Int64) {
        self.minute = minute
        self.flow = flow
        self.observer = observer
    }

    init?(numbers: [Int64]) { self.init(minute: numbers[0], flow: numbers[1], observer: numbers[2]) }
}
