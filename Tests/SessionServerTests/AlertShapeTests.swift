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
    private static func alert(isOver: Bool = false) -> Alert {
        Alert(
            flow: .init(session: "s<1>", connection: "c", stream: "st", role: .subscriber), side: .local,
            observer: .router, first: 1_700_000_000_250, last: 1_700_000_004_000, samples: 4,
            worst: .critical, reason: .packetLoss, source: .remote, isOver: isOver)
    }

    private static func text(_ shape: AlertShape, _ type: Webhook.Call.Kind, _ alert: Alert) throws -> String
    {
        let body = try shape.body(of: .init(type: type, alert: alert), routingKey: "key")
        return String(decoding: body, as: UTF8.self)
    }

    private static let flow =
        #""flow":{"connection":"c","role":"subscriber","session":"s<1>","stream":"st"}"#
    private static func details(_ isOver: Bool) -> String {
        #"{"first":1700000000250,\#(flow),"isOver":\#(isOver),"last":1700000004000,"#
            + #""observer":"router","reason":"packetLoss","samples":4,"side":"local","source":"remote","#
            + #""worst":"critical"}"#
    }
    private static let summary =
        "critical network on the local path of subscriber c in session s<1>: packetLoss (source: remote)"

    @Test("as JSON: the alert itself")
    func json() throws {
        #expect(
            try Self.text(.json, .began, Self.alert())
                == #"{"alert":\#(Self.details(false)),"type":"alertBegan"}"#)
    }

    @Test("for Slack: a line in which nothing is a link or a mention")
    func slack() throws {
        let line = Self.summary.replacing("<1>", with: "&lt;1&gt;")
        #expect(try Self.text(.slack, .began, Self.alert()) == #"{"text":"\#(line)"}"#)
        #expect(
            try Self.text(.slack, .ended, Self.alert(isOver: true)) == #"{"text":"Over: \#(line), 3 s"}"#)
    }

    @Test("nothing in a name is a mention, a link or an image in Mattermost and Rocket.Chat either")
    func markdown() throws {
        var alert = Self.alert()
        alert.flow.connection = "@all ![x](https://example.org)"
        let text = try Self.text(.slack, .began, alert)
        #expect(text.contains("@\u{200B}all ![x]\u{200B}(https"))
        // What combines with its neighbours is escaped all the same.
        alert.flow.connection = "\u{600}<!channel|x\u{600}> \u{600}@here"
        let combined = Array(try Self.text(.slack, .began, alert).unicodeScalars)
        #expect(!combined.contains("<") && !combined.contains(">"))
        #expect(combined.firstIndex(of: "@").map { combined[$0 + 1] } == "\u{200B}")
    }

    @Test("for Alertmanager: labels that stay, and an end that is in the future while the issue lasts")
    func alertmanager() throws {
        func wanted(_ end: String, _ summary: String) -> String {
            #"[{"annotations":{"condition":"critical","reason":"packetLoss","source":"remote","#
                + #""summary":"\#(summary)"},"endsAt":"\#(end)","labels":{"#
                + #""alertname":"SightlineSustainedIssue","connection":"c","observer":"router","#
                + #""role":"subscriber","service":"sightline","session":"s<1>","side":"local","#
                + #""stream":"st"},"startsAt":"2023-11-14T22:13:20.250Z"}]"#
        }
        #expect(
            try Self.text(.alertmanager, .began, Self.alert())
                == wanted("2023-11-14T22:18:24.000Z", Self.summary))
        #expect(
            try Self.text(.alertmanager, .ended, Self.alert(isOver: true))
                == wanted("2023-11-14T22:13:24.000Z", "\(Self.summary), 3 s"))
    }

    @Test("for PagerDuty: one key from trigger to resolve, another for the next issue")
    func pagerDuty() throws {
        let key = "65537"
        func wanted(_ action: String, _ isOver: Bool, _ summary: String) -> String {
            #"{"dedup_key":"\#(key)","event_action":"\#(action)","payload":{"component":"c","#
                + #""custom_details":\#(Self.details(isOver)),"group":"s<1>","severity":"critical","#
                + #""source":"sightline","summary":"\#(summary)","timestamp":"2023-11-14T22:13:20.250Z"},"#
                + #""routing_key":"key"}"#
        }
        func dedupKey(_ alert: Alert) throws -> String {
            let body = try AlertShape.pagerduty.body(of: .init(type: .began, alert: alert), routingKey: "key")
            let object = try JSONSerialization.jsonObject(with: body) as? [String: Any]
            return try #require(object?["dedup_key"] as? String)
        }
        let known = try dedupKey(Self.alert())
        #expect(known.count == 64)
        func keyless(_ text: String) -> String { text.replacing(known, with: key) }
        #expect(
            keyless(try Self.text(.pagerduty, .began, Self.alert())) == wanted("trigger", false, Self.summary)
        )
        #expect(
            keyless(try Self.text(.pagerduty, .ended, Self.alert(isOver: true)))
                == wanted("resolve", true, "\(Self.summary), 3 s"))
        var other = Self.alert()
        other.last += 1000
        #expect(try dedupKey(other) == known)
        other.first += 1
        #expect(try dedupKey(other) != known)
        // Not by joined names alone.
        var joined = Self.alert()
        (joined.flow.connection, joined.flow.stream) = ("cs", "t")
        #expect(try dedupKey(joined) != known)
    }

    @Test("names and times of any size are written, cut and bounded", arguments: AlertShape.allCases)
    func extremes(_ shape: AlertShape) throws {
        var alert = Self.alert(isOver: true)
        alert.flow.session = String(repeating: "e\u{301}", count: 5000)
        for (first, last) in [(-1e300, 1e300), (0, Double(Int64.max)), (1e18, 0)] {
            (alert.first, alert.last) = (first, last)
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
        configuration.alertWebhook = .init(url: url, shape: shape, secret: "shared")
        try await TestServer.run(configuration) { server in
            try await FakeRouter.attached(to: server) {
                let (socket, _) = try await LiveTests.publisher(server)
                // What lasts less than a second by the server's clock is no alert: each lasts until it is heard of.
                let (began, next) = try await Self.post(receiver, socket, "critical", from: 3)
                let (ended, _) = try await Self.post(receiver, socket, "excellent", from: next)
                let posts = began + ended
                let texts = posts.map { String(decoding: $0.body, as: UTF8.self) }
                for text in texts { #expect(text.contains("packetLoss")) }
                #expect(posts.allSatisfy { $0.signature.isEmpty != shape.isSigned })
                let marks: (began: String, ended: String) =
                    switch shape {
                    case .json: (#""type":"alertBegan""#, #""type":"alertEnded""#)
                    case .slack: (#"{"text":"critical"#, #"{"text":"Over: "#)
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
        configuration.alertWebhook = .init(url: url, shape: .pagerduty, secret: "key")
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

    @Test("Alertmanager hears of an issue once a minute while it lasts, others when it begins and ends")
    func repetition() async throws {
        for (shape, wanted) in [(AlertShape.alertmanager, 4), (.slack, 2)] {
            let receiver = try await HTTPReceiver.start()
            let url = try #require(URL(string: "http://127.0.0.1:\(receiver.port)/hook"))
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            let webhook = Webhook(.init(url: url, shape: shape), logger: logger)
            let running = Task { await webhook.run() }
            defer { running.cancel() }
            var alert = Self.alert()
            for second in 0...150 {
                alert.last = alert.first + Double(second + 3) * 1000
                alert.isOver = second == 150
                webhook.take(.init(alert: alert, isNew: second == 0))
            }
            // Whatever was one too many would come before what begins now.
            var mark = Self.alert()
            mark.flow.session = "mark"
            webhook.take(.init(alert: mark, isNew: true))
            let posts = try await receiver.next(wanted + 1)
            let last = String(decoding: try #require(posts.last).body, as: UTF8.self)
            #expect(last.contains("mark"))
            await receiver.stop()
        }
    }
}
