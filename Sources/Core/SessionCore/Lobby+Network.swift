// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import NetworkEmulation
import RouterWire
import SessionWire

// MARK: - Emulated networks

extension Lobby {
    /// Emulates a participant's network from now on, at the router's end of its path.
    ///
    /// What is to be done about it is done with the next input, as with the others. It ends with the connection, and
    /// with the server.
    ///
    /// - Parameter schedule: What holds when; `nil` ends it.
    /// - Returns: How the network is now.
    /// - Throws: ``ServerError`` `unknownSession` or `unknownConnection`, `forbidden` if the media do not pass the router,
    ///   `tooMany` beyond a limit.
    package mutating func emulate(
        _ schedule: ConditionSchedule?, for connection: String, in session: String, at now: CoreTime
    ) throws(ServerError) -> ParticipantNetwork {
        self.now = now
        let (live, member) = try member(connection, in: session)
        guard live.mediaMode != .relayed else {
            throw ServerError(
                .forbidden,
                "the session is relayed: its media do not pass the router, which emulates networks")
        }
        let client = member.identity.client
        if schedule != nil, live.emulations[client] == nil { try checkEmulations() }
        guard emulationRates.take(.emulation, of: client.rawValue, at: now.elapsed) else {
            throw ServerError(.tooMany, "the network is changed too often; ten times a second is enough")
        }
        put(.emulate(client, schedule), to: live.id)
        return try network(of: connection, in: session)
    }

    /// How a participant's network is.
    ///
    /// - Throws: ``ServerError`` `unknownSession` or `unknownConnection`.
    package func network(
        of connection: String, in session: String
    ) throws(ServerError) -> ParticipantNetwork {
        let (live, member) = try member(connection, in: session)
        return live.networkState(of: member)
    }

    /// How the networks of all participants of a session are, in the order in which they joined.
    ///
    /// - Throws: ``ServerError`` `unknownSession`.
    package func networks(of session: String) throws(ServerError) -> [ParticipantNetwork] {
        let live = try hosted(session)
        return live.present.map(live.networkState)
    }

    /// Passes what a router says of a network on to the client's session, if that is still on it.
    mutating func take(_ count: NetworkCount, from id: RouterID) {
        guard let client = ClientID(networkName: count.network),
            let session = clients[client]?.membership?.session, routers.router(of: session) ?? id == id
        else { return }
        put(.counted(count, client), to: session)
    }

    private func checkEmulations() throws(ServerError) {
        let count = sessions.values.reduce(0) { $0 + ($1.live?.emulations.count ?? 0) }
        guard count < limits.emulatedNetworks else {
            throw ServerError(
                .tooMany, "the server emulates \(limits.emulatedNetworks) networks and takes no more")
        }
    }

    private func hosted(_ session: String) throws(ServerError) -> LiveSession {
        guard let live = sessions[SessionID(session)]?.live else {
            throw ServerError(
                .unknownSession,
                "there is no such session, or its media do not pass through this server's router")
        }
        return live
    }

    private func member(
        _ connection: String, in session: String
    ) throws(ServerError) -> (LiveSession, Member) {
        let live = try hosted(session)
        guard let member = live.members.values.first(where: { $0.identity.description.id == connection })
        else {
            throw ServerError(.unknownConnection, "there is no such connection; it may have left")
        }
        return (live, member)
    }
}
