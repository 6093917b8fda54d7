// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LineEmulation
import MediaEngine

/// A call that is to be made: who takes part, and what is done to one of the lines.
package struct AccessPlan: Sendable, Equatable {
    /// What a line does from a moment on.
    package struct Change: Sendable, Equatable {
        /// Seconds since the call's beginning.
        package var time: Double
        package var conditions: NetworkConditions
    }

    package var setup: AccessCall.Setup
    package var conditions: NetworkConditions
    package var crossTraffic: [CrossTraffic] = []
    /// In order of time.
    package var changes: [Change] = []

    /// A profile on someone's line during the whole call.
    package init(
        _ profile: AccessProfile, _ end: AccessCall.End, kind: AccessCall.Kind = .init(), seconds: Int,
        seed: UInt64
    ) {
        setup = AccessCall.Setup(
            profile: profile.name, impaired: end, kind: kind, seconds: seconds, seed: seed)
        conditions = profile.conditions
        crossTraffic = profile.crossTraffic
    }
}

extension AccessPlan {
    /// The calls over some profiles; over fibre as well, once for each kind that sends something of its own, which says
    /// what such a call needs.
    package static func chosen(
        _ profiles: [AccessProfile], _ ends: [AccessCall.End], kinds: [AccessCall.Kind], seconds: Int,
        seed: UInt64
    ) -> [AccessPlan] {
        guard let first = ends.first else { return [] }
        let wantsFibre = profiles.contains(.fibre)
        var isKnown: Set<AccessCall.Kind> = []
        let references = kinds.filter { isKnown.insert($0.sending).inserted || wantsFibre }
        let lines = profiles.filter { $0 != .fibre }.flatMap { profile in ends.map { (profile, $0) } }
        let length = wantsFibre ? seconds : min(seconds, referenceSeconds)
        return references.map { AccessPlan(.fibre, first, kind: $0, seconds: length, seed: seed) }
            + lines.flatMap { profile, end in
                kinds.map { AccessPlan(profile, end, kind: $0, seconds: seconds, seed: seed) }
            }
    }

    /// All kinds of calls that there are of some clients, settings and intervals of reports.
    package static func kinds(
        _ clients: [AccessCall.Client], _ settings: [AccessCall.Setting], intervals: [Int]
    ) -> [AccessCall.Kind] {
        clients.flatMap { client in
            settings.flatMap { setting in
                intervals.map { AccessCall.Kind(client: client, setting: setting, interval: $0) }
            }
        }.filter(\.isPossible)
    }

    /// Those that are made with every change: half of the profiles in less than six minutes.
    ///
    /// Of the others little must be named, and a satellite's delay is the same in each second.
    package static var short: [AccessPlan] {
        let lines: [(AccessProfile, AccessCall.End)] = [
            (.fibre, .publisher), (.dslWithUpload, .publisher), (.congested, .publisher),
            (.congested, .subscriber), (.wifiStalls, .subscriber), (.lteTrain, .subscriber),
        ]
        return lines.map { AccessPlan($0, $1, seconds: 45, seed: 1) }
    }

    /// Each call once, however often it was asked for: a second one would write what the first one writes.
    package static func distinct(_ plans: [AccessPlan]) -> [AccessPlan] {
        var isKnown: Set<String> = []
        return plans.filter { isKnown.insert($0.setup.name).inserted }
    }

    /// What is drawn beside the line itself.
    enum Impairment: CaseIterable {
        case nothing, loss, burstLoss, rate, delay, jitter, stalls, outage, upload, download
    }

    /// Calls drawn from a seed, after one over fibre that says what a call needs.
    ///
    /// Each has a line of its own, and on it one impairment at a time that no one has chosen.
    package static func drawn(
        seed: UInt64, count: Int, kinds: [AccessCall.Kind] = [.init()], seconds: Int
    ) -> [AccessPlan] {
        var dice = Dice(seed: seed)
        return references(kinds, seconds: min(seconds, referenceSeconds), seed: seed)
            + (1...max(1, count)).flatMap { number in
                var plan = line("drawn\(number)", seconds, &dice)
                let length = Double(seconds)
                let start = dice.value(0.25 * length...0.5 * length)
                let impairment = dice.pick(Impairment.allCases)
                plan.impair(impairment, start, dice.value(0.15 * length...0.35 * length), &dice)
                return kinds.map { plan.of($0) }
            }
    }

