// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallStore
import Foundation
import Logging
import TestSupport
import Testing

@testable import SessionServer

@Suite("Posts to receivers of alerts", .timeLimit(.minutes(3)))
struct AlertPosterTests {
    private static func alert(_ connection: String = "c", isOver: Bool = false) -> Alert {
        Alert(
            flow: .init(session: "s", connection: connection, stream: "st", role: .subscriber), side: .local,
            observer: .client, first: 1, last: 3000, samples: 3, worst: .warning, reason: .packetLoss,
            source: nil, isOver: isOver)
    }

    private static func receiver(
        _ server: HTTPReceiver, _ shape: AlertShape = .json, _ rules: AlertRules = .immediate
    ) throws -> SessionServerConfiguration.AlertReceiver {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/hook"))
        return .init(url: url, shape: shape, secret: shape.isSigned ? "shared" : nil, rules: rules)
    }

    private static func service(
        _ receivers: [SessionServerConfiguration.AlertReceiver], pauses: [Duration] = [.milliseconds(10)]
    ) -> AlertService {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return AlertService(
            receivers, fleet: FleetRule(), site: AlertSite(), logger: logger, pauses: pauses)
    }

    private static func types(_ posts: [HTTPReceiver.Request]) throws -> [String] {
        try posts.map { post in
            let object = try JSONSerialization.jsonObject(with: Data(post.body)) as? [String: Any]
            return try #require(object?["type"] as? String)
        }
    }

    @Test("begin and end are posted in their order, signed, and again after an error")
    func signed() async throws {
        let server = try await HTTPReceiver.start([.status(500), .status(200), .status(200)], at: "/hook")
        let service = Self.service([try Self.receiver(server)])
        let running = Task { await service.run() }
        defer { running.cancel() }
        service.take(.init(alert: Self.alert(), isNew: true))
        service.take(.init(alert: Self.alert(), isNew: false))
        service.take(.init(alert: Self.alert(isOver: true), isNew: false))
        let posts = try await server.next(3)
        #expect(try Self.types(posts) == ["alertBegan", "alertBegan", "alertEnded"])
        for post in posts {
            let parts = post.signature.split(separator: ",").map { $0.split(separator: "=")[1] }
            let time = try #require(parts.first.flatMap { Int($0) })
            let wanted = AlertPoster.signature(of: Data(post.body), time: time, secret: "shared")
            #expect(parts.last.map(String.init) == wanted)
        }
        #expect(service.failed == 0)
        await server.stop()
    }

    @Test("a post without an answer holds up no other receiver, and few other alerts")
    func parallel() async throws {
        let stuck = try await HTTPReceiver.start([.nothing], at: "/hook")
        let other = try await HTTPReceiver.start()
        let service = Self.service([try Self.receiver(stuck), try Self.receiver(other)])
        let running = Task { await service.run() }
        defer { running.cancel() }
        let count = 20
        for number in 0..<count { service.take(.init(alert: Self.alert("c\(number)"), isNew: true)) }
        // Those that share its turn wait for the one without an answer; the others do not.
        #expect(try await other.next(count).count == count)
        #expect(try await stuck.next(count / 2).count == count / 2)
        await stuck.stop()
        await other.stop()
    }

