// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import TestSupport
import Testing

@testable import SessionServer

@Suite("What receivers of alerts are notified of")
struct AlertGroupsTests {
    private static func issue(
        _ connection: String = "alice", _ role: StreamRole = .publisher, stream: String = "cam",
        blamed: NetworkDegradationSource? = nil, side: NetworkDegradationSource = .local,
        reason: NetworkReason? = .packetLoss, worst: NetworkCondition = .warning,
        observer: Observer = .client,
        from first: Double = 0, to last: Double, isOver: Bool = false
    ) -> Alert {
        Alert(
            flow: .init(session: "s", connection: connection, stream: stream, role: role), side: side,
            observer: observer, first: first * 1000, last: last * 1000, samples: 3, worst: worst,
            reason: reason, source: blamed, isOver: isOver)
    }

    /// A receiver that is notified after 10 s, and holds for 30 s.
    private struct Receiver {
        var groups = AlertGroups(AlertRules(), repetition: nil, site: AlertSite())
        private(set) var posts: [AlertPost] = []

        mutating func take(_ alert: Alert, isNew: Bool = false) {
            posts += groups.take(.init(alert: alert, isNew: isNew), at: alert.last)
        }

        mutating func wait(until second: Double) { posts += groups.advance(to: second * 1000) }

        var types: [AlertPost.Kind] { posts.map(\.type) }
    }

    @Test("it begins after 10 s and is over after 30 s without it, and what is short is nothing")
    func times() {
        var receiver = Receiver()
        receiver.take(Self.issue(to: 2), isNew: true)
        receiver.take(Self.issue(to: 9.9))
        #expect(receiver.posts.isEmpty)
        receiver.take(Self.issue(to: 10))
        receiver.take(Self.issue(to: 15))
        receiver.take(Self.issue(to: 20, isOver: true))
        receiver.wait(until: 49.9)
        #expect(receiver.types == [.began])
        receiver.wait(until: 50)
        #expect(receiver.types == [.began, .ended])
        #expect(receiver.posts.last?.alert.first == 0 && receiver.posts.last?.alert.last == 20_000)
        receiver.take(Self.issue(from: 100, to: 102), isNew: true)
        receiver.take(Self.issue(from: 100, to: 105, isOver: true))
        receiver.wait(until: 1000)
        #expect(receiver.posts.count == 2)
    }

    @Test("what comes and goes is one until it is gone for 30 s")
    func flapping() {
        var receiver = Receiver()
        for start in stride(from: 0.0, to: 60, by: 10) {
            receiver.take(Self.issue(from: start, to: start + 2), isNew: true)
            receiver.take(Self.issue(from: start, to: start + 4, isOver: true))
            receiver.wait(until: start + 9)
        }
        #expect(receiver.types == [.began])
        receiver.wait(until: 84)
        #expect(receiver.types == [.began, .ended])
    }

