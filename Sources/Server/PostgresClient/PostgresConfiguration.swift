// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ
import CallModel

/// Where PostgreSQL is, and how long it may take.
package struct PostgresConfiguration: Sendable, Equatable {
    /// Which servers will do, of several hosts.
    package enum Target: String, Sendable {
        /// Any.
        case any
        /// One that can be written: the primary.
        case readWrite = "read-write"
    }

    /// An address such as `postgresql://one,two/sightline?sslmode=verify-full`, or `key=value` pairs, as libpq reads them;
    /// what it says counts before the settings below.
    ///
    /// Several hosts are tried one after the other.
    package var address: String
    /// See ``Target``.
    package var target = Target.readWrite
    /// How the connection calls itself to the server's operator.
    package var name = "sightline"
    /// Longest for one host; libpq knows whole seconds, 2 at least.
    package var connectTimeout: Duration = .seconds(3)
    /// How long what was sent may stay unacknowledged by the other machine before the connection counts as lost.
    package var networkTimeout: Duration = .seconds(5)
    /// How long a server that is waited for may say nothing, nor take anything, before the connection counts as lost.
    ///
    /// Of one that is stopped, or of a commit that waits for a standby, no one knows whether it does what was asked of it.
    package var answerTimeout: Duration = .seconds(30)
    /// Longest for a statement; `nil` for no limit but ``answerTimeout``.
    ///
    /// A commit has none: one that waits for a standby and is ended would look as if it had been replicated.
    package var statementTimeout: Duration?
    /// How long the server keeps a transaction open, with its locks, whose client says nothing: of a process that is frozen.
    package var idleTransactionTimeout: Duration = .seconds(30)
    /// Whether statements that come again are prepared; not where a pooler gives each transaction another of the server's
    /// connections, which know nothing of what was prepared on the one before.
    package var preparesStatements = true

    /// The defaults.
    package init(_ address: String) { self.address = address }

    /// As libpq wants it; of a key that comes twice the last counts.
    var keywords: [(key: String, value: String)] {
        [
            ("fallback_application_name", name),
            ("connect_timeout", "\(max(2, connectTimeout.wholeSeconds))"),
            ("tcp_user_timeout", "\(networkTimeout.wholeMilliseconds)"),
            ("keepalives_idle", "\(max(1, networkTimeout.wholeSeconds))"),
            ("keepalives_interval", "1"),
            ("keepalives_count", "\(max(1, networkTimeout.wholeSeconds))"),
            ("target_session_attrs", target.rawValue),
            ("dbname", address),
            ("client_encoding", "UTF8"),
        ]
    }

    /// Refuses an address that libpq cannot read, or reads otherwise than it was meant: what libpq says of it may have the
    /// password in it.
    ///
    /// - Throws: ``PostgresError`` of the kind ``PostgresError/Kind/invalid``.
    func checkAddress() throws(PostgresError) {
        let isReadable = !address.utf8.contains(0) && Self.hasGoodParts(address)
        guard isReadable else {
            throw PostgresError(
                .invalid,
                "the address of PostgreSQL cannot be read: write %, /, @, : and blanks of its password as %25, %2F, %40, %3A and %20"
            )
        }
    }

    private static func hasGoodParts(_ address: String) -> Bool {
        // Without either it is a database's name.
        guard address.contains("=") || address.contains("://") else { return true }
        guard let options = PQconninfoParse(address, nil) else { return false }
        defer { PQconninfoFree(options) }
        var option = options
        while let key = option.pointee.keyword {
            defer { option += 1 }
            guard let value = option.pointee.val.map({ String(cString: $0) }) else { continue }
            switch String(cString: key) {
            case "host", "hostaddr": if value.contains("@") { return false }
            case "port": if !value.utf8.allSatisfy({ (48...57).contains($0) || $0 == 44 }) { return false }
            default: break
            }
        }
        return true
    }

    /// What is said to the server first; what the address says of the same stays.
    var settings: String {
        """
        SELECT set_config(name, value, false) FROM (VALUES
            ('statement_timeout', '\(statementTimeout.map { max(1, $0.wholeMilliseconds) } ?? 0)'),
            ('idle_in_transaction_session_timeout', '\(max(1, idleTransactionTimeout.wholeMilliseconds))'),
            ('client_connection_check_interval', '\(max(1, answerTimeout.wholeMilliseconds))')
        ) AS wanted (name, value) JOIN pg_settings USING (name) WHERE source <> 'client'
        """
    }
}

extension Duration {
    /// Rounded up, and what a setting of PostgreSQL can hold.
    fileprivate var wholeSeconds: Int32 { Int32(clamping: (milliseconds / 1000).clampedUp) }

    /// Rounded up, and what a setting of PostgreSQL can hold.
    fileprivate var wholeMilliseconds: Int32 { Int32(clamping: milliseconds.clampedUp) }
}

extension Double {
    fileprivate var clampedUp: Int64 { Int64(Swift.min(Swift.max(0, self), 1e15).rounded(.up)) }
}
