// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Crypto
import Foundation
import Logging
import Synchronization

extension SessionServerConfiguration {
    /// Who is notified of sustained issues.
    package struct AlertReceiver: Sendable, Equatable {
        /// Gets a POST when something begins and when it is over.
        package var url: URL
        /// How it is written.
        package var shape: AlertShape
        /// Signs what is posted as JSON, see the `Sightline-Signature` header; PagerDuty's routing key.
        ///
        /// `nil` for no signature.
        package var secret: String?
        /// What it is notified of.
        package var rules: AlertRules

        /// Names a receiver.
        package init(
            url: URL, shape: AlertShape = .json, secret: String? = nil, rules: AlertRules = AlertRules()
        ) {
            self.url = url
            self.shape = shape
            self.secret = secret
            self.rules = rules
        }
    }
}

/// Posts to one receiver, each up to four times, in eight lanes: those about one alert are in one, after each other.
final class AlertPoster: Sendable {
    /// Lanes.
    static let width = 8
    /// Posts that wait in a lane; the oldest are dropped first.
    static let capacity = 125
    /// Pauses before another try.
    static let pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(25)]

    private let receiver: SessionServerConfiguration.AlertReceiver
    /// Its number in the log, for its address may be a secret.
    private let number: Int
    private let pauses: [Duration]
    private let logger: Logger
    private let groups: Mutex<AlertGroups>
    private let lanes: [(stream: AsyncStream<AlertPost>, continuation: AsyncStream<AlertPost>.Continuation)]
    private let failures = Mutex<UInt64>(0)

    init(
        _ receiver: SessionServerConfiguration.AlertReceiver, number: Int, site: AlertSite, logger: Logger,
        pauses: [Duration] = AlertPoster.pauses
    ) {
        self.receiver = receiver
        self.number = number
        self.logger = logger
        self.pauses = pauses
        groups = Mutex(AlertGroups(receiver.rules, repetition: receiver.shape.repetition, site: site))
        lanes = (0..<Self.width).map { _ in
            AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.capacity))
        }
    }

    /// What could not be posted.
    var failed: UInt64 { failures.withLock { $0 } + groups.withLock { $0.omitted } }

    /// Takes an issue that began, grew or ended.
    func take(_ change: AlertChange, at now: Double) { post(groups.withLock { $0.take(change, at: now) }) }

    /// Takes issues that have ended with a server that was before, or is gone.
    func recall(_ alerts: [Alert]) { post(groups.withLock { $0.recall(alerts) }) }

    /// Some time has passed.
    func advance(to now: Double) { post(groups.withLock { $0.advance(to: now) }) }

    /// Calls of which something is held, and nothing is bad now.
    var quietSessions: Set<String> { groups.withLock(\.quietSessions) }

    /// Calls are over, or at another server.
    func end(sessions: Set<String>) { post(groups.withLock { $0.end(sessions: sessions) }) }

    /// Whether it is notified of many bad calls at once.
    var takesFleet: Bool { receiver.rules.takesFleet }

    /// Takes what there is to say of many calls.
    func take(_ fleet: AlertPost) {
        guard takesFleet, fleet.type != .continues || receiver.shape.repetition != nil else {
            return
        }
        post([fleet])
    }

    private func post(_ posts: [AlertPost]) {
        for var post in posts {
            post.alert.time = Date().timeIntervalSince1970 * 1000
            // Those about one thing come after each other.
            let lane = lanes[post.alert.id.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % Self.width]
            if case .dropped = lane.continuation.yield(post) { failures.withLock { $0 += 1 } }
        }
    }

    /// Posts until ``finish()`` and everything is posted, or until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for lane in lanes {
                group.addTask { for await post in lane.stream { await self.post(post) } }
            }
        }
    }

    /// Takes nothing more: whatever the receiver was notified of is over, and what waits is posted.
    func finish() {
        post(groups.withLock { $0.finish() })
        for lane in lanes { lane.continuation.finish() }
    }

    private func post(_ post: AlertPost) async {
        for pause in pauses.map(Optional.some) + [nil] {
            guard let request = try? request(post), !Task.isCancelled else { break }
            if let answer = await request.answer(), answer.isSuccess { return }
            guard let pause, (try? await Task.sleep(for: pause)) != nil else { break }
        }
        failures.withLock { $0 += 1 }
        logger.warning(
            "an alert could not be posted",
            metadata: [
                "type": "\(post.type.rawValue)", "receiver": "\(number)",
                "shape": "\(receiver.shape.rawValue)",
            ])
    }

    private func request(_ post: AlertPost) throws -> OutgoingRequest {
        let body = try receiver.shape.body(of: post, routingKey: receiver.secret)
        var request = OutgoingRequest(posting: body, to: receiver.url)
        if receiver.shape.isSigned, let secret = receiver.secret {
            let time = Int(Date().timeIntervalSince1970)
            let signature = Self.signature(of: body, time: time, secret: secret)
            request.headers["Sightline-Signature"] = "t=\(time),v1=\(signature)"
        }
        return request
    }

    /// HMAC-SHA256 of the time, a dot and the body, in hexadecimal digits.
    static func signature(of body: Data, time: Int, secret: String) -> String {
        HMAC<SHA256>.authenticationCode(
            for: Data("\(time).".utf8) + body, using: SymmetricKey(data: Data(secret.utf8))
        ).hexDigits
    }
}