    @Test(
        "a publisher's uplink is one, whoever sees it; what each receives is its own, and so is another reason"
    )
    func grouping() {
        var receiver = Receiver()
        let seen = [
            Self.issue(to: 20), Self.issue(observer: .router, to: 20),
            Self.issue("bob", .subscriber, blamed: .remote, side: .remote, to: 20),
            Self.issue("carol", .subscriber, side: .remote, to: 20),
        ]
        for alert in seen { receiver.take(alert, isNew: true) }
        #expect(receiver.posts.count == 1)
        #expect(receiver.posts.first?.alert.subject == .uplink(stream: "cam"))
        #expect(receiver.posts.first?.alert.connection == "alice")
        receiver.take(Self.issue("bob", .subscriber, to: 20), isNew: true)
        receiver.take(Self.issue("bob", .subscriber, stream: "other", to: 20), isNew: true)
        receiver.take(Self.issue("carol", .subscriber, from: 1, to: 20), isNew: true)
        receiver.take(Self.issue(reason: .bandwidth, from: 1, to: 20), isNew: true)
        receiver.take(
            Self.issue("dave", .subscriber, blamed: .server, observer: .router, to: 20), isNew: true)
        let subjects = receiver.posts.dropFirst().map(\.alert.subject)
        #expect(
            subjects == [
                .downlink(connection: "bob"), .downlink(connection: "carol"), .uplink(stream: "cam"), .server,
            ])
        // It is over when all of them see it no more.
        for var alert in seen.dropLast() {
            (alert.last, alert.isOver) = (21_000, true)
            receiver.take(alert)
        }
        receiver.wait(until: 60)
        #expect(!receiver.types.contains(.ended))
        var last = seen[3]
        (last.last, last.isOver) = (61_000, true)
        receiver.take(last)
        receiver.wait(until: 91)
        #expect(receiver.types.filter { $0 == .ended }.count == 1)
        #expect(receiver.posts.last?.alert.flows == 3)
    }

    @Test("whom a client blames is no one's alert but its own")
    func clientsWord() {
        var receiver = Receiver()
        receiver.take(Self.issue("mallory", .subscriber, blamed: .server, to: 20), isNew: true)
        receiver.take(Self.issue("mallory", .subscriber, stream: "b", blamed: .remote, to: 20), isNew: true)
        #expect(receiver.posts.map(\.alert.subject) == [.downlink(connection: "mallory")])
    }

    @Test("whose it is stays, whatever is blamed later")
    func laterBlame() {
        var receiver = Receiver()
        receiver.take(Self.issue("bob", .subscriber, side: .remote, to: 2), isNew: true)
        receiver.take(Self.issue("bob", .subscriber, blamed: .local, side: .remote, to: 12))
        #expect(receiver.posts.map(\.alert.subject) == [.uplink(stream: "cam")])
        #expect(receiver.posts.first?.alert.connection == nil)
    }

    @Test("an issue whose end is lost is over a minute after it was heard of last")
    func lostEnd() {
        var receiver = Receiver()
        receiver.take(Self.issue(to: 12), isNew: true)
        receiver.wait(until: 71)
        #expect(receiver.types == [.began])
        receiver.wait(until: 73)
        receiver.wait(until: 103)
        #expect(receiver.types == [.began, .ended])
    }

    @Test("nothing is over while nothing can be stored: then nothing is heard, but it is said that it lasts")
    func storeIsAway() {
        var groups = AlertGroups(AlertRules(), repetition: .seconds(60), site: AlertSite())
        var posts = groups.take(.init(alert: Self.issue(to: 12), isNew: true), at: 12_000)
        posts += groups.take(
            .init(alert: Self.issue("bob", .subscriber, to: 12, isOver: true), isNew: true), at: 12_000)
        for second in 13...600 { posts += groups.advance(to: Double(second) * 1000, isStoring: false) }
        #expect(posts.filter { $0.type == .began }.count == 2)
        #expect(posts.filter { $0.type == .continues }.count == 18 && !posts.contains { $0.type == .ended })
        // Once it can, both are over as they would have been, and not at once.
        func ended(_ seconds: ClosedRange<Int>) -> [AlertNotification.Subject] {
            seconds.flatMap { groups.advance(to: Double($0) * 1000) }.filter { $0.type == .ended }
                .map(\.alert.subject)
        }
        #expect(ended(601...628).isEmpty)
        #expect(ended(629...640) == [.downlink(connection: "bob")])
        #expect(ended(641...689).isEmpty)
        #expect(ended(690...700) == [.uplink(stream: "cam")])
    }

    @Test("that it turns critical is said once")
    func escalation() {
        var receiver = Receiver()
        receiver.take(Self.issue(to: 12), isNew: true)
        receiver.take(Self.issue(worst: .critical, to: 13))
        receiver.take(Self.issue(worst: .critical, to: 14))
        #expect(receiver.types == [.began, .continues])
        #expect(receiver.posts.last?.alert.worst == .critical)
    }

    @Test("of a call that is over, or at another server, nothing is held")
    func goneCall() {
        var receiver = Receiver()
        receiver.take(Self.issue(to: 12), isNew: true)
        func end(_ session: String) -> [AlertPost.Kind] {
            receiver.groups.end(sessions: [session], at: 13_000, isStoring: true).map(\.type)
        }
        #expect(receiver.groups.sessionsToCheck(isStoring: true).isEmpty && end("s").isEmpty)
        receiver.take(Self.issue(to: 13, isOver: true))
        #expect(receiver.groups.sessionsToCheck(isStoring: true) == ["s"])
        #expect(end("other").isEmpty)
        #expect(end("s") == [.ended])
    }

    @Test("a call that is over ends its alerts while nothing can be stored; what is stored later begins none")
    func goneCallUnheard() {
        var groups = AlertGroups(AlertRules(), repetition: nil, site: AlertSite())
        func take(_ alert: Alert, isNew: Bool = false, at second: Double) -> [AlertPost] {
            groups.take(.init(alert: alert, isNew: isNew), at: second * 1000)
        }
        let began = take(Self.issue(to: 12), isNew: true, at: 12)
        #expect(began.map(\.type) == [.began])
        #expect(groups.advance(to: 13_000, isStoring: false).isEmpty)
        #expect(groups.sessionsToCheck(isStoring: false) == ["s"])
        let ended = groups.end(sessions: ["s"], at: 13_000, isStoring: false)
        #expect(ended.map(\.type) == [.ended] && ended.first?.alert.id == began.first?.alert.id)
        #expect(groups.sessionsToCheck(isStoring: false).isEmpty)
        #expect(groups.advance(to: 600_000, isStoring: false).isEmpty)
        // What has waited for the store, a part of it twice.
        for alert in [Self.issue(to: 14), Self.issue(to: 15, isOver: true), Self.issue(to: 15)] {
            #expect(take(alert, at: 600).isEmpty)
        }
        // A call of that name that came later.
        #expect(take(Self.issue(from: 601, to: 612), isNew: true, at: 612).map(\.type) == [.began])
    }

    @Test("who wants critical alone hears of nothing else")
    func severity() {
        var rules = AlertRules()
        rules.severity = .critical
        var groups = AlertGroups(rules, repetition: nil, site: AlertSite())
        #expect(groups.take(.init(alert: Self.issue(to: 20), isNew: true), at: 20_000).isEmpty)
        let worse = groups.take(.init(alert: Self.issue(worst: .critical, to: 21), isNew: false), at: 21_000)
        #expect(worse.map(\.type) == [.began])
    }

    @Test("a receiver that forgets hears of it once a minute, also while it is held")
    func repetition() {
        var groups = AlertGroups(AlertRules(), repetition: .seconds(60), site: AlertSite())
        var posts = groups.take(.init(alert: Self.issue(to: 10), isNew: true), at: 10_000)
        for second in 11...200 {
            let time = Double(second)
            posts += groups.take(.init(alert: Self.issue(to: time), isNew: false), at: time * 1000)
            posts += groups.advance(to: time * 1000)
        }
        posts += groups.take(.init(alert: Self.issue(to: 201, isOver: true), isNew: false), at: 201_000)
        for second in 202...300 { posts += groups.advance(to: Double(second) * 1000) }
        #expect(posts.map(\.type) == [.began, .continues, .continues, .continues, .ended])
    }

    @Test("what a server before this one has begun is over, once; what it was not notified of is nothing")
    func restart() {
        var receiver = Receiver()
        #expect(receiver.groups.recall([Self.issue(to: 5, isOver: true)]).isEmpty)
        let seen = [
            Self.issue(to: 12, isOver: true), Self.issue(observer: .router, to: 12, isOver: true),
            Self.issue("bob", .subscriber, side: .remote, to: 12, isOver: true),
        ]
        let recalled = receiver.groups.recall(seen)
        #expect(recalled.map(\.type) == [.ended] && recalled.first?.alert.flows == 2)
        receiver.take(Self.issue(to: 12, isOver: true))
        #expect(receiver.posts.isEmpty)
        var before = Receiver()
        before.take(Self.issue(to: 12), isNew: true)
        #expect(before.posts.first?.alert.id == recalled.first?.alert.id)
        // Whatever a server has begun it ends when it ends, but what continues here is not another one's.
        #expect(before.groups.recall(seen).isEmpty)
        #expect(before.groups.finish().map(\.type) == [.ended] && before.groups.finish().isEmpty)
    }

    @Test("too many at once are omitted and counted")
    func bounded() {
        var groups = AlertGroups(.immediate, repetition: nil, site: AlertSite())
        var posts = 0
        for number in 0..<AlertGroups.capacity + 5 {
            posts +=
                groups.take(.init(alert: Self.issue(stream: "\(number)", to: 2), isNew: true), at: 2000).count
        }
        #expect(posts == AlertGroups.capacity && groups.omitted == 5)
        let omitted = Self.issue(stream: "\(AlertGroups.capacity)", to: 3, isOver: true)
        #expect(groups.take(.init(alert: omitted, isNew: false), at: 3000).isEmpty && groups.omitted == 5)
    }

    @Test(
        "in any order, what has begun ends once, and nothing else does",
        arguments: Seed.draw(1))
    func anyOrder(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var receiver = Receiver()
            var isBad = [false, false, false]
            var first = [0.0, 0, 0]
            for second in 0..<300 {
                let time = Double(second)
                let index = Int.random(in: 0..<3, using: &generator)
                let ends = isBad[index] && Bool.random(using: &generator)
                if !isBad[index] { first[index] = time }
                receiver.take(
                    Self.issue(
                        "alice", stream: "cam\(index % 2)", observer: index == 2 ? .router : .client,
                        from: first[index], to: time, isOver: ends), isNew: !isBad[index])
                isBad[index] = !ends
                receiver.wait(until: time)
            }
            for index in 0..<3 where isBad[index] {
                receiver.take(
                    Self.issue(
                        "alice", stream: "cam\(index % 2)", observer: index == 2 ? .router : .client,
                        from: first[index], to: 300, isOver: true))
            }
            receiver.wait(until: 400)
            var begun: Set<String> = []
            for post in receiver.posts {
                switch post.type {
                case .began: #expect(begun.insert(post.alert.id).inserted)
                case .ended: #expect(begun.remove(post.alert.id) != nil)
                case .continues: Issue.record("nothing is said again")
                }
            }
            #expect(begun.isEmpty)
        }
    }

    // MARK: - Many calls

    private static func fleet(_ bad: Int, of minutes: Int) -> Fleet {
        var fleet = Fleet()
        fleet.total = FleetCount(minutes: minutes, bad: bad)
        fleet.causes = [.packetLoss: bad * 3 / 4, .bandwidth: bad / 4]
        fleet.sides = [.local: bad]
        fleet.turn = [
            .init(kind: "direct", count: .init(minutes: minutes / 2, bad: bad * 2 / 5)),
            .init(kind: "udp", count: .init(minutes: minutes / 4, bad: bad * 2 / 5)),
            .init(kind: "tls", count: .init(minutes: minutes / 4, bad: bad / 5)),
        ]
        return fleet
    }

    @Test("8 % of bad minutes are an alert that says what they have in common, until they are below 6 %")
    func fleetAlarm() {
        var alarm = FleetAlarm(FleetRule(), site: AlertSite(root: URL(string: "https://calls.example.org")))
        #expect(alarm.take(Self.fleet(40, of: 49), at: 0) == nil)
        #expect(alarm.take(Self.fleet(79, of: 1000), at: 60_000) == nil)
        let began = alarm.take(Self.fleet(80, of: 1000), at: 120_000)
        #expect(began?.type == .began)
        #expect(
            began?.alert.summary
                == "8 % of the participants' minutes (80 of 1000) in the last 10 min were bad, "
                + "75 % of them packet loss, 100 % by own side, 60 % behind TURN")
        #expect(began?.alert.url == "https://calls.example.org/#/fleet")
        #expect(alarm.take(Self.fleet(60, of: 1000), at: 180_000)?.type == .continues)
        let ended = alarm.take(Self.fleet(59, of: 1000), at: 240_000)
        #expect(ended?.type == .ended && ended?.alert.id == began?.alert.id)
        #expect(alarm.take(Self.fleet(59, of: 1000), at: 300_000) == nil)
        #expect(alarm.take(Fleet(), at: 360_000) == nil)
        #expect(alarm.finish(at: 370_000) == nil)
        #expect(alarm.take(Self.fleet(80, of: 1000), at: 380_000)?.type == .began)
        // While nothing can be stored, it lasts.
        let waiting = alarm.wait(at: 385_000)
        #expect(waiting?.type == .continues && waiting?.alert.summary.contains("75 % of them") == true)
        let finished = alarm.finish(at: 390_000)
        #expect(finished?.type == .ended)
        // As it was when it was looked at last.
        #expect(finished?.alert.summary.contains("8 % of the participants' minutes (80 of 1000)") == true)
        #expect(alarm.wait(at: 395_000) == nil)
        #expect(alarm.take(Self.fleet(80, of: 1000), at: 400_000)?.type == .began)
    }

    @Test("many bad calls are not over because too little of them is stored since the store was away")
    func fleetAfterOutage() {
        var alarm = FleetAlarm(FleetRule(), site: AlertSite())
        let began = alarm.take(Self.fleet(80, of: 1000), at: 0)
        #expect(began?.type == .began)
        #expect(alarm.wait(at: 60_000)?.type == .continues)
        for minute in 2...11 {
            let post = alarm.take(Self.fleet(0, of: 49), at: Double(minute) * 60_000)
            #expect(post?.type == .continues && post?.alert.summary == began?.alert.summary)
        }
        // Ten minutes are looked back at, and now all of them are there.
        #expect(alarm.take(Self.fleet(0, of: 49), at: 720_000)?.type == .ended)
        #expect(alarm.take(Self.fleet(80, of: 1000), at: 780_000)?.type == .began)
        #expect(alarm.wait(at: 840_000)?.type == .continues)
        // Enough are judged at once.
        #expect(alarm.take(Self.fleet(59, of: 1000), at: 900_000)?.type == .ended)
    }

    @Test("a link leads to the call, whatever its name is")
    func links() {
        let site = AlertSite(root: URL(string: "https://calls.example.org/"))
        #expect(
            site.page(ofSession: "room 1/ä#") == "https://calls.example.org/#/session/room%201%2F%C3%A4%23")
        #expect(AlertSite().page(ofSession: "s") == nil)
    }
}
