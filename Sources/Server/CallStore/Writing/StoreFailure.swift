// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import GRDB

extension StoreFailure {
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
