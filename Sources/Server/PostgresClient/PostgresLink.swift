// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ
import CallModel
import Foundation

/// A connection of libpq: of one thread at a time.
final class PostgresLink {
    let pointer: OpaquePointer
    let canceller: StatementCanceller?
    let notices = PostgresNotices()
    let configuration: PostgresConfiguration
    /// The types of columns that were copied into, by table and columns.
    var copied: [String: [PostgresType]] = [:]
    /// What the server has prepared for it.
    var prepared = PreparedStatements()
    /// Whether it is in a state that nothing is to be done with.
    var isSpoilt = false
    /// Whether the server has kept silent for longer than it may.
    private(set) var isSilent = false

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
        // From here on it is we who wait, for as long as we like.
        guard PQsetnonblocking(made, 1) == 0 else { throw PostgresError(.unreachable, problem) }
        let result = answer(to: configuration.settings)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw PostgresError(.unreachable, problem) }
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

    /// What is wrong, by libpq's last words.
    var problem: String {
        isSilent
            ? "no answer within \(configuration.answerTimeout)" : String(cString: PQerrorMessage(pointer))
    }

    /// The server says nothing, and may be stopped, or cut off: nothing more is to be done with this connection.
    fileprivate func giveUp() {
        isSilent = true
        isSpoilt = true
    }
}

// MARK: - Waiting

extension PostgresLink {
    /// Sends statements, and waits for the last one's result; `nil` if the server was silent, or there is no connection.
    ///
    /// Who gets a result clears it.
    func answer(to sql: String) -> OpaquePointer? {
        PQsendQuery(pointer, sql) == 1 ? answer() : nil
    }

    /// Waits for the last result of what was sent, or the one from which on rows are copied.
    func answer() -> OpaquePointer? {
        var last: OpaquePointer?
        while let result = nextResult() {
            PQclear(last)
            last = result
            guard ![PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(PQresultStatus(result)), isAlive
            else { break }
        }
        guard isSilent else { return last }
        PQclear(last)
        return nil
    }

    /// Waits for the next result of what was sent; `nil` if there is none, or ``isSilent``.
    func nextResult() -> OpaquePointer? { waitForAnswer() ? PQgetResult(pointer) : nil }

    /// Sends a piece of what is copied, and waits until the server has taken it; `false` if it does not.
    func putCopyData(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            let characters = buffer.assumingMemoryBound(to: CChar.self).baseAddress
            return retried { PQputCopyData(pointer, characters, Int32(clamping: buffer.count)) }
        }
    }

    /// Ends what is copied.
    ///
    /// - Parameter problem: Why nothing is to be kept; `nil` to keep it.
    func putCopyEnd(_ problem: String?) { _ = retried { PQputCopyEnd(pointer, problem) } }

    /// Does what may find no room in libpq's buffer, and empties that.
    private func retried(_ put: () -> Int32) -> Bool {
        var isTaken = put()
        while isTaken == 0 {
            guard wait(toSend: true), PQconsumeInput(pointer) == 1 else { return false }
            isTaken = put()
        }
        guard isTaken == 1 else { return false }
        while true {
            let left = PQflush(pointer)
            guard left == 1 else { return left == 0 }
            guard wait(toSend: true), PQconsumeInput(pointer) == 1 else { return false }
        }
    }

    /// Whether a result, or the end of the connection, can be had without waiting.
    private func waitForAnswer() -> Bool {
        while !isSilent {
            let left = PQflush(pointer)
            guard left >= 0, PQisBusy(pointer) == 1 else { return true }
            guard wait(toSend: left == 1) else { return false }
            guard PQconsumeInput(pointer) == 1 else { return true }
        }
        return false
    }

    /// Waits until something has come, or something more can be sent; gives up a server that does neither for long.
    private func wait(toSend: Bool) -> Bool {
        let end = ContinuousClock.now + configuration.answerTimeout
        var descriptor = pollfd(
            fd: PQsocket(pointer), events: Int16(toSend ? POLLIN | POLLOUT : POLLIN), revents: 0)
        while true {
            let left = (end - .now).milliseconds.rounded(.up)
            guard left > 0 else {
                giveUp()
                return false
            }
            let count = poll(&descriptor, 1, Int32(clamping: Int64(min(left, 1e9))))
            if count > 0 || count < 0 && errno != EINTR { return true }
        }
    }
}

/// What the server says about something.
struct PostgresDiagnostics {
    let severity: String
    /// `nil` if it is not the server that says it.
    let state: SQLState?
    let message: String
    /// Which of the server's functions says it; empty if that is not known.
    let function: String

    init(_ result: OpaquePointer) {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        severity = field(Int32(UInt8(ascii: "V"))) ?? ""
        state = field(Int32(UInt8(ascii: "C"))).map { SQLState($0) }
        // Not what values rows had, which is in the details.
        message = field(Int32(UInt8(ascii: "M"))) ?? ""
        function = field(Int32(UInt8(ascii: "R"))) ?? ""
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
