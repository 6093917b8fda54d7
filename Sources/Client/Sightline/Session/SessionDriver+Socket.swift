// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// A socket of a session, with the tasks that read and write it.
struct SessionSocket: Sendable {
    let number: Int
    let channel: any SignalingChannel
    var tasks: [Task<Void, Never>] = []
}

extension SessionDriver {
    /// Opens a socket and makes it the present one.
    ///
    /// - Parameter expected: The phase that the session must still be in when it is open.
    func openSocket(within limit: Duration, _ expected: Phase) async throws {
        let address = try SignalingAddress(addresses.current)
        let late = SightlineError(
            .timeout, "no socket to \(address) was opened in \(limit): is the server running there?")
        let transport = setup.transport
        let listener = setup.configuration.onSignalingProgress
        let channel = try await clock.withTimeout(limit, late) {
            try await transport.open(address, notifying: listener ?? { _ in })
        }
        guard phase == expected, !Task.isCancelled else {
            await channel.close()
            throw Self.disconnected
        }
        socketCount += 1
        let number = socketCount
        let texts = outbox.attach(isOpen: expected == .connecting)
        socket = SessionSocket(number: number, channel: channel)
        // Tasks of a session keep its driver, not the session: when that goes, its end cancels them.
        socket?.tasks = [
            Task { await self.read(channel, number) },
            Task { await Self.write(texts, to: channel) },
        ]
    }

    /// Opens a socket and says the first word on it, and does so elsewhere if the server says that the session is there.
    func following(
        _ enter: (isolated SessionDriver) async throws -> ServerMessage.Body
    ) async throws -> ServerMessage.Body {
        for _ in 0..<SessionAddresses.hops {
            do { return try await enter(self) } catch let error as ServerError {
                guard addresses.follow(error) else { throw error }
                dropSocket()
            }
        }
        return try await enter(self)
    }

    /// Closes the socket, if there is one, and waits until nothing uses it any more.
    func closeSocket() async {
        guard let old = takeSocket() else { return }
        await Self.close(old)
    }

    /// Detaches the socket, without waiting until it is closed: a dead one may take long.
    func dropSocket() {
        guard let old = takeSocket() else { return }
        runInBackground { await Self.close(old) }
    }

    private func takeSocket() -> SessionSocket? {
        outbox.detach()
        defer { socket = nil }
        return socket
    }

    private static func close(_ socket: SessionSocket) async {
        await socket.channel.close()
        for task in socket.tasks { task.cancel() }
        for task in socket.tasks { await task.value }
    }

    private func read(_ channel: any SignalingChannel, _ number: Int) async {
        var error: SightlineError
        do {
            for try await text in channel.messages where socket?.number == number { receive(text) }
            error = SightlineError(
                goodbye == "forced" ? .forceDisconnected : .connectionEnded,
                "the server closed the socket" + (goodbye.map { ": \($0)" } ?? ""))
        } catch let cause {
            error = SightlineError(.connectionLost, "the socket to the server broke: \(cause)")
        }
        if socket?.number == number { socketEnded(error) }
    }

    private static func write(_ texts: AsyncStream<String>, to channel: any SignalingChannel) async {
        for await text in texts {
            do { try await channel.send(text) } catch {
                // The reader gets the same from the socket.
                return await channel.close()
            }
        }
    }

    /// The present socket is gone.
    private func socketEnded(_ error: SightlineError) {
        switch phase {
        case .connected where goodbye == nil && resumption != nil: reconnect(after: error)
        case .connected:
            failRequests(error)
            end(error)
        case .connecting: failRequests(error)
        case .reconnecting: failGreetings(error)
        case .idle, .over: failRequests(Self.disconnected)
        }
    }
}
