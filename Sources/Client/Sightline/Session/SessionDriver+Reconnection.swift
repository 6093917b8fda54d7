// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire

extension SessionDriver {
    /// Brings the session back after its socket was lost.
    func reconnect(after error: SightlineError) {
        guard phase == .connected else { return }
        guard setup.configuration.reconnectionTime > .zero else {
            failRequests(error)
            end(error)
            return
        }
        phase = .reconnecting
        roster.state = .reconnecting
        dropSocket()
        stopConfirming()
        stopTimers()
        hub.send(.sessionDidBeginReconnecting)
        quality.setReconnecting(true)
        reconnecting = Task { await self.runReconnection(error) }
    }

    private func runReconnection(_ cause: SightlineError) async {
        let limit = setup.configuration.reconnectionTime
        let deadline = clock.now() + limit
        var plan = setup.configuration.reconnection
        var last = cause
        var generator = SystemRandomNumberGenerator()
        while let wait = plan.next(remaining: deadline - clock.now(), using: &generator) {
            do {
                try await clock.sleep(for: wait)
                try await attempt(within: min(plan.attemptLimit, deadline - clock.now()))
                return
            } catch {
                guard phase == .reconnecting else { return }
                last = SightlineError(cause: error)
                dropSocket()
                addresses.fail()
                guard ReconnectionPlan.isWorthRetrying(error) else { return giveUp(last) }
            }
        }
        // The last wait may reach beyond the end: it is not waited for.
        giveUp(
            SightlineError(
                .connectionLost, "the server could not be reached again within \(limit): \(last.message)"))
    }

    /// Everything is lost; not called from outside of the task that it ends.
    private func giveUp(_ error: SightlineError) {
        guard phase == .reconnecting else { return }
        failRequests(error)
        end(error)
    }

    /// Opens a socket, here or where the session is by now, and continues with the session on it.
    private func attempt(within limit: Duration) async throws {
        let before = returns
        _ = try await following { try await $0.goOn(within: limit) }
        // Not the phase: the socket may be lost again before this continues, which is for the next reconnection.
        guard returns > before else {
            throw SightlineError(.connectionOver, "the server cannot continue the session")
        }
    }

    private func goOn(within limit: Duration) async throws -> ServerMessage.Body {
        let start = clock.now()
        try await openSocket(within: limit, .reconnecting)
        guard let resumption else { throw Self.disconnected }
        do {
            let resume = ClientMessage.Resume(token: resumption.token, received: outbox.received)
            return try await greet(.resume(resume), within: limit - (clock.now() - start))
        } catch let error as ServerError where error.code == .unknownResumption {
            let join = ClientMessage.Join(
                token: setup.token, client: setup.configuration.clientName, resumable: true,
                restore: resumption.token)
            return try await greet(.join(join), within: limit)
        }
    }

    // MARK: - What the server answers

    /// The server continues where the socket was lost.
    func resumed(_ acknowledgement: Acknowledgement) {
        guard phase == .reconnecting, outbox.resume(after: acknowledgement.received) else { return }
        isBack()
        startTimers()
    }

    /// The server was started over, and takes the client as a new one.
    func rejoined(_ joined: ServerMessage.Joined) {
        guard phase == .reconnecting else { return }
        let forgotten = SightlineError(
            .serverRestarted, "the server was restarted and lost the request: try again")
        outbox.begin(isResumable: joined.resumption != nil)
        resumption = joined.resumption
        telemetry.reset()
        isBack()
        emit(roster.update { $0.rejoin(joined) })
        if let remote = quality.configuration?.remote, remote > .none {
            send([.networkQuality(AskNetworkQuality(remote: remote))])
        }
        restoreMedia()
        failRequests(forgotten)
        awaitOthers()
    }

    private func isBack() {
        returns += 1
        phase = .connected
        roster.state = .connected
        hub.send(.sessionDidReconnect)
        quality.setReconnecting(false)
        let waiters = reachabilityWaiters
        reachabilityWaiters = [:]
        for waiter in waiters.values { waiter.resume() }
    }

    // MARK: - After the server was started over

    private static let forgotten = "the server was started over"

    /// Publishes again what was published, and subscribes to what is there already.
    private func restoreMedia() {
        for publication in publications.values {
            let transport = publication.media.transport
            runInBackground { await transport?.serverForgot(Self.forgotten, mayReopen: true) }
        }
        for subscription in subscriptions.values {
            let transport = subscription.media.transport
            let isThere = !roster.present.isAwaited(subscription.subscriber.stream.streamId)
            runInBackground { await transport?.serverForgot(Self.forgotten, mayReopen: isThere) }
        }
    }

    /// A stream is there again: so are the subscriptions to it.
    func streamIsBack(_ id: String) {
        for subscription in subscriptions.values where subscription.subscriber.stream.streamId == id {
            let transport = subscription.media.transport
            runInBackground { await transport?.serverForgot(Self.forgotten, mayReopen: true) }
        }
    }

    /// Gives the others time to come back as well, before they count as gone.
    private func awaitOthers() {
        let time = setup.configuration.restorationTime
        awaiting?.cancel()
        awaiting = Task { [clock] in
            do { try await clock.sleep(for: time) } catch { return }
            self.giveUpOthers()
        }
    }

    private func giveUpOthers() {
        guard phase == .connected else { return }
        emit(roster.update { $0.giveUpAwaited() })
    }
}

// MARK: - Waiting for the server

extension SessionDriver {
    /// Waits while the session is being brought back.
    func reachable() async throws {
        guard phase == .reconnecting else { return }
        waiterCount += 1
        let id = waiterCount
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume() }
                reachabilityWaiters[id] = continuation
            }
        } onCancel: {
            Task { await self.stopWaiting(id) }
        }
        try Task.checkCancellation()
    }

    private func stopWaiting(_ id: Int) {
        reachabilityWaiters.removeValue(forKey: id)?.resume()
    }
}
