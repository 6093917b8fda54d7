// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ
import Foundation

/// A connection of libpq: of one thread at a time.
final class PostgresLink {
    let pointer: OpaquePointer
    let canceller: StatementCanceller?
    let notices = PostgresNotices()
    let configuration: PostgresConfiguration
    /// The types of columns that were copied into, by table and columns.
    var copied: [String: [PostgresType]] = [:]
    /// Whether it is in a state that nothing is to be done with.
    var isSpoilt = false

    /// Connects to the first host that will do; waits for it.
    ///
    /// - Throws: ``PostgresError`` of the kind ``PostgresError/Kind/unreachable``.
    init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        self.configuration = configuration
        try configuration.checkAddress()
        let made = Self.withKeywords(configuration.keywords) { keys, values in
            PQconnectdbParams(keys, values, 1)
        }
        guard let made else { throw PostgresError(.unreachable, "no memory") }
        pointer = made
        canceller = StatementCanceller(made)
        PQsetNoticeReceiver(
            made,
            { context, result in
                guard let context, let result else { return }
                let notices = Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue()
                notices.add(PostgresDiagnostics(result))
            }, Unmanaged.passUnretained(notices).toOpaque())
        guard isAlive else { throw PostgresError(.unreachable, problem) }
        let result = PQexec(made, configuration.settings)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw PostgresError(.unreachable, problem) }
    }

    deinit { PQfinish(pointer) }

    private static func withKeywords<Result>(
        _ keywords: [(key: String, value: String)],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = keywords.map { (strdup($0.key), strdup($0.value)) }
        defer {
            for (key, value) in copies {
                free(key)
                free(value)
            }
        }
        return body(copies.map { UnsafePointer($0.0) } + [nil], copies.map { UnsafePointer($0.1) } + [nil])
    }

    /// Whether it has not been lost, as far as has been seen.
    var isAlive: Bool { PQstatus(pointer) == CONNECTION_OK }

    /// Whether it is as it was before it was first used, as far as can be seen without waiting: a server that has ended
    /// says so.
    var isIdle: Bool {
        // The second time it sees that there is nothing behind the server's last words.
        for _ in 0..<2 { _ = PQconsumeInput(pointer) }
        return isAlive && transaction == PQTRANS_IDLE
    }

    var transaction: PGTransactionStatusType { PQtransactionStatus(pointer) }

    /// What libpq says last.
    var problem: String { String(cString: PQerrorMessage(pointer)) }
}

/// What the server says about something.
struct PostgresDiagnostics {
    let severity: String
    /// `nil` if it is not the server that says it.
    let state: SQLState?
    let message: String

    init(_ result: OpaquePointer) {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        severity = field(Int32(UInt8(ascii: "V"))) ?? ""
        state = field(Int32(UInt8(ascii: "C"))).map { SQLState($0) }
        // Not what values rows had, which is in the details.
        message = field(Int32(UInt8(ascii: "M"))) ?? ""
    }

    /// Whether the server ends the connection with it.
    var isFatal: Bool { ["FATAL", "PANIC"].contains(severity) }
}

/// What the server said beside its answers.
final class PostgresNotices {
    /// That a commit is done here, and no one knows whether a standby has it.
    private(set) var unreplicated: String?

    func add(_ notice: PostgresDiagnostics) {
        // The wait was cancelled, of which the server says no more than that it warns; or the server ends.
        guard notice.severity == "WARNING", let state = notice.state, ["01000", "57P01"].contains(state.code)
        else { return }
        unreplicated = unreplicated ?? notice.message
    }

    func clear() { unreplicated = nil }
}