    @Test("what is left is posted when the server ends, for as long as that may take")
    func farewell() async throws {
        let server = try await HTTPReceiver.start(
            [.status(500), .status(200), .status(200), .status(500)], at: "/hook")
        var rules = AlertRules.immediate
        rules.hold = .seconds(3600)
        let service = Self.service([try Self.receiver(server, .json, rules)])
        // Well again, but not for long: it is over because the server ends.
        service.take(.init(alert: Self.alert(isOver: true), isNew: true))
        // What the server allows, ten seconds, is too short on a machine that is busy enough.
        await service.close(Task { await service.run() }, within: .seconds(120))
        #expect(
            try Self.types(try await server.next(3)) == ["alertBegan", "alertBegan", "alertEnded"])
        #expect(service.failed == 0)
        let stuck = Self.service([try Self.receiver(server)], pauses: [.seconds(3600)])
        stuck.take(.init(alert: Self.alert(), isNew: true))
        await stuck.close(Task { await stuck.run() }, within: .milliseconds(50))
        // Its beginning, and its end, which is the server's.
        #expect(stuck.failed == 2)
        await server.stop()
    }

    @Test("a post that is redirected does not go there, and is tried again")
    func redirected() async throws {
        let server = try await HTTPReceiver.start([.status(302), .status(307), .status(200)], at: "/hook")
        let pauses: [Duration] = [.milliseconds(10), .milliseconds(10)]
        let service = Self.service([try Self.receiver(server)], pauses: pauses)
        let running = Task { await service.run() }
        defer { running.cancel() }
        service.take(.init(alert: Self.alert(), isNew: true))
        let posts = try await server.next(3)
        #expect(posts.allSatisfy { $0.path == "/hook" && $0.signature.hasPrefix("t=") })
        await server.stop()
    }

    /// A service that posts to `server` and logs to `log`.
    private static func service(_ server: HTTPReceiver, _ log: LogLines) throws -> AlertService {
        AlertService(
            [try receiver(server)], fleet: FleetRule(), site: AlertSite(),
            logger: Logger(label: "test") { _ in LineHandler(log: log) }, pauses: [.milliseconds(10)])
    }

    @Test(
        "what a receiver has no use for is posted once, what it may take later again, and the log says why",
        arguments: [(400, 1), (404, 2), (408, 2), (410, 1), (425, 2), (429, 2), (503, 2)])
    func refused(status: Int, tries: Int) async throws {
        let answers = [HTTPReceiver.Answer](repeating: .status(status), count: tries)
        let server = try await HTTPReceiver.start(answers, at: "/hook")
        let log = LogLines()
        let service = try Self.service(server, log)
        service.take(.init(alert: Self.alert(), isNew: true))
        await service.close(Task { await service.run() }, within: .seconds(120))
        let began = [String](repeating: "alertBegan", count: tries)
        let posts = await server.stop()
        #expect(try Self.types(posts) == began + ["alertEnded"])
        #expect(service.failed == 1)
        #expect(log.lines.contains { $0.contains("status \(status)") }, "\(log.lines)")
    }

    @Test("the end of an alert is posted when its call is over, though nothing can be stored")
    func goneCallUnheard() async throws {
        let server = try await HTTPReceiver.start()
        let service = Self.service([try Self.receiver(server)])
        let running = Task { await service.run(isHere: { _ in false }, isStoring: { false }) }
        defer { running.cancel() }
        service.take(.init(alert: Self.alert(), isNew: true))
        #expect(try Self.types(try await server.next(2)) == ["alertBegan", "alertEnded"])
        await server.stop()
    }

    @Test("what waits when the time is over is counted, and how many they are is said")
    func left() async throws {
        let server = try await HTTPReceiver.start([.nothing], at: "/hook")
        let log = LogLines()
        let service = try Self.service(server, log)
        let running = Task { await service.run() }
        service.take(.init(alert: Self.alert(), isNew: true))
        _ = try await server.next(1)
        // Its end waits behind its beginning, which is not answered.
        await service.close(running, within: .milliseconds(50))
        #expect(service.failed == 2)
        let said = log.lines.filter { $0.contains("before the server ended") }
        #expect(said.count == 1 && said.first?.contains("\"alerts\": 1") == true, "\(log.lines)")
        await server.stop()
    }

    @Test("many bad calls at once are posted to those who want it, from the store of a real server")
    func fleet() async throws {
        let server = try await HTTPReceiver.start()
        var others = AlertRules.immediate
        others.takesFleet = false
        var rule = FleetRule()
        // The call is of no day that is near.
        (rule.minimumMinutes, rule.window) = (1, .seconds(86_400 * 36_500))
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let service = AlertService(
            [try Self.receiver(server), try Self.receiver(server, .slack, others)], fleet: rule,
            site: AlertSite(root: URL(string: "https://calls.example.org/")), logger: logger)
        var settings = StoreConfiguration()
        settings.maximumAge = nil
        let store = try await StoredCall.store(settings)
        let running = Task { await service.run() }
        let watching = Task { await service.watchFleet(store, every: .milliseconds(20)) { true } }
        defer {
            running.cancel()
            watching.cancel()
        }
        let post = try #require(try await server.next(1).first)
        let object = try JSONSerialization.jsonObject(with: Data(post.body)) as? [String: Any]
        let alert = try #require(object?["alert"] as? [String: Any])
        #expect(alert["kind"] as? String == "fleet" && (alert["badMinutes"] as? Int ?? 0) > 0)
        #expect(alert["url"] as? String == "https://calls.example.org/#/fleet")
        watching.cancel()
        await watching.value
        try store.close()
        await server.stop()
    }
}
