// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// A client as the lobby knows it: how it is reached, and in which session it is.
struct Client: Sendable {
    /// Where a client has joined.
    struct Membership: Sendable {
        let session: SessionID
        let connection: ConnectionID
        /// Whether its connection is one of an earlier run of the server.
        let isRestored: Bool
    }

    let openedAt: Duration
    var link: ClientLink
    /// `nil` until it has joined.
    var membership: Membership?
    /// The ids of its messages; none from before it has joined.
    private(set) var usedIDs = UsedNumbers()
    /// Unreadable messages since the last readable one.
    private var unreadable = 0
    /// Messages of any kind while it had not joined.
    private var messagesBeforeJoin = 0

    init(openedAt: Duration, link: ClientLink) {
        self.openedAt = openedAt
        self.link = link
    }

    /// Takes note of a message that could be read.
    mutating func noteReadable() { unreadable = 0 }

    /// Takes note of a message that could not be read; gives how many there were in a row.
    mutating func noteUnreadable() -> Int {
        unreadable += 1
        return unreadable
    }

    /// Counts a message of a client that has not joined; gives how many there were before.
    mutating func countBeforeJoin() -> Int {
        defer { messagesBeforeJoin += 1 }
        return messagesBeforeJoin
    }

    /// Takes an id into use.
    ///
    /// Of who has not joined nothing is remembered.
    mutating func use(_ id: Int) throws(ServerError) {
        guard (1...SessionProtocol.numberLimit).contains(id) else {
            throw ServerError(.malformed, "\"id\" must be 1 to \(SessionProtocol.numberLimit)")
        }
        guard membership != nil else { return }
        guard usedIDs.insert(id) else {
            throw ServerError(.duplicateId, "the id \(id) has been used before on this socket")
        }
    }
}

// MARK: - What it is sent and sends, if it can come back

extension Client {
    var isResumable: Bool { link.resumable != nil }

    /// Numbers a message and keeps it; gives its number, or `nil` if too many are unconfirmed.
    mutating func number(_ message: ServerMessage) -> Int? { link.resumable?.send(message) }

    /// Takes note of a message's number.
    mutating func receive(_ number: Int, at now: Duration) -> MessageLedger<ServerMessage>.Reception? {
        link.resumable?.receive(number, at: now)
    }

    /// It has got everything up to a number; whether that can be.
    mutating func confirm(_ number: Int) -> Bool { link.resumable?.confirm(number) ?? true }

    /// Messages that have arrived and were not confirmed; 0 for a client that cannot come back.
    var unreported: Int { link.resumable?.ledger.unreported ?? 0 }

    /// How far its messages have arrived; `nil` for a client that cannot come back.
    mutating func report() -> Acknowledgement? { link.resumable?.report() }

    /// What it, which is there again, has not got; `nil` if that is not to be had any more.
    mutating func resume(after number: Int) -> [ServerMessage]? { link.resumable?.resume(after: number) }

    /// Whether what has arrived has waited long enough to be confirmed, and can be.
    func isReportDue(at now: Duration) -> Bool {
        link.socket != nil && link.resumable?.isReportDue(at: now) == true
    }

    /// Whether it has been away since before a moment.
    func isAway(since moment: Duration) -> Bool { link.awaySince.map { $0 <= moment } ?? false }

    /// Ends it: no one waits for it any more.
    ///
    /// - Returns: Its socket, if it has one.
    mutating func end() -> SocketID? {
        link.isOver = true
        return link.socket
    }
}

/// How a client is reached.
struct ClientLink: Sendable {
    /// The socket; `nil` while it has none.
    private(set) var socket: SocketID?
    /// The time at which it lost it.
    private(set) var awaySince: Duration?
    /// Whether the server has ended it: no one waits for it then.
    var isOver = false
    /// `nil` for a client that is gone with its socket.
    var resumable: ResumableLink?

    init(socket: SocketID) { self.socket = socket }

    /// Whether the client is waited for when its socket is lost.
    var canComeBack: Bool { !isOver && resumable?.hasBegun == true }

    /// The socket is lost.
    mutating func detach(at now: Duration) {
        socket = nil
        awaySince = now
    }

    /// The client is there again, on another socket.
    mutating func attach(_ new: SocketID) {
        socket = new
        awaySince = nil
    }
}

/// What lets a client come back on another socket.
struct ResumableLink: Sendable {
    let token: String
    private(set) var ledger: MessageLedger<ServerMessage>
    /// Whether it has shown that it knows its token; no one waits for one that does not.
    private(set) var hasBegun = false

    init(token: String, ledger: MessageLedger<ServerMessage>) {
        self.token = token
        self.ledger = ledger
    }

    /// Numbers a message and keeps it; gives its number, or `nil` if too many are unconfirmed.
    mutating func send(_ message: ServerMessage) -> Int? {
        let numbered = ledger.send(weight: message.weight) { number in
            var message = message
            message.seq = number
            return message
        }
        return numbered?.seq
    }

    /// Takes note of a message of the client's.
    mutating func receive(_ number: Int, at now: Duration) -> MessageLedger<ServerMessage>.Reception {
        hasBegun = true
        return ledger.receive(number, at: now)
    }

    /// The client has got everything up to a number; whether that can be.
    mutating func confirm(_ number: Int) -> Bool {
        hasBegun = true
        return ledger.confirm(number)
    }

    /// Whether what has arrived has waited long enough to be confirmed.
    func isReportDue(at now: Duration) -> Bool {
        ledger.unreportedSince.map { $0 + Acknowledgement.delay <= now } ?? false
    }

    /// The confirmation of what has arrived.
    mutating func report() -> Acknowledgement { ledger.report() }

    /// What the client, which is there again, has not got; `nil` if that is not to be had any more.
    mutating func resume(after number: Int) -> [ServerMessage]? { ledger.resume(after: number) }
}
