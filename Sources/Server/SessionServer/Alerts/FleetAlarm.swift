// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel

/// Whether the share of bad calls is an alert of its own.
///
/// Pure.
struct FleetAlarm {
    /// Share of the limit below which it is over, so that it does not begin and end every minute.
    private static let hysteresis = 0.75

    private let rule: FleetRule
    private let site: AlertSite
    private var first: Double?
    /// What the calls were like when they were looked at last: of later no one has measured anything.
    private var last = Fleet()
    /// The time from which on all that comes has been stored: minutes before that may be missing.
    private var storedSince = -Double.infinity

    init(_ rule: FleetRule, site: AlertSite) {
        self.rule = rule
        self.site = site
    }

    /// Takes what the calls of the last minutes were like.
    mutating func take(_ fleet: Fleet, at now: Double) -> AlertPost? {
        let total = fleet.total
        let hasEnough = total.minutes >= rule.minimumMinutes
        storedSince = min(storedSince, now)
        // Too few are well only where none are missing.
        guard hasEnough || now - storedSince >= rule.window.milliseconds else { return continuation(at: now) }
        last = fleet
        let share = total.minutes > 0 ? Double(total.bad) / Double(total.minutes) : 0
        let isBad = hasEnough && share >= rule.badShare
        guard let began = first else {
            guard isBad else { return nil }
            first = now
            return AlertPost(type: .began, alert: notification(fleet, since: now, isOver: false, at: now))
        }
        let isWell = !hasEnough || share < rule.badShare * Self.hysteresis
        if isWell { first = nil }
        return AlertPost(
            type: isWell ? .ended : .continues,
            alert: notification(fleet, since: began, isOver: isWell, at: now))
    }

    /// It is not looked at any more, here at least; gives the end of what has begun.
    mutating func finish(at now: Double) -> AlertPost? {
        defer { first = nil }
        return first.map {
            .init(type: .ended, alert: notification(last, since: $0, isOver: true, at: now))
        }
    }

    /// Nothing is known of the calls just now: what has begun lasts.
    mutating func wait(at now: Double) -> AlertPost? {
        storedSince = .infinity
        return continuation(at: now)
    }

    private func continuation(at now: Double) -> AlertPost? {
        first.map {
            .init(type: .continues, alert: notification(last, since: $0, isOver: false, at: now))
        }
    }

    private func notification(_ fleet: Fleet, since first: Double, isOver: Bool, at now: Double)
        -> AlertNotification
    {
        AlertNotification(
            origin: site.origin, subject: .fleet(fleet.total, within: rule.window), worst: .warning,
            first: first, last: now, flows: 0, isOver: isOver, details: isOver ? nil : Self.details(fleet),
            url: site.fleet)
    }

    /// What most of the bad minutes have in common.
    private static func details(_ fleet: Fleet) -> String? {
        let bad = Double(max(fleet.total.bad, 1))
        func share(_ count: Int) -> String { NumberFormat.percent(Double(count) / bad, decimals: 0) }
        var parts: [String] = []
        if let (cause, count) = fleet.causes.sorted.first {
            parts.append("\(share(count)) of them \(cause.label)")
        }
        if let (side, count) = fleet.sides.sorted.first { parts.append("\(share(count)) by \(side.label)") }
        let relayed = fleet.turn.filter { $0.kind != "direct" && $0.kind != "unknown" }.reduce(0) {
            $0 + $1.count.bad
        }
        if relayed > 0 { parts.append("\(share(relayed)) behind TURN") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
