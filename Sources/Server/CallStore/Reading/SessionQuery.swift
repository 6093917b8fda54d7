// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which sessions are asked for; what is `nil` does not narrow.
package struct SessionQuery: Sendable, Equatable {
    /// Only those that had not ended by then, Unix ms.
    package var from: Double?
    /// Only those that had begun by then, Unix ms.
    package var to: Double?
    /// Only those in which this participant was; see ``ConnectionRecord/participant``.
    package var participant: String?
    /// Only those whose worst condition was this one or a worse one.
    package var condition: String?
    /// Only those that go on, or only those that have ended.
    package var isLive: Bool?
    /// At most this many, the newest first.
    package var limit = 50
    /// Where an earlier page ended.
    package var cursor: PageCursor?

    /// Everything.
    package init() {}
}

/// Which part of a session is asked for; what is `nil` does not narrow.
package struct WindowQuery: Sendable, Equatable {
    /// The session.
    package var session: String
    /// One of its connections.
    package var connection: String?
    /// One of its participants; see ``ConnectionRecord/participant``.
    package var participant: String?
    /// One of its streams.
    package var stream: String?
    /// `publisher` or `subscriber`.
    package var role: String?
    /// Who measured.
    package var observer: Observer?
    /// From then on, Unix ms.
    package var from: Double?
    /// Up to then, Unix ms.
    package var to: Double?
    /// At most this many, in the order in which they came.
    package var limit = 1000
    /// Where an earlier page ended.
    package var cursor: Int64?
    /// Where an earlier page of minutes ended.
    package var minuteCursor: MinuteCursor?

    /// All of a session.
    package init(session: String) { self.session = session }
}

/// A place in a list that is sorted by time.
package struct PageCursor: Sendable, Equatable, LosslessStringConvertible {
    var time: Int64
    var id: Int64

    init(time: Int64, id: Int64) {
        self.time = time
        self.id = id
    }

    /// Reads ``description``; `nil` if it is none.
    package init?(_ description: String) {
        let parts = description.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), let id = Int64(parts[1]) else { return nil }
        self.init(time: time, id: id)
    }

    /// As it stands in an address.
    package var description: String { "\(time)-\(id)" }
}

/// A place in a session's minutes.
package struct MinuteCursor: Sendable, Equatable, LosslessStringConvertible {
    var minute: Int64
    var flow: Int64
    var observer: Int64

    init(minute: Int64, flow: Int64, observer: Int64) {
        self.minute = minute
        self.flow = flow
        self.observer = observer
    }

    /// Reads ``description``; `nil` if it is none.
    package init?(_ description: String) {
        let parts = description.split(separator: ".", maxSplits: 2).map { Int64($0) }
        guard parts.count == 3, let minute = parts[0], let flow = parts[1], let observer = parts[2] else {
            return nil
        }
        self.init(minute: minute, flow: flow, observer: observer)
    }

    /// As it stands in an address.
    package var description: String { "\(minute).\(flow).\(observer)" }
}

/// Some rows of many.
package struct StorePage<Item: Sendable & Codable & Equatable>: Sendable, Codable, Equatable {
    /// The rows.
    package var items: [Item]
    /// The cursor of what follows; `nil` at the end of a list that has one.
    package var next: String?

    /// Creates a page.
    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}
