// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation

/// Makes of sustained issues what one receiver is notified of: those of one participant, direction and reason together, and only
/// what lasts.
///
/// Pure. Times are Unix ms of a clock that no one sets.
struct AlertGroups {
    /// Groups at once; of more than that nothing is said.
    static let capacity = 10_000
    /// How long nothing is heard of an issue until it counts as over: the end of one can be lost with what is stored of it.
    static let silence: Duration = .seconds(60)

    /// What is one issue from its beginning to its end.
    fileprivate struct Issue: Hashable {
        var flow: FlowDescription
        var side: NetworkDegradationSource
        var observer: Observer
        var first: Double

        init(_ alert: Alert) {
            (flow, side, observer, first) = (alert.flow, alert.side, alert.observer, alert.first)
        }
    }

    fileprivate struct Key: Hashable {
        var session: String
        var subject: AlertNotification.Subject
        var reason: NetworkReason?
    }

    fileprivate struct Group {
        enum State {
            /// Not long or bad enough.
            case waiting
            /// The receiver was notified, last at that time and of that condition.
            case notified(at: Double, worst: NetworkCondition)
        }

        var state = State.waiting
        /// When each of those that are not over was heard of last, by ``AlertGroups/storedTime(at:)``.
        var open: [Issue: Double] = [:]
        var flows: Set<FlowDescription> = []
        var connection: String?
        var first: Double
        var last: Double
        var worst: NetworkCondition
        /// The time from which on all of its issues are over, by the same clock; `nil` while one is not.
        var quietSince: Double?
    }

    private let rules: AlertRules
    /// After how much time what lasts is said again; `nil` for never.
    private let repetition: Duration?
    private let site: AlertSite
    private var groups: [Key: Group] = [:]
    private var keys: [Issue: Key] = [:]
    /// Issues of which nothing is said, because there are too many.
    private(set) var omitted: UInt64 = 0
    /// For how long nothing could be stored, ms: nothing was heard in it, so that nothing was silent or well.
    private var unheardTime = 0.0
    private var advancedAt: Double?
    /// Issues that ended here with their call while nothing could be stored, with the time by ``storedTime(at:)``: what is
    /// stored of them later begins nothing.
    private var endedUnheard: [Issue: Double] = [:]

    init(_ rules: AlertRules, repetition: Duration?, site: AlertSite) {
        self.rules = rules
        self.repetition = repetition
        self.site = site
    }

    /// Takes an issue that began, grew or ended.
    mutating func take(_ change: AlertChange, at now: Double) -> [AlertPost] {
        let alert = change.alert
        let issue = Issue(alert)
        guard endedUnheard[issue] == nil else { return [] }
        // The end of one of which nothing was heard or said.
        guard keys[issue] != nil || change.isNew || !alert.isOver else { return [] }
        let key = keys[issue] ?? Key(alert)
        guard groups[key] != nil || groups.count < Self.capacity else {
            if change.isNew { omitted += 1 }
            return []
        }
        var group = groups[key] ?? Group(alert)
        group.add(alert, key.subject)
        group.open[issue] = alert.isOver ? nil : storedTime(at: now)
        keys[issue] = alert.isOver ? nil : key
        group.quietSince = group.open.isEmpty ? storedTime(at: now) : nil
        defer { groups[key] = group }
        return notify(key, &group, at: now)
    }

    /// Takes issues that have ended with a server before this one, or with another one, which may have notified the receiver.
    func recall(_ alerts: [Alert]) -> [AlertPost] {
        var recalled: [Key: Group] = [:]
        for alert in alerts {
            let key = Key(alert)
            recalled[key, default: Group(alert)].add(alert, key.subject)
        }
        return recalled.compactMap { key, group in
            if case .notified = groups[key]?.state { return nil }
            guard isEnough(group) else { return nil }
            return AlertPost(type: .ended, alert: notification(key, group, isOver: true))
        }
    }

    /// Some time has passed.
    ///
    /// - Parameter isStoring: Whether what came in it was stored: what is not comes to no one here.
    mutating func advance(to now: Double, isStoring: Bool = true) -> [AlertPost] {
        if !isStoring { unheardTime += now - (advancedAt ?? now) }
        advancedAt = now
        let storedTime = storedTime(at: now)
        endedUnheard = endedUnheard.filter { storedTime - $0.value <= Self.silence.milliseconds }
        var posts: [AlertPost] = []
        for (key, var group) in groups {
            for (issue, heardAt) in group.open where storedTime - heardAt > Self.silence.milliseconds {
                group.open[issue] = nil
                keys[issue] = nil
            }
            if group.open.isEmpty { group.quietSince = group.quietSince ?? storedTime }
            groups[key] = group
            if let quietSince = group.quietSince, storedTime - quietSince >= rules.hold.milliseconds {
                posts += end(key, group)
            } else if case .notified(let time, _) = group.state, let repetition,
                now - time >= repetition.milliseconds
            {
                posts.append(say(.continues, key, &group, at: now))
                groups[key] = group
            }
        }
        return posts
    }

