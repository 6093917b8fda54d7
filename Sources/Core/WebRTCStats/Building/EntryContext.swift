// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What is known of the entry being filled beside its members, and the issues of the whole report.
struct EntryContext: Sendable {
    /// Wire type; `nil` while no entry is open or its type is not known yet.
    var type: String?
    var id: String?
    var timestamp: Double?
    /// Numbers of the members given so far.
    var seen = MemberSet()
    /// The time of entries without one, in Unix ms; `nil` if unknown.
    var defaultTime: Double?
    /// Position in the text being read; `nil` while an engine is read.
    var offset: Int?

    /// Timestamp of the newest entry so far.
    private(set) var newest = 0.0
    /// Places of entries without a timestamp.
    var untimed: [(kind: EntryKind, index: Int)] = []

    private(set) var issues: [ParseIssue] = []
    private(set) var omittedIssues = 0

    /// The open entry's timestamp, `0` for now if it has none.
    ///
    /// - Parameters:
    ///   - kind: The entry's kind.
    ///   - index: Where in its array the entry is or will be.
    mutating func settleTimestamp(_ kind: EntryKind, at index: Int) -> Double {
        guard let timestamp = timestamp ?? defaultTime else {
            note(.missingTimestamp)
            untimed.append((kind, index))
            return 0
        }
        newest = max(newest, timestamp)
        return timestamp
    }

    /// Forgets the entry and keeps the issues.
    mutating func reset() {
        type = nil
        id = nil
        timestamp = nil
        seen = MemberSet()
    }

    @inline(never)
    mutating func note(_ code: ParseIssue.Code, member: StatsMemberKey? = nil) {
        guard issues.count < StatsReportBuilder.maximumIssues else {
            omittedIssues += 1
            return
        }
        issues.append(
            ParseIssue(code, entryType: type, entryID: id, member: member?.name, offset: offset))
    }
}
