// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import GRDB

/// Consequence of a database error.
enum StoreFailure: Sendable, Equatable {
    /// It may pass: a full disk, one that cannot be written or read just now, someone else's lock.
    case passing
    /// The file is damaged.
    case damaged
    /// The disk and the file are as they should be: it is what was to be written.
    case records

    init(_ error: any Error) {
        guard let error = error as? DatabaseError else {
            self = .records
            return
        }
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged
        case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN, .SQLITE_READONLY,
            .SQLITE_PERM, .SQLITE_NOMEM, .SQLITE_PROTOCOL, .SQLITE_INTERRUPT, .SQLITE_ABORT:
            self = .passing
        default: self = .records
        }
    }
}

/// Storage failures; each is reported once, when it begins.
package enum StoreIncident: Sendable {
    /// Nothing can be written just now, such as for a full disk; it is tried again and again.
    case paused(any Error)
    /// Writing continues.
    case resumed
    /// The file is damaged: nothing is written to it any more.
    case damaged(any Error)
    /// This many records were omitted, because the database refuses them and nothing else.
    case leftOut(records: Int, any Error)
}
