// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

/// A request that waits for its answer.
struct PendingRequest {
    let body: ClientMessage.Body
    let continuation: CheckedContinuation<ServerMessage.Body, any Error>
    /// Ends the wait.
    let timer: Task<Void, Never>
}

extension SessionDriver: LinkSignaling {
    func nextLeg(_ prefix: String) -> String { "\(prefix)-\(nextLegNumber())" }

    func route(_ leg: String, to link: (any LegReceiver)?) { links[leg] = link }

    nonisolated func tell(_ bodies: [ClientMessage.Body]) {
        for body in bodies {
            // What nothing answers is too small to be refused here.
            try? outbox.send(ClientMessage(id: outbox.makeId(), body))
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

    /// Asks the server and waits for its answer.
    ///
    /// - Throws: `ServerError` if the server refuses, ``SightlineError`` if there is no answer.
    func request(_ body: ClientMessage.Body, within limit: Duration) async throws -> ServerMessage.Body {
        guard channel != nil else {
            throw SightlineError(.notConnected, "the session is not connected: connect it first")
        }
        let id = outbox.makeId()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                let timer = Task { [clock] in
                    do { try await clock.sleep(for: limit) } catch { return }
                    self.fail(id, SightlineError(.timeout, "the server did not answer within \(limit)"))
                }
                requests[id] = PendingRequest(body: body, continuation: continuation, timer: timer)
                do { try outbox.send(ClientMessage(id: id, body)) } catch { fail(id, error) }
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

    /// Gives a request its answer.
    func answer(_ id: Int, _ result: Result<ServerMessage.Body, any Error>) {
        guard let request = requests.removeValue(forKey: id) else { return }
        request.timer.cancel()
        request.continuation.resume(with: result)
    }

    /// Ends all requests without an answer.
    func failRequests(_ error: SightlineError) {
        for id in Array(requests.keys) { fail(id, error) }
    }

    private func fail(_ id: Int, _ error: any Error) { answer(id, .failure(error)) }
}
