// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient
import SessionWire

/// Which records can be stored: those that cannot are counted, where the database would undo all that came with them.
enum RecordRules {
    private static let names = 1...128

    static func canBeStored(_ record: StoreRecord) -> Bool {
        switch record {
        case .session(let name, _, _), .callEnded(let name, _): isName(name)
        case .connection(let record):
            isName(record.name) && [record.participant, record.displayName, record.client].allSatisfy(isText)
        case .stream(let record):
            isName(record.name) && isText(record.content.name)
                && [record.content.videoDimensions?.width, record.content.videoDimensions?.height].allSatisfy
                {
                    $0 ?? 1 > 0
                }
        case .event(let record): isName(record.type)
        case .sessionEnded, .restorationOver, .connectionLeft, .streamEnded, .flow, .flowEnded, .sample,
            .report, .rating:
            true
        }
    }

    private static func isName(_ text: String) -> Bool { names.contains(text.unicodeScalars.count) }

    private static func isText(_ text: String?) -> Bool {
        (text?.unicodeScalars.count ?? 0) <= names.upperBound
    }
}

/// Texts on their way into the database.
enum StoredText {
    /// As the database takes it, which takes no NUL.
    static func of(_ text: String) -> String {
        text.utf8.contains(0)
            ? text.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\u{FFFD}")
            : text
    }
}

extension PostgresValue {
    /// A text without what the database does not take; none for none.
    static func stored(_ text: String?) -> Self { .optional(text) { .text(StoredText.of($0)) } }

    /// Unix ms as the store has them.
    static func time(_ time: Double) -> Self { .int64(Int64(unixTime: time)) }
}
