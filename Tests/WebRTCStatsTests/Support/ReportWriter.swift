// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Writes reports as what has changed, as `Web/client/changes.js` does: the other end of ``ReportRebuilder``.
struct ReportWriter {
    /// An object of a report: its members are numbers, texts and truth values.
    typealias Object = (type: String, id: String, members: [StatsMember])

    private struct Known {
        var names: [String]
        var values: [StatsValue]
    }

    private var number: Int64 = 0
    private var time: Double?
    private var objects: [Known?] = []
    private var places: [String: Int] = [:]

    mutating func restart() {
        time = nil
        objects = []
        places = [:]
    }

    mutating func write(_ report: [Object], at now: Double) -> [StatsValue] {
        number += 1
        let step = now - (time ?? 0)
        var changes: [StatsValue] = [.int(time == nil ? -number : number), .double(step)]
        time = (time ?? 0) + step
        var ended = places
        for object in report {
            ended[object.id] = nil
            if let change = change(object) { changes.append(change) }
        }
        for (id, place) in ended.sorted(by: { $0.value < $1.value }) {
            changes.append(.int(Int64(place)))
            objects[place] = nil
            places[id] = nil
        }
        return changes
    }

    private mutating func change(_ object: Object) -> StatsValue? {
        guard let place = places[object.id], var known = objects[place] else {
            places[object.id] = objects.count
            objects.append(Known(names: object.members.map(\.name), values: object.members.map(\.value)))
            let members = object.members.flatMap { [.string($0.name), $0.value] }
            return .array([.string(object.type), .string(object.id)] + members)
        }
        var change: [StatsValue] = [.int(Int64(place))]
        for (index, name) in known.names.enumerated() where object.members[name] != known.values[index].orNil
        {
            let value = object.members[name] ?? .null
            change += [.int(Int64(index)), Self.step(from: known.values[index], to: value)]
            known.values[index] = value
        }
        for member in object.members where !known.names.contains(member.name) {
            change += [.string(member.name), member.value]
            known.names.append(member.name)
            known.values.append(member.value)
        }
        objects[place] = known
        return change.count > 1 ? .array(change) : nil
    }

    private static func step(from old: StatsValue, to new: StatsValue) -> StatsValue {
        guard let before = old.number, let after = new.number else { return new }
        return .double(after - before)
    }
}

extension StatsValue {
    fileprivate var orNil: StatsValue? { self == .null ? nil : self }
}
