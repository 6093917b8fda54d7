// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import Logging
import TestSupport
import Testing

@testable import SessionServer

@Suite("Alerts in the shapes that others take", .timeLimit(.minutes(3)))
struct AlertShapeTests {
    private static func alert(isOver: Bool = false) -> AlertNotification {
        AlertNotification(
            subject: .downlink(connection: "c"), session: "s<1>", connection: "c", reason: .packetLoss,
            worst: .critical, first: 1_700_000_000_250, last: 1_700_000_004_000, flows: 2, isOver: isOver,
            time: 1_700_000_005_000, url: "https://calls.example.org/#/session/s%3C1%3E")
    }

    private static func text(_ shape: AlertShape, _ type: AlertPost.Kind, _ alert: AlertNotification) throws
        -> String
    {
        let body = try shape.body(of: .init(type: type, alert: alert), routingKey: "key")
        return String(decoding: body, as: UTF8.self)
    }

    private static func details(_ isOver: Bool, _ summary: String) -> String {
        #"{"advice":"\#(advice)","condition":"critical","connection":"c","direction":"downlink","#
            + #""first":1700000000250,"flows":2,"id":"\#(alert().id)","isOver":\#(isOver),"kind":"participant","#
            + #""last":1700000004000,"reason":"packetLoss","session":"s<1>","summary":"\#(summary)","#
            + #""url":"https://calls.example.org/#/session/s%3C1%3E"}"#
    }
    private static let summary = "Packet loss on the downlink of connection c in session s<1>: critical"
    private static let advice =
        "Packets are lost on this client's downlink. Compare with a call over a cable; "
        + "if packets are lost there too, contact the provider."

    @Test("as JSON: all there is to say")
    func json() throws {
        #expect(
            try Self.text(.json, .began, Self.alert())
                == #"{"alert":\#(Self.details(false, Self.summary)),"type":"alertBegan"}"#)
    }

    @Test(
        "for Slack: a line in which nothing is a link or a mention, what to do, and a link to the dashboard")
    func slack() throws {
        let line = Self.summary.replacing("<1>", with: "&lt;1&gt;")
        let link = "<https://calls.example.org/#/session/s%3C1%3E|Dashboard>"
        #expect(
            try Self.text(.slack, .began, Self.alert()) == #"{"text":"\#(line). \#(Self.advice) \#(link)"}"#)
        #expect(
            try Self.text(.slack, .ended, Self.alert(isOver: true))
                == #"{"text":"Over: \#(line), 3 s \#(link)"}"#)
    }

    @Test("nothing in a name is a mention, a link or an image in Mattermost and Rocket.Chat either")
    func markdown() throws {
        var alert = Self.alert()
        alert.url = nil
        alert.session = "@all ![x](https://example.org)"
        let text = try Self.text(.slack, .began, alert)
        #expect(text.contains("@\u{200B}all ![x]\u{200B}(https"))
        alert.session = "~town-square WWW.example.org a\u{2028}b\u{2029}c\u{202E}d\u{200F}e"
        let unseen = try Self.text(.slack, .began, alert)
        #expect(unseen.contains("~\u{200B}town-square WWW\u{200B}.example.org a b c d e"))
        // What combines with its neighbours is escaped all the same.
        alert.session = "\u{600}<!channel|x\u{600}> \u{600}@here"
        let combined = Array(try Self.text(.slack, .began, alert).unicodeScalars)
        #expect(!combined.contains("<") && !combined.contains(">"))
        #expect(combined.firstIndex(of: "@").map { combined[$0 + 1] } == "\u{200B}")
    }

