// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// A peer connection's report as it stands after the differences so far.
struct RTCStatsState: Sendable {
    /// What a member may weigh: it is gone through whenever a difference names it, and real ones are small.
    private static let mostOfMember = 256
    /// Members of an entry that are kept: engines have fewer than a hundred.
    private static let mostOfEntry = 256

    /// How a difference is written.
    enum Form: Sendable {
        /// What it does not name is unchanged.
        case difference
        /// What it does not name is gone.
        case namesAll
        /// What it does not name is unchanged; names are numbers, and one time stands for that of all entries that
        /// have none of their own.
        case compressed
    }

    /// One entry, its members in the order of their names.
    struct Entry: Named, Sendable {
        let name: String
        fileprivate(set) var members: [Member] = []
        /// Numbers of the last differences that named it, and that gave it a time of its own.
        fileprivate var (named, stamped) = (0, 0)
        /// Where the member is that the last differences named first.
        fileprivate var first = 0

        init(id: String) { name = id }

        /// The value of a member; `nil` if it is not known.
        subscript(name: String) -> StatsValue? {
            let (place, isKnown) = members.place(of: name)
            return isKnown ? members[place].value : nil
        }
    }

    /// A member of an entry, whose name is looked up once and not with each report.
    struct Member: Named, Sendable {
        let name: String
        let key: StatsMemberKey
        fileprivate(set) var value: StatsValue
        /// Where the member is that the last differences named after it.
        fileprivate var next = 0
    }

    /// A report that was made of the entries, and what has changed since.
    private struct Made: Sendable {
        var report: StatsReport
        /// Of each entry.
        let places: [StatsEntryPlace]
        var changes: [(entry: Int, member: Int)] = []
    }

    /// The report, in the order of the ids.
    private(set) var entries: [Entry] = []
    /// What the entries weigh together: ``RecordingLimits/reportWeight``.
    private(set) var weight = 0
    /// How many differences there were.
    private var differences = 0
    /// What was made last; `nil` where the next report has to be made of all entries.
    private var made: Made?

    /// Makes the next difference part of the report.
    ///
    /// A time of zero stands for the newest time of the difference, which is beside the entries.
    ///
    /// - Returns: Whether everything found room.
    mutating func apply(_ delta: [StatsMember], form: Form, _ limits: RecordingLimits) -> Bool {
        differences += 1
        if form == .namesAll {
            let named = Set(delta.lazy.map(\.name))
            for place in entries.indices.reversed() where !named.contains(entries[place].name) {
                remove(at: place)
            }
        }
        var fits = true
        var guess = 0
        for change in delta {
            let (place, isKnown) = entries.place(of: change.name, guess)
            guess = place + 1
            if isKnown { entries[place].named = differences }
            switch change.value {
            case .object(let members):
                if !isKnown, form == .compressed, Self.isTimeAlone(members) { continue }
                guard isKnown || entries.count < limits.entries else {
                    fits = false
                    continue
                }
                if !isKnown { insert(Entry(id: change.name), at: place) }
                fits = merge(members, intoEntryAt: place, form, limits.reportWeight) && fits
                if entries[place].members.isEmpty { entries.remove(at: place) }
            case .null where isKnown: remove(at: place)
            default: break
            }
        }
        stamp(delta, form)
        return fits
    }

    /// Whether that is what clients write of an entry that they otherwise omit, such as a certificate.
    ///
    /// They know it by its type, which a difference has only where it is new, and name its time once another entry has
    /// a newer one.
    private static func isTimeAlone(_ members: [StatsMember]) -> Bool {
        members.count == 1 && RTCStatsNames.member(members[0].name) == "timestamp"
    }

    /// - Returns: Whether everything found room.
    private mutating func merge(
        _ members: [StatsMember], intoEntryAt place: Int, _ form: Form, _ limit: Int
    ) -> Bool {
        entries[place].named = differences
        var fits = true
        var last: Int?
        // Chromium adds what it has computed for its own page, in brackets.
        for member in members where member.name.utf8.first != UInt8(ascii: "[") {
            let name = form == .compressed ? RTCStatsNames.member(member.name) : member.name
            if name == "timestamp", member.value.number ?? 0 != 0 { entries[place].stamped = differences }
            let found = find(name, ofEntryAt: place, after: last)
            fits = set(member.value, name, found, ofEntryAt: place, form, limit) && fits
            last = found.isKnown ? found.place : nil
        }
        return fits
    }

    /// Looks for a member first where the last differences had it: engines keep to an order.
    ///
    /// - Parameter last: Where the member is that the difference names before.
    private mutating func find(
        _ name: String, ofEntryAt place: Int, after last: Int?
    ) -> (place: Int, isKnown: Bool) {
        let guess = last.map { entries[place].members[$0].next } ?? entries[place].first
        let found = entries[place].members.place(of: name, guess)
        guard found.isKnown, found.place != guess else { return found }
        if let last {
            entries[place].members[last].next = found.place
        } else {
            entries[place].first = found.place
        }
        return found
    }

