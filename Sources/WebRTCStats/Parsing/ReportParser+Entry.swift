// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension ReportParser {
    /// What is known of an entry before its type is, and what else waits for its end.
    private struct Progress {
        var id: String?
        var timestamp: Double?
        var early: [(key: StatsMemberKey, value: StatsValue)] = []
        var isOverBudget = false
    }

    /// Reads the object at the position as an entry.
    mutating func readEntry(fallbackID: String?) throws(JSONFailure) {
        let start = reader.position
        try reader.enter(2)
        var progress = Progress(id: fallbackID)
        reader.skipSpace()
        if !reader.take(UInt8(ascii: "}")) {
            repeat {
                reader.skipSpace()
                try readMember(&progress)
                reader.skipSpace()
            } while reader.take(UInt8(ascii: ","))
            try reader.expect(UInt8(ascii: "}"))
        }
        builder.offset = start
        finish(progress)
    }

    private mutating func finish(_ progress: Progress) {
        guard builder.entry != nil else {
            return builder.note(.missingType, entryID: progress.id)
        }
        builder.entry?.timestamp = progress.timestamp
        if let id = progress.id, !ids.insert(id).inserted {
            builder.note(.duplicateID)
        }
        builder.close()
    }

    @inline(__always)
    private mutating func readMember(_ progress: inout Progress) throws(JSONFailure) {
        let start = reader.position
        let key = try readKey()
        try reader.readColon()
        let value = try reader.readValue(depth: 2)
        builder.offset = start
        if !reader.remarks.isEmpty { noteRemarks(key) }
        if key.isReserved {
            set(key, value, &progress)
        } else if reader.budget < 0 {
            noteTooManyValues(&progress)
        } else if builder.entry != nil {
            builder.store(value, for: key)
        } else {
            progress.early.append((key, value))
        }
    }

    @inline(__always)
    private mutating func readKey() throws(JSONFailure) -> StatsMemberKey {
        let span = try reader.scanText()
        if !span.hasEscapes {
            let number = names.number(of: reader.slice(span))
            if number != 0 { return StatsMemberKey(number: number) }
        }
        return StatsReportBuilder.key(for: reader.decode(span))
    }

    private mutating func set(_ key: StatsMemberKey, _ value: StatsValue, _ progress: inout Progress) {
        switch (key, value) {
        case (.type, .string(let type)) where builder.entry == nil:
            open(type, &progress)
        case (.type, .string):
            builder.note(.duplicateMember, member: key)
        case (.id, .string(let id)):
            progress.id = id
            builder.entry?.id = id
        case (.timestamp, _):
            progress.timestamp = value.number.flatMap(StatsTime.milliseconds)
        default:
            builder.note(.mistypedMember, member: key)
        }
    }

    private mutating func open(_ type: String, _ progress: inout Progress) {
        builder.open(type)
        builder.entry?.id = progress.id
        for (key, value) in progress.early {
            builder.store(value, for: key)
        }
        progress.early = []
    }

    private mutating func noteTooManyValues(_ progress: inout Progress) {
        guard !progress.isOverBudget else { return }
        progress.isOverBudget = true
        builder.note(.tooManyValues)
    }

    private mutating func noteRemarks(_ key: StatsMemberKey) {
        let remarks = reader.remarks
        reader.remarks = []
        if remarks.contains(.invalidText) { builder.note(.invalidText, member: key) }
        if remarks.contains(.numberOutOfRange) { builder.note(.numberOutOfRange, member: key) }
        if remarks.contains(.duplicateMember) { builder.note(.duplicateMember, member: key) }
    }
}
