// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which sessions are asked for; what is `nil` does not narrow.
public struct SessionQuery: Sendable, Equatable {
    /// Only those that had not ended by then, Unix ms.
    public var from: Double?
    /// Only those that had begun by then, Unix ms.
    public var to: Double?
    /// Only those in which this participant was; see ``ConnectionRecord/participant``.
    public var participant: String?
    /// Only those whose worst condition was this one or a worse one.
    public var condition: String?
    /// Only those that go on, or only those that have ended.
    public var isLive: Bool?
    /// At most so many, the newest first.
    public var limit = 50
    /// Where an earlier page ended.
    public var cursor: PageCursor?

    /// Everything.
    public init() {}
}

/// Which part of a session is asked for; what is `nil` does not narrow.
public struct WindowQuery: Sendable, Equatable {
    /// The session.
    public var session: String
    /// One of its connections.
    public var connection: String?
    /// One of its participants; see ``ConnectionRecord/participant``.
    public var participant: String?
    /// One of its streams.
    public var stream: String?
    /// `publisher` or `subscriber`.
    public var role: String?
    /// Who measured.
    public var observer: Observer?
    /// From then on, Unix ms.
    public var from: Double?
    /// Up to then, Unix ms.
    public var to: Double?
    /// At most so many, in the order in which they came.
    public var limit = 1000
    /// Where an earlier page ended.
    public var cursor: Int64?

    /// All of a session.
    public init(session: String) { self.session = session }
}

/// A place in a list that is sorted by time.
public struct PageCursor: Sendable, Equatable, LosslessStringConvertible {
    var time: Int64
    var id: Int64

    init(time: Int64, id: Int64) {
        self.time = time
        self.id = id
    }

    /// Reads ``description``; `nil` if it is none.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), let id = Int64(parts[1]) else { return nil }
        self.init(time: time, id: id)
    }

    /// As it stands in an address.
    public var description: String { "\(time)-\(id)" }
}

/// Some rows of many.
public struct StorePage<Item: Sendable & Codable & Equatable>: Sendable, Codable, Equatable {
    /// The rows.
    public var items: [Item]
    /// The cursor of what follows; `nil` at the end of a list that has one.
    public var next: String?

    /// Makes a page.
    public init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}
