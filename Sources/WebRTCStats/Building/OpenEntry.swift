// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the builder knows of the entry it is filling, beside the entry itself.
struct OpenEntry: Sendable {
    let kind: EntryKind
    let type: String
    var id: String?
    var timestamp: Double?
    /// Numbers of the members given so far.
    var seen = SIMD4<UInt64>()

    init(type: String) {
        kind = EntryKind(wireName: type)
        self.type = type
    }

    /// Marks a member as given; `false` if it was already.
    @inline(__always)
    mutating func insert(_ number: UInt8) -> Bool {
        let word = Int(number >> 6)
        let bit: UInt64 = 1 << UInt64(number & 63)
        guard seen[word] & bit == 0 else { return false }
        seen[word] |= bit
        return true
    }
}

extension StatsReportBuilder {
    mutating func open(_ type: String) {
        close()
        let opened = OpenEntry(type: type)
        _ = report.perform(.append, on: opened.kind)
        if opened.kind == .unknown {
            report.unknown[report.unknown.count - 1].type = type
        }
        entry = opened
    }

    @inline(__always)
    mutating func store(_ value: StatsValue, for key: StatsMemberKey) {
        guard let kind = entry?.kind, !key.isReserved else { return }
        if case .double(let number) = value, !number.isFinite {
            return note(.numberOutOfRange, member: key)
        }
        if key.number != 0, entry?.insert(key.number) == false {
            note(.duplicateMember, member: key)
        }
        if report.perform(.store(value, key), on: kind) == .mistyped {
            note(.mistypedMember, member: key)
        }
    }

    /// Ends the open entry: an entry without id is left out, one without time gets the report's time in the end.
    mutating func close() {
        guard let entry else { return }
        guard let id = entry.id else {
            note(.missingID)
            _ = report.perform(.remove, on: entry.kind)
            self.entry = nil
            return
        }
        if entry.timestamp == nil {
            note(.missingTimestamp)
            untimed.append((entry.kind, report.count(of: entry.kind) - 1))
        }
        let timestamp = entry.timestamp ?? 0
        report.timestamp = max(report.timestamp, timestamp)
        _ = report.perform(.close(id: id, timestamp: timestamp), on: entry.kind)
        self.entry = nil
    }

    @inline(never)
    mutating func note(_ code: ParseIssue.Code, member: StatsMemberKey? = nil, entryID: String? = nil) {
        guard issues.count < Self.maximumIssues else {
            omittedIssues += 1
            return
        }
        issues.append(
            ParseIssue(
                code, entryType: entry?.type, entryID: entryID ?? entry?.id, member: member?.name,
                offset: offset))
    }
}
