// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension ReportParser {
    /// What an entry holds before its type is known.
    private struct Head {
        var members: [(key: StatsMemberKey, value: StatsValue)] = []
        var isWholeEntry = false
        var start: Int
    }

    /// Reads the object at the position as an entry.
    mutating func readEntry(into report: inout StatsReport) throws(JSONFailure) {
        var head = Head(start: reader.position)
        try reader.enter(2)
        reader.skipSpace()
        if reader.take(UInt8(ascii: "}")) {
            head.isWholeEntry = true
        }
        while context.type == nil, !head.isWholeEntry {
            let span = try reader.scanText()
            if let member = try readMember(span, number(of: span)) { head.members.append(member) }
            head.isWholeEntry = try isAtEnd()
        }
        guard let type = context.type else {
            context.offset = head.start
            return context.note(.missingType)
        }
        try readRest(head, EntryKind(wireName: type), into: &report)
    }

    private mutating func readRest(
        _ head: Head, _ kind: EntryKind, into report: inout StatsReport
    ) throws(JSONFailure) {
        switch kind {
        case .codec: try readRest(head, kind, into: &report.codecs)
        case .inboundRTP: try readRest(head, kind, into: &report.inboundRTP)
        case .outboundRTP: try readRest(head, kind, into: &report.outboundRTP)
        case .remoteInboundRTP: try readRest(head, kind, into: &report.remoteInboundRTP)
        case .remoteOutboundRTP: try readRest(head, kind, into: &report.remoteOutboundRTP)
        case .mediaSource: try readRest(head, kind, into: &report.mediaSources)
        case .mediaPlayout: try readRest(head, kind, into: &report.mediaPlayout)
        case .peerConnection: try readRest(head, kind, into: &report.peerConnections)
        case .dataChannel: try readRest(head, kind, into: &report.dataChannels)
        case .transport: try readRest(head, kind, into: &report.transports)
        case .candidatePair: try readRest(head, kind, into: &report.candidatePairs)
        case .localCandidate: try readRest(head, kind, into: &report.localCandidates)
        case .remoteCandidate: try readRest(head, kind, into: &report.remoteCandidates)
        case .certificate: try readRest(head, kind, into: &report.certificates)
        case .unknown:
            let index = report.unknown.count
            try readRest(head, kind, into: &report.unknown)
            if index < report.unknown.count { report.unknown[index].type = context.type ?? "" }
        }
    }

    private mutating func readRest<Entry: MemberStorage>(
        _ head: Head, _ kind: EntryKind, into entries: inout [Entry]
    ) throws(JSONFailure) {
        var entry = Entry(id: "", timestamp: 0)
        for member in head.members {
            entry.offer(member.value, for: member.key, &context)
        }
        var isWhole = head.isWholeEntry
        while !isWhole {
            try readMember(into: &entry)
            isWhole = try isAtEnd()
        }
        context.offset = head.start
        guard let id = context.id else {
            return context.note(.missingID)
        }
        entry.id = id
        entry.timestamp = context.settleTimestamp(kind, at: entries.count)
        entry.settle(&context)
        if !ids.insert(id).inserted { context.note(.duplicateID) }
        // Most reports have some of a kind; growing one by one would move those before each time.
        if entries.isEmpty { entries.reserveCapacity(4) }
        entries.append(consume entry)
    }

    /// Steps over what separates members; whether the entry's last one was the last.
    @inline(__always)
    private mutating func isAtEnd() throws(JSONFailure) -> Bool {
        reader.skipSpace()
        if reader.take(UInt8(ascii: ",")) {
            reader.skipSpace()
            return false
        }
        try reader.expect(UInt8(ascii: "}"))
        return true
    }

    /// Reads one member and gives it to the entry.
    @inline(__always)
    private mutating func readMember(into entry: inout some MemberStorage) throws(JSONFailure) {
        let span = try reader.scanText()
        let number = number(of: span)
        guard number > StatsMemberKey.timestamp.number, reader.budget > 0 else {
            if let member = try readMember(span, number) {
                entry.offer(member.value, for: member.key, &context)
            }
            return
        }
        context.offset = span.start - 1
        try reader.readColon()
        let value = try reader.readValue(depth: 2)
        if !reader.remarks.isEmpty { noteRemarks(StatsMemberKey(number: number)) }
        if reader.budget >= 0 {
            entry.offer(value, number: number, &context)
        } else {
            noteTooManyValues()
        }
    }

    /// Number of the name; `0` if it is not in ``MemberNames``.
    @inline(__always)
    private func number(of span: JSONReader.TextSpan) -> UInt8 {
        span.hasEscapes ? 0 : names.number(of: reader.slice(span))
    }

    /// Reads the value of any member.
    ///
    /// - Returns: `nil` for the type, the id and the timestamp, which go to the context, and for what exceeds the
    ///   entry's limit.
    @inline(never)
    private mutating func readMember(
        _ span: JSONReader.TextSpan, _ number: UInt8
    ) throws(JSONFailure) -> (key: StatsMemberKey, value: StatsValue)? {
        context.offset = span.start - 1
        // An escaped name may still be a listed one.
        let key =
            number == 0 ? StatsReportBuilder.key(for: reader.decode(span)) : StatsMemberKey(number: number)
        try reader.readColon()
        let value = try reader.readValue(depth: 2)
        if !reader.remarks.isEmpty { noteRemarks(key) }
        if key.isReserved {
            set(key, value)
            return nil
        }
        if reader.budget < 0 {
            noteTooManyValues()
            return nil
        }
        return (key, value)
    }

    @inline(never)
    private mutating func set(_ key: StatsMemberKey, _ value: StatsValue) {
        if !context.seen.insert(key.number) {
            context.note(.duplicateMember, member: key)
        }
        switch (key, value) {
        case (.type, .string(let type)):
            // A second type would come too late for the members already read.
            if context.type == nil { context.type = type }
        case (.id, .string(let id)):
            context.id = id
        case (.timestamp, _):
            context.timestamp = value.number.flatMap(StatsTime.milliseconds)
        default:
            context.note(.mistypedMember, member: key)
        }
    }

    @inline(never)
    private mutating func noteTooManyValues() {
        guard !isOverBudget else { return }
        isOverBudget = true
        context.note(.tooManyValues)
    }

    @inline(never)
    mutating func noteRemarks(_ key: StatsMemberKey) {
        let remarks = reader.remarks
        reader.remarks = []
        if remarks.contains(.invalidText) { context.note(.invalidText, member: key) }
        if remarks.contains(.numberOutOfRange) { context.note(.numberOutOfRange, member: key) }
        if remarks.contains(.duplicateMember) { context.note(.duplicateMember, member: key) }
    }
}