    /// Long calls drawn from a seed: on a line of each's own one impairment after the other, with rests between that are
    /// long enough for everything to be well again.
    package static func long(
        seed: UInt64, count: Int, kinds: [AccessCall.Kind] = [.init()], seconds: Int = longCall
    ) -> [AccessPlan] {
        var dice = Dice(seed: seed)
        return references(kinds, seconds: min(seconds, referenceSeconds), seed: seed)
            + (1...max(1, count)).flatMap { number in
                var plan = line("long\(number)", seconds, &dice)
                var start = dice.value(rest)
                while true {
                    let duration = dice.value(15...40)
                    guard start + duration < Double(seconds) - 10 else { break }
                    plan.impair(dice.pick(Impairment.allCases), start, duration, &dice)
                    start += duration + dice.value(rest)
                }
                return kinds.map { plan.of($0) }
            }
    }

    /// Seconds of a long call.
    package static let longCall = 600
    /// Seconds between two impairments of a long call.
    private static let rest = 40.0...90.0
    /// Most seconds of a call that only says what one needs.
    private static let referenceSeconds = 75

    /// Over fibre, once for each kind that sends something of its own.
    private static func references(_ kinds: [AccessCall.Kind], seconds: Int, seed: UInt64) -> [AccessPlan] {
        var isKnown: Set<AccessCall.Kind> = []
        return kinds.filter { isKnown.insert($0.sending).inserted }.map {
            AccessPlan(.fibre, .subscriber, kind: $0, seconds: seconds, seed: seed)
        }
    }

    /// A call on a line of its own, on which nothing is done yet.
    private static func line(_ name: String, _ seconds: Int, _ dice: inout Dice) -> AccessPlan {
        let end = dice.pick([AccessCall.End.publisher, .subscriber]), seed = dice.next() >> 32
        var plan = AccessPlan(.fibre, end, seconds: seconds, seed: seed)
        plan.setup.profile = name
        plan.conditions.up = link(rate: 1_500...20_000, &dice)
        plan.conditions.down = link(rate: 4_000...50_000, &dice)
        return plan
    }

    private func of(_ kind: AccessCall.Kind) -> AccessPlan {
        var plan = self
        plan.setup.kind = kind
        return plan
    }

    private static func link(rate: ClosedRange<Double>, _ dice: inout Dice) -> NetworkConditions.Link {
        var link = NetworkConditions.Link()
        link.rate = dice.value(rate)
        link.queue = dice.value(50...500)
        link.delay = dice.value(3...50)
        link.jitter = dice.value(0...20)
        link.jitterCorrelation = dice.value(10...100)
        return link
    }

    private mutating func impair(
        _ impairment: Impairment, _ start: Double, _ duration: Double, _ dice: inout Dice
    ) {
        // Nearly always where the media go; the other one is there to be distinguished from it.
        let media: NetworkConditions.Direction = setup.impaired == .publisher ? .up : .down
        let direction = dice.value(0...1) < 0.85 ? media : media == .up ? .down : .up
        var bad = conditions, length = duration
        switch impairment {
        case .nothing: return
        case .upload, .download:
            crossTraffic.append(
                CrossTraffic(impairment == .upload ? .up : .down, start: start, duration: duration))
            return
        case .loss: bad[direction].loss = dice.value(1...20)
        case .burstLoss:
            bad[direction].burstLoss = dice.value(1...12)
            bad[direction].burstLength = dice.value(2...10)
        case .rate: bad[direction].rate = dice.value(80...1_000)
        case .delay: bad[direction].delay += dice.value(80...600)
        case .jitter:
            bad[direction].jitter = dice.value(40...300)
            bad[direction].jitterCorrelation = dice.value(10...300)
        case .stalls:
            bad[direction].stall = dice.value(200...1_500)
            bad[direction].stallInterval = dice.value(2_000...10_000)
        case .outage:
            length = dice.value(2...7)
            bad[direction].isOut = true
        }
        changes += [
            Change(time: start, conditions: bad), Change(time: start + length, conditions: conditions),
        ]
    }
}

/// Chance that is the same everywhere for the same seed (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func value(_ range: ClosedRange<Double>) -> Double {
        let share = Double(next() >> 11) / 9_007_199_254_740_992
        return range.lowerBound + share * (range.upperBound - range.lowerBound)
    }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(next() % UInt64(values.count))] }
}
