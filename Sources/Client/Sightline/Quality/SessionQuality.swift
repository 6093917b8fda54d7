// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire

/// Who is in a session.
protocol SessionParticipants: Sendable {
    /// This client; `nil` before the session was joined.
    var own: Connection? { get }
    var others: [Connection] { get }
}

/// What is new about a session's quality.
enum QualityChange: Sendable {
    /// A warning was raised or cleared.
    case warning(CallQualityEvent)
    /// A participant's level has changed.
    case level(Connection, NetworkQualityStats)
}

/// Tracks a session's warnings and network quality levels, and reports changes.
final class SessionQuality: Sendable {
    private let core: Mutex<QualityCore>
    private let queue = Mutex(ClientQueue<Int>())
    private let participants: any SessionParticipants
    private let volume: OutputVolumeWatch?
    private let send: @Sendable (QualityChange) -> Void

    /// Makes one for a session.
    ///
    /// - Parameter send: Hears what is new; must only buffer.
    init(
        _ configuration: NetworkQualityConfiguration?, volume: OutputVolumeWatch?,
        participants: any SessionParticipants, _ send: @escaping @Sendable (QualityChange) -> Void
    ) {
        core = Mutex(QualityCore(configuration))
        self.participants = participants
        self.volume = volume
        self.send = send
    }

    /// The device's output volume, `0...1`; `nil` if no one says.
    var outputVolume: Double? { volume?.present }

    var configuration: NetworkQualityConfiguration? { core.withLock { $0.configuration } }
    var stats: NetworkQualityStats? { core.withLock { $0.stats } }
    var raisedWarnings: [CallQualityEvent] { core.withLock { $0.raisedWarnings } }
    func stats(of connection: String) -> NetworkQualityStats? { core.withLock { $0.stats(of: connection) } }

    /// Changes how much is reported; returns what the server has to know.
    func configure(_ new: NetworkQualityConfiguration?) -> AskNetworkQuality {
        change { $0.configure(new) }
        return AskNetworkQuality(remote: new?.remote ?? .none)
    }

    /// The session was joined; returns what the server has to know, if anything.
    func join() -> AskNetworkQuality? {
        volume?.start()
        change { $0.join() }
        guard let remote = configuration?.remote, remote > .none else { return nil }
        return AskNetworkQuality(remote: remote)
    }

    /// The session is over.
    func leave() {
        volume?.stop()
        core.withLock { $0.leave() }
    }

    /// The way to the server broke, or came back.
    func setReconnecting(_ isReconnecting: Bool) { change { $0.setReconnecting(isReconnecting) } }

    /// Handles what the server sent about others.
    func take(_ update: NetworkQualityUpdate) {
        let connections = participants.others
        core.withLock { core in
            for participant in update.participants {
                guard let other = connections.first(where: { $0.connectionId == participant.connection }),
                    let change = core.note(participant.quality, of: other.connectionId)
                else { continue }
                send(.level(other, change))
            }
        }
    }

    /// Someone has left.
    func forget(_ connection: Connection) { core.withLock { $0.forget(connection.connectionId) } }

    // MARK: - Streams

    /// A stream begins; returns its number here.
    func open(_ role: StreamRole) -> Int {
        core.withLock { core in
            let (id, change) = core.open(role)
            emit(change)
            return id
        }
    }

    /// A stream is over.
    func close(_ id: Int) {
        queue.withLock { $0.forget(id) }
        core.withLock { core in
            let (change, warnings) = core.close(id)
            emit(change)
            emit(warnings)
        }
    }

    /// The media of a stream show a queue in that direction, or none.
    func note(queue direction: NetworkDirection?, by id: Int, at now: Duration) {
        queue.withLock { $0.note(direction, by: id, at: now.seconds * 1000) }
    }

    /// In which direction the other streams show a queue; `nil` if they show none.
    func queueDirection(beside id: Int, at now: Duration) -> Aged<NetworkDirection>? {
        queue.withLock { $0.direction(beside: id, at: now.seconds * 1000) }
    }

    /// A stream's path broke, or came back.
    func note(_ path: PathState, of id: Int) { change { $0.note(path, of: id) } }

    /// A stream has other connections: to the subscribers with these ids, or to the router if it is `nil`.
    func note(connections: Set<String>?, of id: Int) {
        core.withLock { core in
            let (change, warnings) = core.note(connections: connections, of: id)
            emit(change)
            emit(warnings)
        }
    }

    /// A tick of a stream could not be measured.
    func noteSilence(of id: Int) { change { $0.note(nil, of: id) } }

    /// A tick of a stream.
    func note(_ levels: [StreamLevels], _ warnings: [CallQualityWarning], of id: Int, streamId: String?) {
        core.withLock { core in
            emit(core.note(levels, of: id))
            emit(core.note(warnings, of: id, streamId: streamId))
        }
    }

    // Sending only buffers; under the lock, so that two streams cannot swap their events.
    private func change(_ body: (inout QualityCore) -> NetworkQualityStats?) {
        core.withLock { emit(body(&$0)) }
    }

    private func emit(_ change: NetworkQualityStats?) {
        guard let change, let own = participants.own else { return }
        send(.level(own, change))
    }

    private func emit(_ warnings: [CallQualityEvent]) {
        for warning in warnings { send(.warning(warning)) }
    }
}
