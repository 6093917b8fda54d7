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
    func take(_ change: AlertChange, at now: Double) { groups.withLock { post($0.take(change, at: now)) } }

    /// Takes issues that have ended with a server that was before, or is gone.
    func recall(_ alerts: [Alert]) { groups.withLock { post($0.recall(alerts)) } }

    /// Some time has passed, in which all that came was stored, or nothing could be.
    func advance(to now: Double, isStoring: Bool) {
        groups.withLock { post($0.advance(to: now, isStoring: isStoring)) }
    }

    /// Calls of which something is held that is not waited for once they are gone.
    func sessionsToCheck(isStoring: Bool) -> Set<String> {
        groups.withLock { $0.sessionsToCheck(isStoring: isStoring) }
    }

    /// Calls are over, or at another server.
    func end(sessions: Set<String>, at now: Double, isStoring: Bool) {
        groups.withLock { post($0.end(sessions: sessions, at: now, isStoring: isStoring)) }
    }

    /// Whether it is notified of many bad calls at once.
    var takesFleet: Bool { receiver.rules.takesFleet }

    /// Takes what there is to say of many calls.
    func take(_ fleet: AlertPost) {
        guard takesFleet, fleet.type != .continues || receiver.shape.repetition != nil else {
            return
        }
        post([fleet])
    }

    /// Puts posts into their lanes; what groups say while they are locked, so that no later one comes before it.
    private func post(_ posts: [AlertPost]) {
        for var post in posts {
            post.alert.time = Date().unixTime
            // Those about one thing come after each other.
            let lane = lanes[post.alert.id.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % Self.width]
            if case .enqueued = lane.continuation.yield(post) { continue }
            failures.withLock { $0 += 1 }
        }
    }

    /// Posts until ``finish()`` and everything is posted, or until the task is cancelled: what waits then is not posted.
    func run() async {
        let left: UInt64 = await withTaskGroup(of: UInt64.self) { group in
            for lane in lanes { group.addTask { await self.post(from: lane.stream) } }
            return await group.reduce(0, +)
        }
        guard left > 0 else { return }
        failures.withLock { $0 += left }
        logger.warning(
            "alerts were not posted before the server ended", metadata: metadata(["alerts": "\(left)"]))
    }

    /// Posts what comes; gives how many were left when the task was cancelled.
    private func post(from lane: AsyncStream<AlertPost>) async -> UInt64 {
        var left: UInt64 = 0
        // What waits in a stream comes to a task that is cancelled, too.
        for await post in lane {
            if Task.isCancelled { left += 1 } else { await self.post(post) }
        }
        return left
    }

    /// Takes nothing more: whatever the receiver was notified of is over, and what waits is posted.
    func finish() {
        groups.withLock { post($0.finish()) }
        for lane in lanes { lane.continuation.finish() }
    }

    private func post(_ post: AlertPost) async {
        var problem = "it cannot be written"
        for pause in pauses.map(Optional.some) + [nil] {
            guard let request = try? request(post) else { break }
            let outcome = await request.outcome()
            guard let found = Self.problem(of: outcome) else { return }
            problem = found
            guard Self.isPassing(outcome), let pause, (try? await Task.sleep(for: pause)) != nil else {
                break
            }
        }
        failures.withLock { $0 += 1 }
        logger.warning(
            "an alert could not be posted",
            metadata: metadata(["type": "\(post.type.rawValue)", "problem": "\(problem)"]))
    }

    /// `nil` if the post was taken.
    private static func problem(
        of outcome: Result<OutgoingRequest.Answer, OutgoingRequest.NoAnswer>
    ) -> String? {
        switch outcome {
        case .success(let answer): answer.isSuccess ? nil : "status \(answer.status)"
        case .failure(let error): error.reason
        }
    }

    /// Whether the same post may be taken later: a receiver that has no use for it has none then either.
    ///
    /// Behind an ingress a receiver that is just being replaced is 404.
    private static func isPassing(
        _ outcome: Result<OutgoingRequest.Answer, OutgoingRequest.NoAnswer>
    ) -> Bool {
        guard case .success(let answer) = outcome else { return true }
        return !(400..<500).contains(answer.status) || [404, 408, 425, 429].contains(answer.status)
    }

    private func metadata(_ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["receiver": "\(number)", "shape": "\(receiver.shape.rawValue)"]) { $1 }
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
