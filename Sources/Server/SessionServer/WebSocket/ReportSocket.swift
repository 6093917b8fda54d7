// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import NIOCore
import SessionCore
import SessionWire

/// A page's socket, on which it reports what its own call does: the requests of ``ObservedRoutes`` without their heads.
///
/// The first message is the participant's token, for pages can bring it in no field of the request: `{"token": "…"}`. Each that
/// follows is the body of a request. Each has an answer, in their order: `{"status": 200}`, with what a request's answer has, once
/// what it says is stored. Where that takes long, `{"received": true}` comes before: the message has left its sender's line.
actor ReportSocket: SocketUser {
    private enum State {
        case new
        /// Knows where to answer, and not yet whom; `deadline` ends it if no token comes.
        case connected(ClientOutlet, deadline: Task<Void, Never>)
        /// `expiry` ends it when its token ends.
        case open(APIGrant, ObserverPass, ClientOutlet, expiry: Task<Void, Never>)
        case over
    }

    private struct Greeting: Decodable { let token: String }

    /// How long a message has no answer until it is confirmed that it has come: less than pages take to the next one.
    private static let confirmationDelay: Duration = .milliseconds(500)

    private let sockets: ObserverSockets
    private let call: String
    private let tokenTimeout: Duration
    private var state = State.new
    private var limiter: RateLimiter
    /// Whether a message has come that is not answered yet.
    private var isAnswering = false

    /// - Parameter tokenTimeout: How long it may take until the token comes.
    init(_ sockets: ObserverSockets, call: String, tokenTimeout: Duration) {
        self.sockets = sockets
        self.call = call
        self.tokenTimeout = tokenTimeout
        limiter = RateLimiter(perSecond: sockets.limits.messagesPerSecond)
    }

    func take(_ work: [SocketWork]) async {
        for item in work {
            switch item {
            case .opened(let outlet):
                state = .connected(outlet, deadline: expiry(in: tokenTimeout))
            case .event(let event): await take(event)
            case .closed: end()
            }
        }
    }

    private func take(_ event: SocketEvent) async {
        switch state {
        case .connected(let outlet, _): await letIn(event, outlet)
        case .open(let grant, let pass, let outlet, _):
            guard !sockets.gate.revoked.contain(grant) else { return refuse(outlet) }
            await answer(event, pass, outlet)
        case .new, .over: return
        }
        let delay = limiter.delay(bytes: event.bytes, at: ContinuousClock.now)
        if let delay { try? await Task.sleep(for: delay) }
    }

    private func letIn(_ event: SocketEvent, _ outlet: ClientOutlet) async {
        guard case .text(let buffer) = event,
            let greeting = try? JSONDecoder().decode(Greeting.self, from: Data(buffer.readableBytesView)),
            let grant = await sockets.gate.grant(greeting.token),
            let observer = try? grant.observer(of: call)
        else { return refuse(outlet) }
        // It may have ended while this waited.
        guard case .connected(_, let deadline) = state else { return }
        deadline.cancel()
        guard sockets.enter(observer) else { return close(outlet, .tooMany) }
        let left = Duration.seconds(max(0, grant.expires?.timeIntervalSinceNow ?? 0))
        let expiry = self.expiry(in: left)
        let pass = ObserverPass(grant: observer, issued: grant.issuedAt, token: greeting.token)
        state = .open(grant, pass, outlet, expiry: expiry)
        outlet.letIn()
        send(ReportAnswer(.ok), outlet)
    }

    private func answer(_ event: SocketEvent, _ pass: ObserverPass, _ outlet: ClientOutlet) async {
        guard case .text(let buffer) = event, buffer.readableBytes <= sockets.limits.observedBodyBytes else {
            return close(outlet, event == .unreadable ? .garbage : .tooMany)
        }
        let confirmation = self.confirmation(on: outlet)
        isAnswering = true
        let answer: ReportAnswer
        do throws(ServerError) {
            let receipt = try await sockets.intake.take(
                json: Array(buffer.readableBytesView), from: pass)
            answer = ReportAnswer(.ok, receipt)
        } catch {
            answer = ReportAnswer(ObservedRoutes.form(error))
        }
        confirmation.cancel()
        isAnswering = false
        send(answer, outlet)
    }

    /// Says that a message has come, unless it is answered soon.
    private func confirmation(on outlet: ClientOutlet) -> Task<Void, Never> {
        Task { [weak self] in
            guard (try? await Task.sleep(for: Self.confirmationDelay)) != nil else { return }
            await self?.confirm(on: outlet)
        }
    }

    private func confirm(on outlet: ClientOutlet) {
        if isAnswering { send(ReportConfirmation(), outlet) }
    }

    private func send(_ answer: some Encodable, _ outlet: ClientOutlet) {
        guard let json = try? JSONEncoder.sorted.encode(answer) else { return close(outlet, .garbage) }
        outlet.send(OutgoingText(SharedText(Array(json))), isDroppable: false)
    }

    /// The token is not good, or not any longer.
    private func refuse(_ outlet: ClientOutlet) {
        send(ReportAnswer(.unauthorized), outlet)
        close(outlet, .notJoined)
    }

    /// The token has ended, or none has come.
    private func expire() {
        switch state {
        case .connected(let outlet, _), .open(_, _, let outlet, _): refuse(outlet)
        case .new, .over: break
        }
    }

    private func expiry(in time: Duration) -> Task<Void, Never> {
        Task { [weak self] in
            guard (try? await Task.sleep(for: time)) != nil else { return }
            await self?.expire()
        }
    }

    private func close(_ outlet: ClientOutlet, _ reason: CloseReason) {
        end()
        outlet.close(reason)
    }

    /// What the participant sent stays: another socket, or a request, may continue with it.
    private func end() {
        switch state {
        case .open(_, let pass, _, let expiry):
            expiry.cancel()
            sockets.leave(pass.grant)
        case .connected(_, let deadline): deadline.cancel()
        case .new, .over: break
        }
        state = .over
    }
}

/// What a page hears of a message on its socket whose answer takes long.
private struct ReportConfirmation: Encodable {
    private let received = true
}

/// What a page hears of a message on its socket: what the answer to a request would say.
private struct ReportAnswer: Encodable {
    private var status: Int
    private var accepted: Int?
    private var restart: [String]?
    private var error: ServerError?
    /// Seconds after which to try again.
    private var retryAfter: Int?

    init(_ status: HTTPResponse.Status, _ receipt: ObservedReceipt? = nil) {
        self.status = status.code
        accepted = receipt?.accepted
        if let names = receipt?.restart, !names.isEmpty { restart = names }
        error = receipt?.error
    }

    init(_ refusal: APIError) {
        status = refusal.status.code
        error = refusal.error
        retryAfter = refusal.retryAfter
    }
}
