// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// A peer connection's report as it stands after the differences so far.
struct RTCStatsState: Sendable {
    /// Members of an object in an entry that are kept.
    private static let mostMembers = 1024
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

    private var entries: [String: [String: StatsValue]] = [:]
    /// What the entries weigh together: ``RecordingLimits/reportWeight``.
    private(set) var weight = 0

    /// The report, an entry per id.
    var value: StatsValue {
        .object(
            entries.sorted { $0.key < $1.key }.map { id, members in
                let members = members.sorted { $0.key < $1.key }
                return StatsMember(
                    name: id, value: .object(members.map { StatsMember(name: $0.key, value: $0.value) }))
            })
    }

    /// Makes the next difference part of the report.
    ///
    /// A time of zero stands for the newest time of the difference, which is beside the entries.
    ///
    /// - Returns: Whether everything found room.
    mutating func apply(_ delta: [StatsMember], form: Form, _ limits: RecordingLimits) -> Bool {
        if form == .namesAll {
            let named = Set(delta.lazy.map(\.name))
            for id in Array(entries.keys) where !named.contains(id) { remove(id) }
        }
        var fits = true
        var stamped: Set<String> = []
        for change in delta {
            guard case .object(let members) = change.value else {
                if change.value == .null { remove(change.name) }
                continue
            }
            guard entries.count < limits.entries || entries[change.name] != nil else {
                fits = false
                continue
            }
            let outcome = merge(members, into: change.name, form, limits.reportWeight)
            if outcome.isStamped { stamped.insert(change.name) }
            fits = fits && outcome.fits
        }
        stamp(delta, form, except: stamped)
        return fits
    }

    /// - Returns: Whether the entry has a time of its own, and whether everything found room.
    private mutating func merge(
        _ members: [StatsMember], into id: String, _ form: Form, _ limit: Int
    ) -> (isStamped: Bool, fits: Bool) {
        var (isStamped, fits) = (false, true)
        // Chromium adds what it has computed for its own page, in brackets.
        for member in members where !member.name.hasPrefix("[") {
            let name = form == .compressed ? RTCStatsNames.member(member.name) : member.name
            if name == "timestamp", member.value.number ?? 0 != 0 { isStamped = true }
            let value = merged(member.value, name, entries[id]?[name], form)
            fits = set(value, name, of: id, limit) && fits
        }
        return (isStamped, fits)
    }

    /// - Returns: Whether it found room.
    private mutating func set(_ value: StatsValue, _ name: String, of id: String, _ limit: Int) -> Bool {
        let entry = entries[id] == nil ? Self.weight(ofID: id) : 0
        let more = entry + Self.weight(name, value) - (entries[id]?[name].map { Self.weight(name, $0) } ?? 0)
        guard more <= 0 || weight + more <= limit else { return false }
        guard let count = entries[id]?.count, count >= Self.mostOfEntry, entries[id]?[name] == nil else {
            weight += more
            entries[id, default: [:]][name] = value
            return true
        }
        return false
    }

    private mutating func remove(_ id: String) {
        guard let members = entries.removeValue(forKey: id) else { return }
        weight -= members.reduce(Self.weight(ofID: id)) { $0 + Self.weight($1.key, $1.value) }
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
        var places: [String: Int] = [:]
        for (place, member) in members.enumerated() { places[member.name] = place }
        for change in changes {
            if let place = places[change.name] {
                members[place] = change
            } else if members.count < Self.mostMembers {
                places[change.name] = members.count
                members.append(change)
            }
        }
        return .object(members)
    }

    private mutating func stamp(_ delta: [StatsMember], _ form: Form, except stamped: Set<String>) {
        let time = delta[form == .compressed ? RTCStatsNames.time : "timestamp"]
        guard let time, case .some = time.number else { return }
        for change in delta where entries[change.name] != nil && !stamped.contains(change.name) {
            stamp(change.name, time)
        }
        guard form == .compressed else { return }
        let named = Set(delta.lazy.map(\.name))
        for id in Array(entries.keys) where !named.contains(id) {
            // What the other end said last is as old as it was.
            let isRemote = entries[id]?["type"]?.text?.hasPrefix("remote-") == true
            if !isRemote || entries[id]?["timestamp"] == nil { stamp(id, time) }
        }
    }

    /// There are no more times than entries, so each finds room.
    private mutating func stamp(_ id: String, _ time: StatsValue) { _ = set(time, "timestamp", of: id, .max) }
}
