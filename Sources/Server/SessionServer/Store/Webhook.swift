// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Crypto
import Foundation
import Logging
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionServerConfiguration {
    /// Who is notified of sustained issues.
    package struct AlertWebhook: Sendable, Equatable {
        /// Gets a POST when an issue begins and when it is over.
        package var url: URL
        /// How it is written.
        package var shape: AlertShape
        /// Signs what is posted as JSON, see the `Sightline-Signature` header; PagerDuty's routing key.
        ///
        /// `nil` for no signature.
        package var secret: String?

        /// Names a receiver.
        package init(url: URL, shape: AlertShape = .json, secret: String? = nil) {
            self.url = url
            self.shape = shape
            self.secret = secret
        }
    }
}

/// Posts sustained issues to the webhook, one after the other, each up to four times.
final class Webhook: Sendable {
    /// Issues that wait; the oldest go first.
    static let capacity = 1000
    /// Pauses before another try.
    static let pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(25)]
    /// For what is still to be posted when the server ends.
    static let farewell: Duration = .seconds(10)

    /// What is posted.
    struct Call: Codable, Sendable, Equatable {
        enum Kind: String, Codable, Sendable {
            case began = "alertBegan"
            /// Said again, for who forgets.
            case continues = "alertContinues"
            case ended = "alertEnded"
        }

        var type: Kind
        var alert: Alert
    }

    private let configuration: SessionServerConfiguration.AlertWebhook
    private let pauses: [Duration]
    private let logger: Logger
    private let calls: AsyncStream<Call>
    private let queue: AsyncStream<Call>.Continuation
    private let failures = Mutex<UInt64>(0)
    /// When an issue that is not over was posted last, by its own time; only with a shape that repeats.
    private let posted = Mutex<[Issue: Double]>([:])

    /// What is one issue from its beginning to its end.
    private struct Issue: Hashable {
        var flow: FlowDescription
        var side: NetworkDegradationSource
        var observer: Observer
        var first: Double
    }

    init(
        _ configuration: SessionServerConfiguration.AlertWebhook, logger: Logger,
        pauses: [Duration] = Webhook.pauses
    ) {
        self.configuration = configuration
        self.logger = logger
        self.pauses = pauses
        (calls, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.capacity))
    }

    /// Issues that could not be posted.
    var failed: UInt64 { failures.withLock { $0 } }

    /// Handles a changed alert; posts it if it began or ended, and while it lasts as its shape wants it.
    func take(_ change: AlertChange) {
        let isDue = isRepetitionDue(change)
        var types: [Call.Kind] = change.isNew ? [.began] : isDue ? [.continues] : []
        if change.alert.isOver { types.append(.ended) }
        for type in types {
            guard case .dropped = queue.yield(Call(type: type, alert: change.alert)) else { continue }
            failures.withLock { $0 += 1 }
        }
    }

    private func isRepetitionDue(_ change: AlertChange) -> Bool {
        guard let repetition = configuration.shape.repetition else { return false }
        let alert = change.alert
        let issue = Issue(flow: alert.flow, side: alert.side, observer: alert.observer, first: alert.first)
        return posted.withLock { posted in
            guard !alert.isOver else {
                posted[issue] = nil
                return false
            }
            let isDue = posted[issue].map { alert.last - $0 >= repetition } ?? true
            if isDue || change.isNew { posted[issue] = alert.last }
            return isDue
        }
    }

    /// Posts until ``close(_:within:)``, or until the task is cancelled.
    func run() async {
        for await call in calls { await post(call) }
    }

    /// Ends it: what is left is posted first, for as long as that may take.
    ///
    /// - Parameter posting: What calls ``run()``.
    func close(_ posting: Task<Void, Never>, within limit: Duration = Webhook.farewell) async {
        queue.finish()
        let deadline = Task {
            try await Task.sleep(for: limit)
            posting.cancel()
        }
        await posting.value
        deadline.cancel()
    }

    private func post(_ call: Call) async {
        for pause in pauses.map(Optional.some) + [nil] {
            guard let request = try? request(call), !Task.isCancelled else { break }
            if let answer = await Post.answer(to: request), answer.isSuccess { return }
            guard let pause, (try? await Task.sleep(for: pause)) != nil else { break }
        }
        failures.withLock { $0 += 1 }
        logger.warning("an alert could not be posted", metadata: ["type": "\(call.type.rawValue)"])
    }

    private func request(_ call: Call) throws -> URLRequest {
        let body = try configuration.shape.body(of: call, routingKey: configuration.secret)
        var request = Post.request(configuration.url, json: body)
        if configuration.shape.isSigned, let secret = configuration.secret {
            let time = Int(Date().timeIntervalSince1970)
            let signature = Self.signature(of: body, time: time, secret: secret)
            request.setValue("t=\(time),v1=\(signature)", forHTTPHeaderField: "Sightline-Signature")
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