    /// - Parameter found: Where the member is, or would have to be.
    /// - Returns: Whether it found room.
    private mutating func set(
        _ new: StatsValue, _ name: String, _ found: (place: Int, isKnown: Bool), ofEntryAt place: Int,
        _ form: Form, _ limit: Int
    ) -> Bool {
        let (index, isKnown) = found
        let old = isKnown ? entries[place].members[index].value : nil
        let value = merged(new, name, old, form)
        let entry = entries[place].members.isEmpty ? Self.weight(ofID: entries[place].name) : 0
        let own = Self.weight(name, value)
        guard own <= Self.mostOfMember else { return false }
        let more = entry + own - (old.map { Self.weight(name, $0) } ?? 0)
        guard more <= 0 || weight + more <= limit else { return false }
        if isKnown {
            entries[place].members[index].value = value
            if value != old { made?.changes.append((place, index)) }
        } else {
            guard entries[place].members.count < Self.mostOfEntry else { return false }
            let key = StatsReportBuilder.key(for: name)
            entries[place].members.insert(Member(name: name, key: key, value: value), at: index)
            made = nil
        }
        weight += more
        return true
    }

    private mutating func insert(_ entry: Entry, at place: Int) {
        made = nil
        entries.insert(entry, at: place)
    }

    private mutating func remove(at place: Int) {
        made = nil
        let entry = entries.remove(at: place)
        weight -= entry.members.reduce(Self.weight(ofID: entry.name)) { $0 + Self.weight($1.name, $1.value) }
    }

    private static func weight(ofID id: String) -> Int { 1 + id.utf8.count / 32 }

    private static func weight(_ name: String, _ value: StatsValue) -> Int {
        name.utf8.count / 32 + weight(value)
    }

    private static func weight(_ value: StatsValue) -> Int {
        switch value {
        case .null, .bool, .int, .uint, .double: 1
        case .string(let text): 1 + text.utf8.count / 32
        case .array(let values): values.reduce(1) { $0 + weight($1) }
        case .object(let members): members.reduce(1) { $0 + weight($1.name, $1.value) }
        }
    }

    private func merged(
        _ value: StatsValue, _ name: String, _ old: StatsValue?, _ form: Form
    ) -> StatsValue {
        guard form == .compressed else { return value }
        if name == "type" { return RTCStatsNames.type(value).map { .string($0) } ?? value }
        // Of an object that has changed in parts, only those are said.
        guard case .object(let changes) = value, case .object(var members)? = old else { return value }
        for change in changes {
            if let place = members.firstIndex(where: { $0.name == change.name }) {
                members[place] = change
            } else if members.count < Self.mostOfMember {
                members.append(change)
            }
        }
        return .object(members)
    }

    private mutating func stamp(_ delta: [StatsMember], _ form: Form) {
        let time = delta[form == .compressed ? RTCStatsNames.time : "timestamp"]
        guard let time, case .some = time.number else { return }
        for place in entries.indices {
            if entries[place].named == differences {
                if entries[place].stamped != differences { stamp(place, time) }
            } else if form == .compressed {
                // What the other end said last is as old as it was.
                let isRemote = entries[place]["type"]?.text?.hasPrefix("remote-") == true
                if !isRemote || entries[place]["timestamp"] == nil { stamp(place, time) }
            }
        }
    }

    /// An entry that is full keeps the line's time.
    private mutating func stamp(_ place: Int, _ time: StatsValue) {
        let found = entries[place].members.place(of: "timestamp")
        _ = set(time, "timestamp", found, ofEntryAt: place, .difference, .max)
    }
}

extension RTCStatsState {
    /// Of entries with fewer members than these on average no report is kept: each takes as much memory as one with all
    /// members, and weighs next to nothing.
    private static let leastOfKeptEntries = 8

    /// The report as it stands: the last one with what has changed since, or where that does not lead there, a new one.
    ///
    /// - Parameter time: The time of entries without one, in Unix ms; `nil` if unknown.
    mutating func read(time: Double?) -> ReportFromValue {
        if let report = changedReport() { return ReportFromValue(report) }
        let read = ReportFromValue(self, time: time)
        let isKept = weight >= Self.leastOfKeptEntries * entries.count
        made = isKept ? read.places.map { Made(report: read.report, places: $0) } : nil
        return read
    }

    private mutating func changedReport() -> StatsReport? {
        guard var now = made else { return nil }
        // Else changing it would copy what is still held here.
        made = nil
        for change in now.changes {
            let place = now.places[change.entry]
            let isDone = now.report.change(
                entries[change.entry].members[change.member].key,
                to: entries[change.entry].members[change.member].value, ofEntryAt: place)
            guard isDone else { return nil }
        }
        now.changes.removeAll(keepingCapacity: true)
        now.report.takeNewestTime()
        made = now
        return now.report
    }
}

/// What is kept in the order of its names.
protocol Named {
    var name: String { get }
}

extension Array where Element: Named {
    /// Where the element of that name is, or would have to be.
    ///
    /// - Parameter guess: Where it is looked for first.
    fileprivate func place(of name: String, _ guess: Int = 0) -> (place: Int, isKnown: Bool) {
        if guess < count, self[guess].name == name { return (guess, true) }
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = self[middle].name < name ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        let place = range.lowerBound
        return (place, place < count && self[place].name == name)
    }
}
