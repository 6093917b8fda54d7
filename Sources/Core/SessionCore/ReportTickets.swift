// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Messages of participants of observed calls that are not answered yet: of how much it is to be known whether it is stored.
///
/// A message says several things, of which some are stored at once, and some once it is known whose they are. It may say once more
/// what another one has said; then it waits for that. Pure, and bounded by what waits to be stored.
struct ReportTickets: Sendable {
    /// How long whoever has sent a message waits for its answer: less than pages, uploaders and other nodes wait for one.
    static let longestWait: Duration = .seconds(8)
    /// The same once the server is about to end.
    static let longestWaitAtEnd: Duration = .seconds(1)
    /// Dropped messages that are remembered at least.
    static let memory = 10_000

    private struct Message {
        /// Of which it is not known whether they are stored: what it says itself, and what it has in common with others.
        var parts = 1
        /// Those of other messages, among them.
        var common = 0
        var isDropped = false
        var isAnswered = false
        /// Those that say once more what it says.
        var followers: [ReportTicket] = []
    }

    /// A part of a message, of which it is known by now whether it is stored.
    private struct Part {
        let message: ReportTicket
        let isStored: Bool
        /// Whether another one has said it first.
        let isCommon: Bool
    }

    var longestWait = Self.longestWait
    private var lastNumber: UInt64 = 0
    private var open: [ReportTicket: Message] = [:]
    /// When each has come, the first one first.
    private var queue: [(ticket: ReportTicket, since: Duration)] = []
    private var outcomes: [(ReportTicket, ReportOutcome)] = []
    private var dropped: Set<ReportTicket> = []
    /// The same in their order.
    private var droppedInOrder: [ReportTicket] = []

    /// Messages of which something is not stored.
    var count: Int { open.count }

    /// A message has come, of which everything that it says is still to be handed in.
    mutating func begin(at now: Duration) -> ReportTicket {
        lastNumber += 1
        let ticket = ReportTicket(number: lastNumber)
        open[ticket] = Message()
        queue.append((ticket, now))
        return ticket
    }

    /// All that a message says was handed in.
    ///
    /// - Returns: How it is to be answered; `nil` if that is not known yet.
    mutating func finish(_ ticket: ReportTicket) -> ReportOutcome? {
        settle(ticket, isStored: true)
        guard open[ticket] == nil, let place = outcomes.firstIndex(where: { $0.0 == ticket }) else {
            return nil
        }
        return outcomes.remove(at: place).1
    }

    /// One more part of a message is to be stored.
    mutating func add(to ticket: ReportTicket) { open[ticket]?.parts += 1 }

    /// A message says once more what another one has said first: it waits for that.
    mutating func follow(_ former: ReportTicket, by ticket: ReportTicket) {
        guard former != ticket, open[ticket] != nil else { return }
        guard let followers = open[former]?.followers else {
            if dropped.contains(former) { open[ticket]?.isDropped = true }
            return
        }
        guard followers.last != ticket else { return }
        // Those of who comes again and again are answered by and by.
        let waiting = followers.filter { open[$0] != nil }
        open[former]?.followers = waiting + [ticket]
        open[ticket]?.parts += 1
        open[ticket]?.common += 1
    }

    /// A part of a message is stored, or was dropped.
    mutating func settle(_ ticket: ReportTicket, isStored: Bool) {
        settle([Part(message: ticket, isStored: isStored, isCommon: false)])
    }

    /// A message is not stored here, and whoever has sent it is to send it again, to whoever has the call by now; so are those that
    /// say once more what it says.
    mutating func abandon(_ ticket: ReportTicket) {
        var tickets = [ticket]
        while let next = tickets.popLast() {
            guard let message = open.removeValue(forKey: next) else { continue }
            if !message.isAnswered { outcomes.append((next, .late)) }
            tickets += message.followers
        }
    }

    /// - Parameter parts: A list, for followers may have followers without end.
    private mutating func settle(_ parts: [Part]) {
        var work = parts
        while let part = work.popLast() {
            guard var message = open[part.message] else { continue }
            message.parts -= 1
            if part.isCommon { message.common -= 1 }
            if !part.isStored { message.isDropped = true }
            open[part.message] = message
            guard message.parts == 0 else { continue }
            if !message.isAnswered {
                outcomes.append((part.message, message.isDropped ? .dropped : .stored))
            }
            work += end(part.message, message)
        }
    }

    /// Has those answered that have waited long enough.
    mutating func expire(at now: Duration) {
        let due = queue.prefix { open[$0.ticket] == nil || $0.since + longestWait <= now }
        queue.removeFirst(due.count)
        for (ticket, _) in due {
            guard var message = open[ticket] else { continue }
            message.isAnswered = true
            open[ticket] = message
            outcomes.append((ticket, .late))
            // Of one of which nothing of its own is under way no one asks any more.
            if message.parts == message.common { settle(end(ticket, message)) }
        }
    }

    /// Nothing more is to be known of a message.
    ///
    /// - Returns: What others have in common with it.
    private mutating func end(_ ticket: ReportTicket, _ message: Message) -> [Part] {
        open[ticket] = nil
        if message.isDropped { remember(ticket) }
        return message.followers.map {
            Part(message: $0, isStored: !message.isDropped, isCommon: true)
        }
    }

    /// Takes out what is known by now of how messages are to be answered.
    mutating func takeOutcomes() -> [(ReportTicket, ReportOutcome)] {
        defer { outcomes = [] }
        return outcomes
    }

    private mutating func remember(_ ticket: ReportTicket) {
        dropped.insert(ticket)
        droppedInOrder.append(ticket)
        guard droppedInOrder.count >= 2 * Self.memory else { return }
        dropped.subtract(droppedInOrder.prefix(Self.memory))
        droppedInOrder.removeFirst(Self.memory)
    }
}