    @Test("for Alertmanager: labels that stay, and an end that is in the future while the issue lasts")
    func alertmanager() throws {
        func wanted(_ end: String, _ summary: String) -> String {
            #"[{"annotations":{"condition":"critical","connection":"c","description":"\#(Self.advice)","#
                + #""summary":"\#(summary)"},"endsAt":"\#(end)","#
                + #""generatorURL":"https://calls.example.org/#/session/s%3C1%3E","labels":{"#
                + #""alertname":"SightlineSustainedIssue","direction":"downlink","id":"\#(Self.alert().id)","#
                + #""kind":"participant","reason":"packetLoss","service":"sightline","session":"s<1>"},"#
                + #""startsAt":"2023-11-14T22:13:20.250Z"}]"#
        }
        #expect(
            try Self.text(.alertmanager, .began, Self.alert())
                == wanted("2023-11-14T22:18:25.000Z", Self.summary))
        #expect(
            try Self.text(.alertmanager, .ended, Self.alert(isOver: true))
                == wanted("2023-11-14T22:13:25.000Z", "\(Self.summary), 3 s"))
    }

    @Test("for PagerDuty: one key from trigger to resolve, another for another participant or reason")
    func pagerDuty() throws {
        func wanted(_ action: String, _ isOver: Bool, _ summary: String) -> String {
            #"{"dedup_key":"\#(Self.alert().id)","event_action":"\#(action)","#
                + #""links":[{"href":"https://calls.example.org/#/session/s%3C1%3E","text":"Dashboard"}],"#
                + #""payload":{"component":"c","custom_details":\#(Self.details(isOver, summary)),"#
                + #""group":"s<1>","severity":"critical","#
                + #""source":"sightline","summary":"\#(summary)","timestamp":"2023-11-14T22:13:20.250Z"},"#
                + #""routing_key":"key"}"#
        }
        #expect(
            try Self.text(.pagerduty, .began, Self.alert()) == wanted("trigger", false, Self.summary))
        #expect(
            try Self.text(.pagerduty, .ended, Self.alert(isOver: true))
                == wanted("resolve", true, "\(Self.summary), 3 s"))
    }

    @Test("Alertmanager alone forgets, and is sent what lasts once a minute")
    func repetition() {
        for shape in AlertShape.allCases {
            #expect(shape.repetition == (shape == .alertmanager ? .seconds(60) : nil))
        }
    }

    @Test("what is one thing has one id, and nothing else has it")
    func identity() {
        let known = Self.alert().id
        #expect(known.count == 64)
        var same = Self.alert(isOver: true)
        (same.first, same.last, same.flows, same.worst) = (1, 2, 9, .warning)
        #expect(same.id == known)
        var others = (0..<4).map { _ in Self.alert() }
        others[0].reason = .bandwidth
        others[1].session = "s"
        others[2].subject = .uplink(stream: "c")
        others[3].subject = .server
        #expect(Set(others.map(\.id) + [known]).count == 5)
        // Not by joined names alone.
        var (left, right) = (Self.alert(), Self.alert())
        (left.session, left.subject) = ("a", .uplink(stream: "bc"))
        (right.session, right.subject) = ("ab", .uplink(stream: "c"))
        #expect(left.id != right.id)
    }

    @Test("names and times of any size are written, cut and bounded", arguments: AlertShape.allCases)
    func extremes(_ shape: AlertShape) throws {
        var alert = Self.alert(isOver: true)
        alert.session = String(repeating: "e\u{301}", count: 5000)
        for (first, last) in [(-1e300, 1e300), (0, Double(Int64.max)), (1e18, 0)] {
            (alert.first, alert.last, alert.time) = (first, last, last)
            let body = try shape.body(of: .init(type: .ended, alert: alert), routingKey: nil)
            _ = try JSONSerialization.jsonObject(with: body)
        }
    }

    /// Sends samples of a condition until something is posted; with the number of the sample that follows.
    private static func post(
        _ receiver: HTTPReceiver, _ socket: TestSocket, _ condition: String, from first: Int
    ) async throws -> (posts: [HTTPReceiver.Request], next: Int) {
        let sending = Task { () throws -> Int in
            var id = first
            while !Task.isCancelled {
                try await socket.send(LiveTests.telemetry(id, condition))
                id += 1
                try? await Task.sleep(for: .milliseconds(300))
            }
            return id
        }
        defer { sending.cancel() }
        let posts = try await receiver.next(1)
        sending.cancel()
        return (posts, try await sending.value)
    }

    @Test(
        "sustained issues of a call come to whoever is named, over HTTP", arguments: AlertShape.allCases)
    func endToEnd(_ shape: AlertShape) async throws {
        let receiver = try await HTTPReceiver.start()
        var configuration = TestServer.configuration
        let url = try #require(URL(string: "http://127.0.0.1:\(receiver.port)/hook"))
        configuration.alertReceivers = [.init(url: url, shape: shape, secret: "shared", rules: .immediate)]
        try await TestServer.run(configuration) { server in
            try await FakeRouter.attached(to: server) {
                let (socket, _) = try await LiveTests.publisher(server)
                // What lasts less than a second by the server's clock is no alert: each lasts until it is heard of.
                let (began, next) = try await Self.post(receiver, socket, "critical", from: 3)
                let (ended, _) = try await Self.post(receiver, socket, "excellent", from: next)
                let posts = began + ended
                let texts = posts.map { String(decoding: $0.body, as: UTF8.self) }
                for text in texts { #expect(text.contains("Packet loss on the uplink")) }
                #expect(posts.allSatisfy { $0.signature.isEmpty != shape.isSigned })
                let marks: (began: String, ended: String) =
                    switch shape {
                    case .json: (#""type":"alertBegan""#, #""type":"alertEnded""#)
                    case .slack: (#"{"text":"Packet loss on the uplink"#, #"{"text":"Over: "#)
                    case .alertmanager: (#""startsAt":"#, #" s"},"endsAt":"#)
                    case .pagerduty: (#""event_action":"trigger""#, #""event_action":"resolve""#)
                    }
                #expect(texts.first?.contains(marks.began) == true)
                #expect(texts.last?.contains(marks.ended) == true)
            }
        }
        await receiver.stop()
    }

    @Test("an issue that lasts when the server ends is over for who heard of its beginning")
    func endWithServer() async throws {
        let receiver = try await HTTPReceiver.start()
        var configuration = TestServer.configuration
        let url = try #require(URL(string: "http://127.0.0.1:\(receiver.port)/hook"))
        configuration.alertReceivers = [.init(url: url, shape: .pagerduty, secret: "key", rules: .immediate)]
        try await TestServer.run(configuration) { server in
            try await FakeRouter.attached(to: server) {
                let (socket, _) = try await LiveTests.publisher(server)
                let (began, _) = try await Self.post(receiver, socket, "critical", from: 3)
                #expect(
                    began.map { String(decoding: $0.body, as: UTF8.self).contains(#""trigger""#) } == [true])
            }
        }
        let ended = try await receiver.next(1)
        #expect(ended.map { String(decoding: $0.body, as: UTF8.self).contains(#""resolve""#) } == [true])
        await receiver.stop()
    }
}

extension AlertRules {
    /// Whatever it is, as soon as it is.
    static var immediate: AlertRules {
        var rules = AlertRules()
        (rules.after, rules.hold) = (.zero, .zero)
        return rules
    }
}
