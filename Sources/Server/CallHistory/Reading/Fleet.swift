// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Minutes of streams at participants, and how many of them were bad: those of whose samples at least a tenth had a condition of fair
/// or worse.
package struct FleetCount: Sendable, Hashable, Codable {
    /// All.
    package var minutes: Int
    /// Those that were bad.
    package var bad: Int

    /// A count.
    package init(minutes: Int = 0, bad: Int = 0) {
        self.minutes = minutes
        self.bad = bad
    }

    static func += (left: inout Self, right: Self) {
        left.minutes += right.minutes
        left.bad += right.bad
    }
}

/// All calls of a time together: when they were bad, why, on whose side, with which software, and which were worst.
package struct Fleet: Sendable, Equatable, Codable {
    /// An hour or a day.
    package struct Period: Sendable, Equatable, Codable {
        /// When it began, Unix ms.
        package var time: Double
        /// Its minutes.
        package var count: FleetCount
        /// Bad minutes by what was wrong in most of each.
        package var causes: WordCounts<Diagnosis.Cause>
        /// Bad minutes by the side to blame in most of each.
        package var sides: WordCounts<NetworkDegradationSource>
    }

    /// Those who have something in common.
    package struct Group: Sendable, Equatable, Codable {
        /// What that is; `unknown` if no one said.
        package var kind: String
        /// Their minutes.
        package var count: FleetCount

        /// Describes some.
        package init(kind: String, count: FleetCount) {
            self.kind = kind
            self.count = count
        }
    }

    /// Groups of one kind that are omitted, because they are too many: those with the fewest minutes.
    package struct Omission: Sendable, Equatable, Codable {
        /// How many.
        package var groups: Int
        /// Their minutes.
        package var count: FleetCount

        /// Describes some.
        package init(groups: Int, count: FleetCount) {
            self.groups = groups
            self.count = count
        }
    }

    /// What is omitted from the lists of groups; `nil` where nothing is.
    package struct More: Sendable, Equatable, Codable {
        /// Of ``Fleet/clients``.
        package var clients: Omission?
        /// Of ``Fleet/versions``.
        package var versions: Omission?
        /// Of ``Fleet/turn``.
        package var turn: Omission?
        /// Of ``Fleet/networks``.
        package var networks: Omission?

        /// Nothing.
        package init() {}
    }

    /// A call, or session.
    package struct Call: Sendable, Equatable, Codable {
        /// Its name.
        package var session: String
        /// Its minutes in the time.
        package var count: FleetCount

        /// Describes one.
        package init(session: String, count: FleetCount) {
            self.session = session
            self.count = count
        }
    }

    /// All of it.
    package var total = FleetCount()
    /// Those in which there was anything, in their order.
    package var periods: [Period] = []
    /// By software: a browser's name, or what other software calls itself.
    ///
    /// The most minutes first, as with the other groups.
    package var clients: [Group] = []
    /// By the app's version, as its tag `version` says.
    package var versions: [Group] = []
    /// By how media leaves the machine: `direct`, or the protocol to a TURN server.
    package var turn: [Group] = []
    /// By the kind of network, as the browser says.
    package var networks: [Group] = []
    /// The groups beyond ``FleetBuilder/groupLimit`` of a kind.
    package var more = More()
    /// Those with the most bad minutes.
    package var worst: [Call] = []
    /// Bad minutes by what was wrong in most of each.
    package var causes = WordCounts<Diagnosis.Cause>()
    /// Bad minutes by the side to blame in most of each.
    package var sides = WordCounts<NetworkDegradationSource>()

    /// Nothing.
    package init() {}
}

/// Adds a fleet up.
///
/// Pure.
package struct FleetBuilder: Sendable {
    /// Most groups of a kind: an app may have any number of versions.
    package static let groupLimit = 50

    /// Length of a period, ms.
    private let length: Double
    private var fleet = Fleet()
    private var periods: [Double: Fleet.Period] = [:]
    private var clients: [String: FleetCount] = [:]
    private var versions: [String: FleetCount] = [:]
    private var turn: [String: FleetCount] = [:]
    private var networks: [String: FleetCount] = [:]

    /// - Parameter period: How long each is.
    package init(period: Duration) { length = max(period.milliseconds, 1) }

    /// Adds minutes of a time, Unix ms, of those with some context.
    package mutating func add(_ count: FleetCount, at time: Double, _ context: FleetContext) {
        fleet.total += count
        change(time) { $0.count += count }
        clients[ClientKind.name(of: context.client), default: .init()] += count
        versions[Self.kind(context.version), default: .init()] += count
        turn[Self.kind(context.turn), default: .init()] += count
        networks[Self.kind(context.network), default: .init()] += count
    }

    private static func kind(_ said: String?) -> String {
        said.flatMap { $0.isEmpty ? nil : $0 } ?? "unknown"
    }

    /// The groups with the most minutes first.
    private static func groups(_ counts: [String: FleetCount]) -> ([Fleet.Group], Fleet.Omission?) {
        let all = counts.map { Fleet.Group(kind: $0.key, count: $0.value) }
            .sorted { ($1.count.minutes, $0.kind) < ($0.count.minutes, $1.kind) }
        let rest = all.dropFirst(groupLimit)
        let count = rest.reduce(into: FleetCount()) { $0 += $1.count }
        return (
            Array(all.prefix(groupLimit)),
            rest.isEmpty ? nil : Fleet.Omission(groups: rest.count, count: count)
        )
    }

    /// Adds bad minutes of a time, Unix ms, in most of which something was wrong.
    package mutating func add(cause: Diagnosis.Cause, _ count: Int, at time: Double) {
        fleet.causes[cause] += count
        change(time) { $0.causes[cause] += count }
    }

    /// Adds bad minutes of a time, Unix ms, for most of which a side is to blame.
    package mutating func add(side: NetworkDegradationSource, _ count: Int, at time: Double) {
        fleet.sides[side] += count
        change(time) { $0.sides[side] += count }
    }

    /// What was added, with the worst calls.
    package func fleet(worst: [Fleet.Call]) -> Fleet {
        var fleet = fleet
        fleet.periods = periods.values.sorted { $0.time < $1.time }
        (fleet.clients, fleet.more.clients) = Self.groups(clients)
        (fleet.versions, fleet.more.versions) = Self.groups(versions)
        (fleet.turn, fleet.more.turn) = Self.groups(turn)
        (fleet.networks, fleet.more.networks) = Self.groups(networks)
        fleet.worst = worst
        return fleet
    }

    private mutating func change(_ time: Double, _ change: (inout Fleet.Period) -> Void) {
        let begin = (time / length).rounded(.down) * length
        var period = periods[begin] ?? Fleet.Period(time: begin, count: .init(), causes: [:], sides: [:])
        change(&period)
        periods[begin] = period
    }
}

