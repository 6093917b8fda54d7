// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// A request that waits for its answer.
struct PendingRequest {
    let body: ClientMessage.Body
    let continuation: CheckedContinuation<ServerMessage.Body, any Error>
    /// How long it may take, not counting the time in which the server cannot be reached.
    let limit: Duration
    /// Ends the wait; `nil` while the server cannot be reached.
    var timer: Task<Void, Never>?

    /// Whether it belongs to the present socket, which it makes the session's own.
    var isGreeting: Bool {
        switch body {
        case .join, .resume: true
        default: false
        }
    }
}

extension SessionDriver: MediaSignaling {
    func nextLeg(_ prefix: String) -> LegName { "\(prefix)-\(nextLegNumber())" }

    func route(_ leg: LegName, to receiver: (any LegReceiver)?) { legs[leg] = receiver }

    nonisolated func send(_ bodies: [ClientMessage.Body]) {
        for body in bodies {
            do { try outbox.send(ClientMessage(id: outbox.makeId(), body)) } catch {
                // What nothing answers is too small to be refused for another reason.
                let error = SightlineError(cause: error)
                if error.code == .connectionOver { Task { await self.end(error) } }
            }
        }
    }

    func request(_ body: ClientMessage.Body) async throws -> ServerMessage.Body {
        let limit = setup.configuration.requestTimeout
        switch body {
        // The server holds these back, up to 15 s, while it starts its media router again.
        case .subscribe, .replace, .relay: return try await request(body, within: max(limit, .seconds(20)))
        default: return try await request(body, within: limit)
        }
    }

    /// Asks the server and waits for its answer, also while the session is being brought back.
    ///
    /// - Parameter isLast: Whether it is the one that ends the session.
    /// - Throws: `ServerError` if the server refuses, ``SightlineError`` if there is no answer.
    func request(
        _ body: ClientMessage.Body, within limit: Duration, isLast: Bool = false
    ) async throws -> ServerMessage.Body {
        guard phase == .connected || phase == .reconnecting || isLast else {
            throw SightlineError(.notConnected, "the session is not connected: connect it first")
        }
        return try await ask(body, within: limit)
    }

    /// Makes a new socket the session's own.
    func greet(_ body: ClientMessage.Body, within limit: Duration) async throws -> ServerMessage.Body {
        try await ask(body, within: limit)
    }

    private func ask(_ body: ClientMessage.Body, within limit: Duration) async throws -> ServerMessage.Body {
        let id = outbox.makeId()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                var request = PendingRequest(body: body, continuation: continuation, limit: limit)
                if phase != .reconnecting || request.isGreeting { request.timer = timer(id, limit) }
                requests[id] = request
                do { try outbox.send(ClientMessage(id: id, body)) } catch {
                    fail(id, error)
                    let error = SightlineError(cause: error)
                    if error.code == .connectionOver { end(error) }
                }
            }
        } onCancel: {
            Task { await self.fail(id, CancellationError()) }
        }
    }

    /// Has the server do something that is answered by nothing but that it is done.
    ///
    /// - Throws: ``SightlineError``.
    func carryOut(_ body: ClientMessage.Body) async throws {
        do { _ = try await request(body) } catch { throw SightlineError(cause: error) }
    }

    private func timer(_ id: Int, _ limit: Duration) -> Task<Void, Never> {
        Task { [clock] in
            do { try await clock.sleep(for: limit) } catch { return }
            self.fail(id, SightlineError(.timeout, "the server did not answer within \(limit)"))
        }
    }

    /// The server cannot be reached: that is not the requests' time.
    func stopTimers() {
        for id in requests.keys {
            requests[id]?.timer?.cancel()
            requests[id]?.timer = nil
        }
    }

    /// The server can be reached again.
    func startTimers() {
        for (id, request) in requests where request.timer == nil {
            requests[id]?.timer = timer(id, request.limit)
        }
    }

    /// Gives a request its answer.
    func answer(_ id: Int, _ result: Result<ServerMessage.Body, any Error>) {
        guard let request = requests.removeValue(forKey: id) else { return }
        request.timer?.cancel()
        request.continuation.resume(with: result)
    }

    /// Ends all requests without an answer.
    func failRequests(_ error: SightlineError) {
        for (id, request) in requests where !request.isGreeting || phase != .connected { fail(id, error) }
    }

    /// The socket is gone before it was the session's own.
    func failGreetings(_ error: SightlineError) {
        for (id, request) in requests where request.isGreeting { fail(id, error) }
    }

    private func fail(_ id: Int, _ error: any Error) { answer(id, .failure(error)) }
}
