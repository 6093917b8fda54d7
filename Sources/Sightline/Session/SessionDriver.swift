// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionProtocol
import Synchronization

/// Runs a session: owns the socket, its tasks, and everything that is published and subscribed.
actor SessionDriver {
    /// What a session was made with.
    struct Setup: Sendable {
        let url: String
        let token: String
        let engine: any MediaEngine
        let transport: any SignalingTransport
        let configuration: SessionConfiguration
    }

    private static let disconnected = SightlineError(.cancelled, "the session was disconnected meanwhile")

    enum Phase {
        case idle
        case connecting
        case connected
        case over
    }

    let setup: Setup
    nonisolated let roster: SessionRoster
    nonisolated let hub: EventHub<SessionEvent>
    nonisolated let telemetry: TelemetrySender
    nonisolated let quality: SessionQuality
    var clock: SessionClock { setup.configuration.clock }

    var phase = Phase.idle
    var channel: (any SignalingChannel)?
    var requests: [Int: PendingRequest] = [:]
    var links: [String: any LegReceiver] = [:]
    var publications: [ObjectIdentifier: Publication] = [:]
    var subscriptions: [ObjectIdentifier: Subscription] = [:]
    /// What the server said before it closed the socket.
    var goodbye: String?
    private nonisolated let currentOutbox = Mutex(Outbox())
    private var tasks: [Task<Void, Never>] = []
    private var errands: [Int: Task<Void, Never>] = [:]
    private var errandCount = 0
    private var ending: Task<Void, Never>?
    private var legCount = 0

    init(_ setup: Setup, roster: SessionRoster, hub: EventHub<SessionEvent>) {
        self.setup = setup
        self.roster = roster
        self.hub = hub
        quality = SessionQuality(setup.configuration, roster: roster, hub: hub)
        telemetry = TelemetrySender(unixTime: setup.configuration.clock.unixTime)
    }

    /// What is on its way to the present socket.
    nonisolated var outbox: Outbox { currentOutbox.withLock { $0 } }

    /// Enters the session.
    func connect() async throws {
        switch phase {
        case .idle: phase = .connecting
        case .connecting, .connected:
            throw SightlineError(.alreadyConnected, "the session is connected already, or about to be")
        case .over:
            throw SightlineError(.alreadyConnected, "the session is over: make another one to connect again")
        }
        do {
            try await openSocket()
            let join = ClientMessage.Join(token: setup.token, client: setup.configuration.clientName)
            let reply = try await request(.join(join))
            guard case .joined = reply else {
                throw SightlineError(.protocolViolation, "the server answered something else than asked")
            }
            guard phase == .connected else {
                throw SightlineError(.connectionLost, "the session ended before it had begun")
            }
            tasks.append(Task { [telemetry] in await telemetry.run { try await self.request($0) } })
        } catch {
            let error = SightlineError(cause: error)
            await closeSocket()
            if phase != .over { phase = .idle }
            throw error
        }
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
        let wasConnected = phase == .connected
        phase = .over
        let task = Task { await self.runEnd(error, wasConnected: wasConnected) }
        ending = task
        return task
    }

    func nextLegNumber() -> Int {
        legCount += 1
        return legCount
    }

    /// Does something that a message asks for, without keeping the messages behind it waiting.
    func later(_ errand: @escaping @Sendable () async -> Void) {
        errandCount += 1
        let id = errandCount
        errands[id] = Task {
            await errand()
            self.errands[id] = nil
        }
    }

    // MARK: - The end

    private func runEnd(_ error: SightlineError?, wasConnected: Bool) async {
        telemetry.finish()
        if wasConnected, error == nil { await leave() }
        await endMedia()
        await closeSocket()
        for errand in errands.values { await errand.value }
        roster.isConnected = false
        quality.leave()
        _ = roster.update { core in
            core.leave()
            return []
        }
        if let error { hub.send(.didFailWithError(error)) }
        if wasConnected { hub.send(.sessionDidDisconnect) }
        hub.finish()
    }

    /// Takes leave of the server, which ends everything there; a server that does not answer is not waited
    /// for.
    private func leave() async {
        let limit = min(setup.configuration.requestTimeout, .seconds(2))
        _ = try? await request(.leave, within: limit)
    }

    private func endMedia() async {
        let (publications, subscriptions) = (self.publications, self.subscriptions)
        self.publications = [:]
        self.subscriptions = [:]
        for publication in publications.values { await finish(publication) }
        for subscription in subscriptions.values { await finish(subscription) }
    }

    // MARK: - The socket

    private func openSocket() async throws {
        let address = try SignalingAddress(setup.url)
        let timeout = setup.configuration.requestTimeout
        let late = SightlineError(
            .timeout, "no socket to \(address) was opened in \(timeout): is the server running there?")
        let transport = setup.transport
        let listener = setup.configuration.onSignalingProgress
        let channel = try await clock.withTimeout(timeout, late) {
            try await transport.open(address, telling: listener ?? { _ in })
        }
        guard phase == .connecting else {
            await channel.close()
            throw Self.disconnected
        }
        self.channel = channel
        let outbox = Outbox()
        currentOutbox.withLock { $0 = outbox }
        // Tasks of a session keep its driver, not the session: when that goes, its end cancels them.
        tasks = [
            Task { await self.read(channel) },
            Task { await Self.write(outbox, to: channel) },
        ]
    }

    /// Closes the socket, if there is one, and waits until nothing uses it any more.
    private func closeSocket() async {
        let (channel, tasks) = (self.channel, self.tasks)
        self.channel = nil
        self.tasks = []
        failRequests(Self.disconnected)
        await channel?.close()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func read(_ channel: any SignalingChannel) async {
        var error: SightlineError
        do {
            for try await text in channel.messages { receive(text) }
            error = SightlineError(
                .connectionEnded, "the server closed the socket" + (goodbye.map { ": \($0)" } ?? ""))
        } catch let cause {
            error = SightlineError(.connectionLost, "the socket to the server broke: \(cause)")
        }
        failRequests(phase == .over ? Self.disconnected : error)
        if self.channel != nil, phase == .connected { end(error) }
    }

    private static func write(_ outbox: Outbox, to channel: any SignalingChannel) async {
        for await text in outbox.texts {
            do { try await channel.send(text) } catch {
                // The reader hears the same from the socket and ends the session.
                return await channel.close()
            }
        }
    }
}
