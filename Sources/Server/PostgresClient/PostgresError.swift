// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why something was not done, or may not have been.
package struct PostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happened.
    package enum Kind: Sendable, Equatable {
        /// No host let us in.
        case unreachable
        /// The connection was lost before anything could come of it: a transaction that was open is undone.
        case lost
        /// The connection was lost, or the server ended it, when it may have been done already.
        case outcomeUnknown
        /// The server does not know a statement any more that was prepared, or its tables are others by now: a transaction that
        /// was open is undone. It is not run as it was prepared again.
        case planLost
        /// The server said no.
        case refused(SQLState)
        /// It cannot be said to the server, or what it said is not what was asked for.
        case invalid
        /// ``PostgresConnection/close()`` came first.
        case closed
    }

    /// What follows from it.
    package enum Consequence: Sendable, Equatable {
        /// Nothing was done; the same may be done later.
        case again
        /// Whether it was done is not known: what is idempotent may be repeated, see
        /// ``PostgresConnection/transaction(repeating:_:)``.
        case unknown
        /// Nothing was done, and the same will be refused each time.
        case never
    }

    /// What happened.
    package let kind: Kind
    /// For operators, without values of rows; at most ``messageLimit`` characters.
    package let message: String

    /// Longest ``message``.
    package static let messageLimit = 500

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        let text = message.prefix(Self.messageLimit).split(whereSeparator: \.isNewline)
        self.message = text.map { $0.trimmed }.joined(separator: "; ")
    }

    /// What follows from it.
    package var consequence: Consequence {
        switch kind {
        case .unreachable, .lost, .planLost: .again
        case .outcomeUnknown: .unknown
        case .refused(let state): state.consequence
        case .invalid, .closed: .never
        }
    }

    package var description: String {
        switch kind {
        case .unreachable: "PostgreSQL cannot be reached: \(message)"
        case .lost: "the connection to PostgreSQL was lost: \(message)"
        case .outcomeUnknown:
            "the connection to PostgreSQL was lost before it said whether it is done: \(message)"
        case .planLost: "PostgreSQL has lost a prepared statement: \(message)"
        case .refused(let state): "PostgreSQL refuses it (\(state.code)): \(message)"
        case .invalid: message
        case .closed: "the connection is closed"
        }
    }
}

/// A code of five characters by which SQL says what is wrong.
package struct SQLState: Sendable, Hashable {
    /// The code; `XX000` if the server gave none.
    package let code: String

    /// A task was cancelled, or ``PostgresConfiguration/statementTimeout`` is over.
    package static let queryCanceled = Self("57014")
    /// A statement before failed, and nothing else counts until the transaction ends.
    package static let failedTransaction = Self("25P02")
    /// The server takes no changes: it is a standby, or has been made to.
    package static let readOnly = Self("25006")
    /// Someone else has locked it for longer than is waited for.
    package static let lockNotAvailable = Self("55P03")
    /// Each of two waited for the other, and this one has given way.
    package static let deadlock = Self("40P01")
    /// A row of this key is there.
    package static let uniqueViolation = Self("23505")

    /// Takes a code.
    package init(_ code: String) { self.code = code }

    /// Its first two characters.
    package var `class`: Substring { code.prefix(2) }

    /// Codes that say nothing of what was to be done: a server that starts, stops or is a standby now, is full, or has given
    /// way to someone else.
    private static let passing: Set<String> = [
        "57P01", "57P02", "57P03", "57P05", "57014", "40001", "40P01", "55P03", "25006", "58030", "25P03",
    ]
    /// What was said to the server broke its protocol, and would each time: of a connection that is lost, the connection says so.
    private static let violation = "08P01"
    /// Codes that leave open whether it was done.
    private static let unknown: Set<String> = ["08007", "40003"]

    /// What follows from it.
    package var consequence: PostgresError.Consequence {
        if Self.unknown.contains(code) { return .unknown }
        if code == Self.violation { return .never }
        return Self.passing.contains(code) || ["08", "53"].contains(self.class) ? .again : .never
    }
}

extension Substring {
    /// Without white space at its ends: libpq indents what it adds.
    fileprivate var trimmed: Substring {
        let text = drop(while: \.isWhitespace)
        return text.lastIndex { !$0.isWhitespace }.map { text[...$0] } ?? ""
    }
}
