// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

extension RouteConnection {
    /// Puts a new peer connection in place of the current one.
    ///
    /// The old one carries the media until the new one is connected.
    ///
    /// - Throws: ``SightlineError``. The old one continues, or, if that is no longer possible, the connection
    ///   is brought back.
    func replace() async throws {
        guard recovery == nil, !isReplacing else {
            throw SightlineError(.mediaLost, "the peer connection is being replaced already")
        }
        do {
            try await makeReplacement()
        } catch {
            if acknowledged != current { pendingLoss = pendingLoss ?? SightlineError(cause: error).message }
            recoverIfPending()
            throw error
        }
        recoverIfPending()
    }

    /// Brings the connection back, as often as the plan says.
    func recover(_ message: String) {
        // What was forgotten is opened again when it is known to be there.
        guard !isClosed, registration != .forgotten else { return }
        guard recovery == nil, !isReplacing else {
            pendingLoss = message
            return
        }
        emit(.lost(message))
        restarting?.cancel()
        recovery = Task { await self.runRecovery() }
    }

    /// Deals with a loss that came while a replacement was being made.
    private func recoverIfPending() {
        guard let message = pendingLoss else { return }
        pendingLoss = nil
        recover(message)
    }

    private func runRecovery() async {
        var plan = context.recovery
        var failure = SightlineError(.mediaLost, "the media connection broke")
        while let wait = plan.next() {
            do {
                try await context.clock.sleep(for: wait)
                try await signaling.reachable()
                if registration == .forgotten { break }
                try await makeReplacement()
                recovery = nil
                emit(.restored)
                recoverIfPending()
                return
            } catch {
                failure = SightlineError(cause: error)
                if isClosed || !RecoveryPlan.isWorthRetrying(failure) { break }
            }
        }
        recovery = nil
        guard !isClosed, registration != .forgotten else { return }
        let message = "the media connection could not be brought back after \(plan.attempts) attempts"
        emit(.failed(SightlineError(.mediaLost, "\(message): \(failure.message)")))
        await signaling.transportFailed(self)
    }

    private func makeReplacement() async throws {
        guard !isClosed else { throw SightlineError(.cancelled, "the call ended meanwhile") }
        isReplacing = true
        defer { isReplacing = false }
        let name = try await makeLeg()
        do {
            let offer = try await makeOffer(name)
            let reply = try await signaling.request(replacement(name, offer))
            // From here on the server knows the connection by the new name, whatever becomes of it.
            acknowledged = name
            if registration == .reopening { opened(reply) }
            registration = .registered
            try await accept(reply.answer, name)
            try await connected(name, within: context.requestTimeout)
            try begin(name)
        } catch {
            // A leg that the server knows stays until another one has taken over.
            if acknowledged != name { await drop(name) }
            throw error
        }
        // The router passes the old leg's media on for half a second more, so there is no gap; a dead leg
        // has no media.
        if recovery == nil { try? await context.clock.sleep(for: .milliseconds(600)) }
        for old in legs.keys where old != name { await drop(old) }
    }

    private func replacement(_ name: LegName, _ offer: String) throws -> ClientMessage.Body {
        if registration == .reopening { return openRequest(leg: name, offer: offer) }
        guard let acknowledged else { throw SightlineError(.cancelled, "the call ended meanwhile") }
        return .replace(.init(leg: name, replaces: acknowledged, offer: offer))
    }

    /// Waits until a leg is connected.
    func connected(_ name: LegName, within limit: Duration) async throws {
        let late = SightlineError(.timeout, "the peer connection was not connected in \(limit)")
        try await context.clock.withTimeout(limit, late) { try await self.waitForConnection(name) }
    }

    private func waitForConnection(_ name: LegName) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(for: name, $0) }
        } onCancel: {
            Task { await self.stopWaiting(name) }
        }
    }

    private func wait(for name: LegName, _ continuation: CheckedContinuation<Void, any Error>) {
        switch legs[name]?.state {
        case nil: continuation.resume(throwing: SightlineError(.cancelled, "the call ended meanwhile"))
        case .connected: continuation.resume()
        case .failed: continuation.resume(throwing: SightlineError(.mediaLost, Self.noPath))
        default:
            guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
            legs[name]?.waiters.append(continuation)
        }
    }

    private func stopWaiting(_ name: LegName) {
        legs[name]?.resolve(.failure(CancellationError()))
    }
}