/// With what someone took part in a call; what is `nil` is not known.
package struct FleetContext: Sendable, Equatable {
    /// What its software calls itself.
    package var client: String?
    /// The app's version.
    package var version: String?
    /// How its media leaves the machine.
    package var turn: String?
    /// Its kind of network.
    package var network: String?

    /// Describes someone.
    package init(
        client: String? = nil, version: String? = nil, turn: String? = nil, network: String? = nil
    ) {
        self.client = client
        self.version = version
        self.turn = turn
        self.network = network
    }
}

/// What kind of software someone has.
package enum ClientKind {
    /// Longest name.
    private static let limit = 32
    /// Each browser claims to be those after it.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]

    /// The name of a browser, or the first word of what other software calls itself, without its version.
    package static func name(of client: String?) -> String {
        guard let client, !client.isEmpty else { return "unknown" }
        if client.hasPrefix("Mozilla/") {
            return browsers.first { client.contains($0.0) }?.1 ?? "another browser"
        }
        let word = client.prefix { !$0.isWhitespace && $0 != "/" }
        return word.isEmpty ? "unknown" : word.cut(toBytes: limit)
    }
}

/// How many calls of participants were bad in two times, and whether the difference may be chance.
///
/// Each participant's part in a call counts once: minutes of the same call are alike, and would make chance look like a change.
package struct FleetComparison: Sendable, Equatable, Codable {
    /// The parts that participants had in calls, and how many of them were bad: with a tenth of their minutes or more.
    package struct Share: Sendable, Equatable, Codable {
        /// All.
        package var calls: Int
        /// Those that were bad.
        package var bad: Int

        /// Describes one.
        package init(calls: Int, bad: Int) {
            self.calls = calls
            self.bad = bad
        }

        var value: Double { calls > 0 ? Double(bad) / Double(calls) : 0 }
    }

    /// The time before.
    package var before: Share
    /// The time after.
    package var after: Share
    /// What the share of bad ones has changed by, `-1...1`; `nil` if there was no call before or after.
    package var difference: Double?
    /// Where the difference lies with 95 % confidence.
    package var low: Double?
    /// Where the difference lies with 95 % confidence.
    package var high: Double?
    /// How likely chance alone makes a difference as large, `0...1`: the two-sided test of two proportions.
    package var chance: Double?

    /// The standard normal distribution's 97.5th percentile.
    private static let quantile = 1.959963984540054

    /// Compares.
    package init(before: Share, after: Share) {
        self.before = before
        self.after = after
        guard before.calls > 0, after.calls > 0 else { return }
        let difference = after.value - before.value
        self.difference = difference
        let (first, second) = (Self.interval(before), Self.interval(after))
        // Newcombe's interval, of the two shares' own: right for few calls and shares near 0 as well.
        low =
            difference
            - (Self.square(after.value - second.low) + Self.square(first.high - before.value)).squareRoot()
        high =
            difference
            + (Self.square(second.high - after.value) + Self.square(before.value - first.low)).squareRoot()
        chance = Self.chance(before, after, difference)
    }

    private static func square(_ value: Double) -> Double { value * value }

    /// Wilson's interval of a share.
    private static func interval(_ share: Share) -> (low: Double, high: Double) {
        let (count, square) = (Double(share.calls), quantile * quantile)
        let middle = (share.value + square / (2 * count)) / (1 + square / count)
        let variance = share.value * (1 - share.value) / count + square / (4 * count * count)
        let half = quantile * variance.squareRoot() / (1 + square / count)
        return (max(0, middle - half), min(1, middle + half))
    }

    private static func chance(_ before: Share, _ after: Share, _ difference: Double) -> Double {
        let pooled = Double(before.bad + after.bad) / Double(before.calls + after.calls)
        let variance = pooled * (1 - pooled) * (1 / Double(before.calls) + 1 / Double(after.calls))
        guard variance > 0 else { return 1 }
        return erfc(abs(difference) / variance.squareRoot() / 2.0.squareRoot())
    }
}
