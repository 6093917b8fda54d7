// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Network conditions that change during a call.
///
/// JSON lines such as `{"t":60,"dir":"up","loss":5}`: from `t` seconds on, the named conditions of that
/// direction have these values (names as in ``NetworkConditions/Link/set(_:_:)``); those not named stay as
/// they were. `outage` lasts that many seconds, 0 ends one. `signaling` (true or false) says whether the
/// client's signalling socket gets through.
public struct ConditionSchedule: Sendable, Equatable {
    /// What holds from a moment on.
    public struct Step: Sendable, Equatable {
        /// Seconds since the beginning.
        public var time: Double
        /// What the network does from then on.
        public var conditions: NetworkConditions
        /// Whether signalling gets through from then on.
        public var signaling: Bool

        /// Whether the client's signalling socket gets through: an outage of either direction cuts it as
        /// well.
        public var letsSignalingThrough: Bool { signaling && !conditions.up.isOut && !conditions.down.isOut }
    }

    /// In order of time.
    public private(set) var steps: [Step]

    /// The same conditions all the time.
    public init(always conditions: NetworkConditions) {
        steps = [Step(time: 0, conditions: conditions, signaling: true)]
    }

    /// Reads a schedule.
    ///
    /// - Throws: ``NetworkConditions/SyntaxError`` with the number of the line that is wrong.
    public init(parsing text: String) throws(NetworkConditions.SyntaxError) {
        var changes: [Change] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy(\.isWhitespace) { continue }
            do {
                changes += try Change.parse(line)
            } catch {
                throw NetworkConditions.SyntaxError("line \(index + 1): \(error.description)")
            }
        }
        if changes.isEmpty { throw NetworkConditions.SyntaxError("there is no line in the schedule") }
        steps = Self.steps(of: changes)
    }

    /// What holds at a time, seconds since the beginning; a perfect network before the first step.
    package func conditions(at time: Double) -> NetworkConditions {
        steps.last { $0.time <= time }?.conditions ?? NetworkConditions()
    }

    /// The same schedule for one direction, with a perfect network in the other.
    public func filtered(to direction: NetworkConditions.Direction) -> ConditionSchedule {
        var schedule = self
        for index in steps.indices {
            var conditions = NetworkConditions()
            conditions[direction] = steps[index].conditions[direction]
            schedule.steps[index].conditions = conditions
        }
        return schedule
    }

    /// Sums the changes up; one moment makes one step.
    private static func steps(of changes: [Change]) -> [Step] {
        var steps: [Step] = []
        var last = Step(time: 0, conditions: NetworkConditions(), signaling: true)
        let inOrder = changes.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }
        for (_, change) in inOrder {
            last.time = change.time
            change.apply(&last)
            if steps.last?.time == last.time { steps.removeLast() }
            steps.append(last)
        }
        return steps
    }
}

/// One thing that a line changes.
private struct Change {
    typealias SyntaxError = NetworkConditions.SyntaxError

    var time: Double
    var apply: (inout ConditionSchedule.Step) -> Void

    static func parse(_ line: Substring) throws(SyntaxError) -> [Change] {
        guard let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] else {
            throw SyntaxError("this is not a JSON object, such as {\"t\":60,\"dir\":\"up\",\"loss\":5}")
        }
        guard let time = (object["t"] as? NSNumber)?.doubleValue, time >= 0, time.isFinite else {
            throw SyntaxError("t is missing or not a number of seconds")
        }
        var changes: [Change] = []
        if let value = object["signaling"] {
            guard let isUp = value as? Bool else { throw SyntaxError("signaling should be true or false") }
            changes.append(Change(time: time) { $0.signaling = isUp })
        }
        let settings = object.filter { !["t", "dir", "signaling"].contains($0.key) }
        guard !settings.isEmpty else {
            if changes.isEmpty { throw SyntaxError("the line changes nothing") }
            return changes
        }
        return changes + (try link(settings, direction: object["dir"], time: time))
    }

    private static func link(
        _ settings: [String: Any], direction: Any?, time: Double
    ) throws(SyntaxError) -> [Change] {
        guard let direction = (direction as? String).flatMap(NetworkConditions.Direction.init) else {
            throw SyntaxError("dir should be \"up\" or \"down\"")
        }
        var changes: [Change] = []
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
            guard let number = (value as? NSNumber)?.doubleValue else {
                throw SyntaxError("\(key) should be a number")
            }
            if key == "outage" {
                changes += try outage(seconds: number, direction, time)
            } else {
                // Once for its errors: what cannot be set here cannot be set later.
                var trial = NetworkConditions.Link()
                try trial.set(key, number)
                changes.append(Change(time: time) { try? $0.conditions[direction].set(key, number) })
            }
        }
        return changes
    }

    private static func outage(
        seconds: Double, _ direction: NetworkConditions.Direction, _ time: Double
    ) throws(SyntaxError) -> [Change] {
        guard (0...86_400).contains(seconds) else {
            throw SyntaxError("outage should be a number of seconds, 0 to 86400")
        }
        guard seconds > 0 else { return [Change(time: time) { $0.conditions[direction].isOut = false }] }
        return [
            Change(time: time) { $0.conditions[direction].isOut = true },
            Change(time: time + seconds) { $0.conditions[direction].isOut = false },
        ]
    }
}
