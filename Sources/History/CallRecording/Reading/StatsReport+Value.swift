// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What happened to a JSON value that should be a report.
struct ReportFromValue {
    var report: StatsReport
    /// How many parts could not be read as they stood.
    var issues = 0
    /// What the first of them is, for people.
    var firstIssue: String?
    var isOverLimit = false
    /// Where the entries are of which it was made; `nil` if not all of them are there as they were, or with their own time.
    private(set) var places: [StatsEntryPlace]?
    private let time: Double?

    private mutating func note(_ issue: @autoclosure () -> String) {
        issues += 1
        if firstIssue == nil { firstIssue = issue() }
    }

    /// Makes an array of entries, or an object with an entry per id, a report; `nil` if the value is neither.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - time: The time of entries without one, in Unix ms; `nil` if unknown.
    ///   - limit: Most entries to take.
    init?(_ value: StatsValue, time: Double?, limit: Int) {
        self.time = time
        report = StatsReport()
        var builder = StatsReportBuilder()
        switch value {
        case .array(let entries):
            isOverLimit = entries.count > limit
            for entry in entries.prefix(limit) { add(entry, id: nil, to: &builder) }
        case .object(let members):
            isOverLimit = members.count > limit
            for member in members.prefix(limit) { add(member.value, id: member.name, to: &builder) }
        default:
            return nil
        }
        finish(&builder)
    }

    /// Makes what differences have led to a report.
    ///
    /// - Parameters:
    ///   - state: The entries as they stand.
    ///   - time: The time of entries without one, in Unix ms; `nil` if unknown.
    init(_ state: RTCStatsState, time: Double?) {
        self.time = time
        report = StatsReport()
        var builder = StatsReportBuilder()
        var places: [StatsEntryPlace] = []
        for entry in state.entries {
            guard let type = entry["type"]?.text else {
                note("an entry has no type")
                continue
            }
            let own = entry["timestamp"]?.number
            builder.begin(type: type, id: entry["id"]?.text ?? entry.name, timestamp: own ?? time ?? .nan)
            if own != nil, let place = builder.place { places.append(place) }
            for member in entry.members where member.value != .null { builder.set(member.key, member.value) }
            builder.end()
        }
        finish(&builder)
        if issues == 0, places.count == state.entries.count { self.places = places }
    }

    /// Takes a report that was read before.
    init(_ report: StatsReport) {
        self.report = report
        time = nil
    }

    private mutating func finish(_ builder: inout StatsReportBuilder) {
        report = builder.finish()
        issues += builder.issues.count + builder.omittedIssues
        if firstIssue == nil, let first = builder.issues.first {
            firstIssue = "\(first.code.rawValue) in \(first.entryID ?? "an entry")"
        }
    }

    private mutating func add(_ value: StatsValue, id: String?, to builder: inout StatsReportBuilder) {
        guard case .object(let members) = value else { return note("an entry is no object") }
        guard let type = members["type"]?.text else { return note("an entry has no type") }
        guard let id = members["id"]?.text ?? id else { return note("an entry has no id") }
        builder.begin(type: type, id: id, timestamp: members["timestamp"]?.number ?? time ?? .nan)
        for member in members where member.value != .null {
            builder.set(StatsReportBuilder.key(for: member.name), member.value)
        }
        builder.end()
    }
}

extension StatsReport {
    /// Takes `mediaType` for the kind of streams that say none: its name before 2018, and engines that still say it say
    /// nothing else.
    mutating func takeOldKinds() {
        for index in inboundRTP.indices where inboundRTP[index].kind == nil {
            inboundRTP[index].kind = Self.oldKind(inboundRTP[index].extra)
        }
        for index in outboundRTP.indices where outboundRTP[index].kind == nil {
            outboundRTP[index].kind = Self.oldKind(outboundRTP[index].extra)
        }
        for index in remoteInboundRTP.indices where remoteInboundRTP[index].kind == nil {
            remoteInboundRTP[index].kind = Self.oldKind(remoteInboundRTP[index].extra)
        }
        for index in remoteOutboundRTP.indices where remoteOutboundRTP[index].kind == nil {
            remoteOutboundRTP[index].kind = Self.oldKind(remoteOutboundRTP[index].extra)
        }
    }

    private static func oldKind(_ members: [StatsMember]) -> MediaKind? {
        members["mediaType"]?.text.flatMap(MediaKind.init(rawValue:))
    }
}
