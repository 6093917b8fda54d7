// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

/// Runs a session: owns the socket, its tasks, and everything that is published and subscribed.
actor SessionDriver {
    /// What a session was made with.
    struct Setup: Sendable {
        let url: String
        let token: String
        let engine: any PeerConnectionFactory
        let transport: any SignalingTransport
        let configuration: SessionConfiguration
    }

    static let disconnected = SightlineError(.cancelled, "the session was disconnected meanwhile")

    enum Phase {
        case idle
        case connecting
        case connected
        case reconnecting
        case over
    }

    let setup: Setup
    nonisolated let roster: SessionRoster
    nonisolated let hub: EventHub<SessionEvent>
    nonisolated let telemetry: TelemetrySender
    nonisolated let quality: SessionQuality
    var clock: SessionClock { setup.configuration.clock }

    var phase = Phase.idle
    var addresses: SessionAddresses
    /// The present one; not the session's own before it was greeted.
    var socket: SessionSocket?
    var socketCount = 0
    /// How to come back on another socket; `nil` if the server does not offer it.
    var resumption: Resumption?
    /// Brings the session back.
    var reconnecting: Task<Void, Never>?
    /// How often the session was brought back.
    var returns = 0
    /// Waits for others to come back to a server that was started over.
    var awaiting: Task<Void, Never>?
    /// Confirms what has arrived of the server, if no other message does.
    var confirming: Task<Void, Never>?
    /// Those who wait until the server can be reached.
    var reachabilityWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var waiterCount = 0
    var requests: [Int: PendingRequest] = [:]
    /// Who gets the server's messages about each leg.
    var legs: [LegName: any LegReceiver] = [:]
    var publications: [ObjectIdentifier: Publication] = [:]
    var subscriptions: [ObjectIdentifier: Subscription] = [:]
    /// What the server said before it closed the socket.
    var goodbye: String?
    nonisolated let outbox = Outbox()
    private var reporting: Task<Void, Never>?
    private var backgroundTasks: [Int: Task<Void, Never>] = [:]
    private var backgroundTaskCount = 0
    private var ending: Task<Void, Never>?
    private var legCount = 0

    init(_ setup: Setup, roster: SessionRoster, hub: EventHub<SessionEvent>) {
        self.setup = setup
        addresses = SessionAddresses(entry: setup.url)
        self.roster = roster
        self.hub = hub
        quality = SessionQuality(
            setup.configuration.networkQualityConfiguration, volume: setup.configuration.outputVolumeWatch,
            participants: roster
        ) { hub.send(SessionEvent($0)) }
        telemetry = TelemetrySender(
            threshold: setup.configuration.thinsTelemetryBelow,
            tick: setup.configuration.monitor.boundedInterval.seconds,
            unixTime: setup.configuration.clock.unixTime)
    }

    /// Enters the session.
    func connect() async throws {
        switch phase {
        case .idle: phase = .connecting
        case .connecting, .connected, .reconnecting:
            throw SightlineError(.alreadyConnected, "the session is connected already, or about to be")
        case .over:
            throw SightlineError(.alreadyConnected, "the session is over: make another one to connect again")
        }
        roster.state = .connecting
        do {
            try await enter()
        } catch {
            let error = SightlineError(cause: error)
            failRequests(Self.disconnected)
            await closeSocket()
            if phase != .over {
                phase = .idle
                roster.state = .disconnected
            }
            throw error
        }
    }

    private func enter() async throws {
        let timeout = setup.configuration.requestTimeout
        let join = ClientMessage.Join(
            token: setup.token, client: setup.configuration.clientName,
            resumable: setup.configuration.reconnectionTime > .zero ? true : nil)
        let answer = try await following { driver in
            driver.outbox.begin(isResumable: false)
            try await driver.openSocket(within: timeout, .connecting)
            return try await driver.greet(.join(join), within: timeout)
        }
        guard case .joined = answer else {
            throw SightlineError(
                .protocolViolation, "the server answered with a message of another type than expected")
        }
        guard phase == .connected || phase == .reconnecting else {
            throw SightlineError(.connectionLost, "the session ended before it had begun")
        }
        reporting = Task { [telemetry] in await telemetry.run { try await self.request($0) } }
    }

    /// Leaves the session; the same end for all who ask for it.
    func disconnect() async {
        await end(nil).value
    }

    /// Ends everything, once.
    ///
    /// `error` says why, unless the app wanted it.
    @discardableResult
    func end(_ error: SightlineError?) -> Task<Void, Never> {
        if let ending { return ending }
        let before = phase
        phase = .over
        let task = Task { await self.runEnd(error, before) }
        ending = task
        return task
    }

    func nextLegNumber() -> Int {
        legCount += 1
        return legCount
    }

    /// Does something that a message asks for, without keeping the messages behind it waiting.
    func runInBackground(_ task: @escaping @Sendable () async -> Void) {
        backgroundTaskCount += 1
        let id = backgroundTaskCount
        backgroundTasks[id] = Task {
            await task()
            self.backgroundTasks[id] = nil
        }
    }

    // MARK: - The end

    private func runEnd(_ error: SightlineError?, _ before: Phase) async {
        telemetry.finish()
        reconnecting?.cancel()
        awaiting?.cancel()
        let waiters = reachabilityWaiters
        reachabilityWaiters = [:]
        for waiter in waiters.values { waiter.resume() }
        if before == .connected, error == nil { await leave() }
        failRequests(Self.disconnected)
        let lost = error == nil ? [] : roster.present.streams
        await endMedia()
        await closeSocket()
        stopConfirming()
        reporting?.cancel()
        for task in [reconnecting, awaiting, reporting] { await task?.value }
        for task in backgroundTasks.values { await task.value }
        roster.state = .disconnected
        quality.leave()
        _ = roster.update { core in
            core.leave()
            return []
        }
        if let error { hub.send(.didFailWithError(error)) }
        for stream in lost { hub.send(.streamDestroyed(stream)) }
        if before == .connected || before == .reconnecting { hub.send(.sessionDidDisconnect) }
        hub.finish()
    }

    /// Takes leave of the server, which ends everything there; a server that does not answer is not waited
    /// for.
    private func leave() async {
        let limit = min(setup.configuration.requestTimeout, .seconds(2))
        _ = try? await request(.leave, within: limit, isLast: true)
    }

    private func endMedia() async {
        let (publications, subscriptions) = (self.publications, self.subscriptions)
        self.publications = [:]
        self.subscriptions = [:]
        for publication in publications.values { await finish(publication) }
        for subscription in subscriptions.values { await finish(subscription, .sessionDisconnected) }
    }
}
