// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Rebuilds the reports of a peer connection of which a client sends what changed (`Web/client/changes.js`).
///
/// `[number, time, ...changes]`: `[type, id, member, value, ...]` is a new object, which has the next index from 0;
/// `[index, member, value, ...]` changes one's members, by index or, when they are new, by name; a bare index ends one.
/// Numbers are what is to be added, anything else takes the place of what was there. A report that is whole has its
/// number below zero; any other needs the one before it.
///
/// Pure, and of bounded size: what is not in order is refused, and changes nothing.
package struct ReportRebuilder: Sendable, Equatable {
    /// Most objects, those that have ended among them.
    package static let objectLimit = 512
    /// Most that is kept from one whole report to the next, as `changes.js` counts it too: a member weighs 1, an object 4,
    /// and 32 bytes of text one more.
    package static let weightLimit = 12_288
    /// Longest text, bytes.
    package static let textLimit = 256

    private struct Object: Sendable, Equatable {
        var type: String
        var id: String
        /// By the index that the client knows them by; a name that no statistics have keeps its place.
        var members: [UInt8] = []
        var values: [StatsValue] = []
    }

    private var number: Int64 = 0
    private var time = 0.0
    private var objects: [Object?] = []
    /// What has been kept since the last whole report.
    package private(set) var weight = 0
    /// Whether the last report was refused because it is whole and larger than any may be: sent again it would be no
    /// better.
    package private(set) var isTooLarge = false

    /// Knows no report yet.
    package init() {}

    /// The report that the changes lead to; `nil` if they are not in order, the one before is not known, or it is larger
    /// than ``objectLimit`` and ``weightLimit`` say.
    package mutating func add(_ changes: [StatsValue]) -> StatsReport? {
        guard changes.count >= 2, case .int(let number) = changes[0], let step = changes[1].number else {
            return nil
        }
        // Worked on in place: there is no way back but a whole report, which a refusal asks for.
        guard begin(number), let time = Self.rounded(time + step) else { return refuse() }
        self.time = time
        for change in changes.dropFirst(2) {
            guard apply(change) else { return refuse(isWhole: number < 0) }
        }
        return report
    }

    /// Whether it has got these changes, or later ones.
    package func isPast(_ changes: [StatsValue]) -> Bool {
        guard case .int(let number)? = changes.first else { return false }
        return number.magnitude <= self.number.magnitude
    }

    private mutating func refuse(isWhole: Bool = false) -> StatsReport? {
        let isTooLarge = isWhole && isFull
        self = Self()
        self.isTooLarge = isTooLarge
        return nil
    }

    private var isFull: Bool { weight > Self.weightLimit || objects.count >= Self.objectLimit }

    private mutating func begin(_ number: Int64) -> Bool {
        if (Int64.min + 1..<0).contains(number) {
            self = Self()
            self.number = -number
            return true
        }
        guard number > 1, self.number == number - 1 else { return false }
        self.number = number
        return true
    }

    private mutating func apply(_ change: StatsValue) -> Bool {
        switch change {
        case .int(let index): return end(index)
        case .array(let values):
            guard case .string(let type)? = values.first else { return alter(values) }
            return begin(type, values.dropFirst())
        default: return false
        }
    }

    private mutating func begin(_ type: String, _ values: ArraySlice<StatsValue>) -> Bool {
        guard objects.count < Self.objectLimit, values.count % 2 == 1, case .string(let id)? = values.first,
            id.utf8.count <= Self.textLimit, type.utf8.count <= Self.textLimit
        else { return false }
        guard keep(4 + Self.weight(of: values.first)) else { return false }
        var object = Object(type: type, id: id)
        for at in stride(from: values.startIndex + 1, to: values.endIndex, by: 2) {
            guard case .string(let name) = values[at], add(name, values[at + 1], to: &object) else {
                return false
            }
        }
        objects.append(object)
        return true
    }

    private mutating func alter(_ values: [StatsValue]) -> Bool {
        guard values.count % 2 == 1, case .int(let index)? = values.first, let place = place(index),
            var object = objects[place]
        else { return false }
        // Else writing would copy what the list still holds.
        objects[place] = nil
        for at in stride(from: 1, to: values.count, by: 2) {
            guard alter(values[at], values[at + 1], of: &object) else { return false }
        }
        objects[place] = object
        return true
    }

    private mutating func alter(
        _ member: StatsValue, _ value: StatsValue, of object: inout Object
    ) -> Bool {
        switch member {
        case .string(let name): return add(name, value, to: &object)
        case .int(let index):
            guard let index = Int(exactly: index), object.values.indices.contains(index),
                let changed = Self.changed(object.values[index], by: value), keep(Self.weight(of: changed))
            else { return false }
            object.values[index] = changed
            return true
        default: return false
        }
    }

    private mutating func add(_ name: String, _ value: StatsValue, to object: inout Object) -> Bool {
        guard name.utf8.count <= Self.textLimit, let value = Self.changed(.null, by: value),
            keep(1 + Self.weight(of: value))
        else { return false }
        object.members.append(StatsReportBuilder.key(for: name).number)
        object.values.append(value)
        return true
    }

    private mutating func end(_ index: Int64) -> Bool {
        guard let place = place(index), objects[place] != nil else { return false }
        objects[place] = nil
        return true
    }

    private mutating func keep(_ more: Int) -> Bool {
        weight += more
        return weight <= Self.weightLimit
    }

    private static func weight(of value: StatsValue?) -> Int { (value?.text?.utf8.count ?? 0) / 32 }

    private func place(_ index: Int64) -> Int? {
        Int(exactly: index).flatMap { objects.indices.contains($0) ? $0 : nil }
    }

    /// What a member is after a change; `nil` for what no client sends.
    private static func changed(_ old: StatsValue, by change: StatsValue) -> StatsValue? {
        switch change {
        case .null, .bool: return change
        case .string(let text): return text.utf8.count <= textLimit ? change : nil
        case .array, .object: return nil
        case .int, .uint, .double:
            guard let step = change.number else { return nil }
            return rounded((old.number ?? 0) + step).map(value)
        }
    }

    /// A number as both ends keep it; `nil` if it is beyond all bounds.
    private static func rounded(_ value: Double) -> Double? {
        guard value.isFinite, abs(value) < 1e18 else { return nil }
        guard value != value.rounded(.down) else { return value }
        let scale = abs(value) < 1e9 ? 1e6 : 1e3
        return (value * scale + 0.5).rounded(.down) / scale
    }

    private static func value(_ number: Double) -> StatsValue {
        number == number.rounded(.down) ? .int(Int64(number)) : .double(number)
    }

    private var report: StatsReport {
        var builder = StatsReportBuilder()
        for case let object? in objects {
            builder.begin(type: object.type, id: object.id, timestamp: self.time(of: object))
            for (member, value) in zip(object.members, object.values) where member != 0 && value != .null {
                builder.set(StatsMemberKey(number: member), value)
            }
        }
        return builder.finish()
    }

    /// Its own time, or else the report's.
    private func time(of object: Object) -> Double {
        object.members.lastIndex(of: StatsMemberKey.timestamp.number)
            .flatMap { object.values[$0].number } ?? time
    }
}