    /// A clock that stands still while nothing is stored.
    private func storedTime(at now: Double) -> Double { now - unheardTime }

    /// Calls of which something is held that is not waited for once they are gone: where nothing is bad now, and others while
    /// nothing is stored, for nothing says of those that they end.
    func sessionsToCheck(isStoring: Bool) -> Set<String> {
        Set(groups.lazy.filter { !isStoring || $0.value.quietSince != nil }.map(\.key.session))
    }

    /// Calls are over, or at another server: what is held of them is not waited for.
    mutating func end(sessions: Set<String>, at now: Double, isStoring: Bool) -> [AlertPost] {
        var posts: [AlertPost] = []
        for (key, group) in groups where sessions.contains(key.session) {
            guard !isStoring || group.quietSince != nil else { continue }
            for issue in group.open.keys { endedUnheard[issue] = storedTime(at: now) }
            posts += end(key, group)
        }
        return posts
    }

    /// The server ends, and with it whatever the receiver was notified of.
    mutating func finish() -> [AlertPost] { groups.flatMap { key, group in end(key, group) } }

    private func notify(_ key: Key, _ group: inout Group, at now: Double) -> [AlertPost] {
        switch group.state {
        case .waiting: isEnough(group) ? [say(.began, key, &group, at: now)] : []
        case .notified(_, let worst): group.worst < worst ? [say(.continues, key, &group, at: now)] : []
        }
    }

    private func isEnough(_ group: Group) -> Bool {
        group.worst <= rules.severity && group.last - group.first >= rules.after.milliseconds
    }

    private func say(_ type: AlertPost.Kind, _ key: Key, _ group: inout Group, at now: Double) -> AlertPost {
        group.state = .notified(at: now, worst: group.worst)
        return AlertPost(type: type, alert: notification(key, group))
    }

    private mutating func end(_ key: Key, _ group: Group) -> [AlertPost] {
        groups[key] = nil
        for issue in group.open.keys { keys[issue] = nil }
        guard case .notified = group.state else { return [] }
        return [AlertPost(type: .ended, alert: notification(key, group, isOver: true))]
    }

    private func notification(_ key: Key, _ group: Group, isOver: Bool = false) -> AlertNotification {
        AlertNotification(
            origin: site.origin, subject: key.subject, session: key.session, connection: group.connection,
            reason: key.reason, worst: group.worst, first: group.first, last: group.last,
            flows: group.flows.count, isOver: isOver, url: site.page(ofSession: key.session))
    }
}

extension AlertGroups.Key {
    fileprivate init(_ alert: Alert) {
        session = alert.flow.session
        reason = alert.reason == .unknown ? nil : alert.reason
        // Whom a client blames is its word alone; the router blames the server by what all of its connections are like.
        let isOfServer = alert.observer == .router && alert.source == .server
        subject =
            switch (alert.side, alert.flow.role) {
            case _ where isOfServer: .server
            case (.remote, _), (_, .publisher): .uplink(stream: alert.flow.stream)
            case (_, .subscriber): .downlink(connection: alert.flow.connection)
            }
    }
}

extension AlertGroups.Group {
    fileprivate init(_ alert: Alert) { (first, last, worst) = (alert.first, alert.last, alert.worst) }

    fileprivate mutating func add(_ alert: Alert, _ subject: AlertNotification.Subject) {
        first = min(first, alert.first)
        last = max(last, alert.last)
        worst = min(worst, alert.worst)
        flows.insert(alert.flow)
        // Whose an uplink is its publisher's own flow says.
        switch (subject, alert.flow.role) {
        case (.uplink, .publisher), (.downlink, _): connection = alert.flow.connection
        case (.uplink, .subscriber), (.server, _), (.fleet, _): break
        }
    }
}

/// Which server it is, and where its dashboard is.
struct AlertSite: Sendable {
    /// The application.
    var application = ""
    /// Its root; `nil` if the server does not know where it is reached.
    var root: URL?

    /// What alerts of this server have in common, and no other server's.
    var origin: String { "\(application) \(root?.absoluteString ?? "")" }

    /// The page of a call.
    func page(ofSession session: String) -> String? {
        let name = session.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return name.flatMap { page("session/\($0)") }
    }

    /// The page of all calls.
    var fleet: String? { page("fleet") }

    private func page(_ place: String) -> String? {
        root.map { "\($0.absoluteString.trimming(suffix: "/"))/#/\(place)" }
    }
}

extension String {
    fileprivate func trimming(suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
