// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

/// Who and what is in the session, as last sent by the server.
///
/// Pure: messages in, events out. Tells each thing once, whatever the server repeats or gets wrong.
struct SessionPresence {
    /// What the session has said about itself; `nil` before it was joined.
    struct Joined {
        let session: String
        let role: TokenRole
        let mediaMode: MediaMode
        let connection: Connection
        let iceServers: [ICEServer]

        init(_ message: ServerMessage.Joined) {
            session = message.session
            role = message.role
            mediaMode = message.mediaMode
            connection = Connection(message.connection)
            iceServers = message.iceServers
        }
    }

    private(set) var joined: Joined?
    /// The others, in the order in which they came.
    private(set) var connections: [Connection] = []
    /// Everyone's streams, in the order in which they came.
    private(set) var streams: [MediaStream] = []
    /// Connections and streams that a server that was started over has not named yet.
    private var awaited: Set<String> = []

    /// Takes a message in.
    mutating func handle(_ message: ServerMessage.Body) -> [SessionEvent] {
        switch message {
        case .joined(let message): join(message)
        case .published(let message): create(MediaStream(message.stream))
        case .connectionCreated(let description): create(Connection(description))
        case .connectionDestroyed(let destroyed): destroyConnection(destroyed.id)
        case .streamCreated(let description): create(MediaStream(description))
        case .streamUpdated(let description): update(MediaStream(description))
        case .streamDestroyed(let destroyed): destroyStream(destroyed.id)
        default: []
        }
    }

    /// A stream is over.
    mutating func destroyStream(_ id: String) -> [SessionEvent] {
        guard let index = streams.firstIndex(where: { $0.streamId == id }) else { return [] }
        return [.streamDestroyed(streams.remove(at: index))]
    }

    /// This client has changed one of its own streams.
    mutating func updateStream(_ id: String, to content: StreamContent) -> [SessionEvent] {
        guard let stream = streams.first(where: { $0.streamId == id }) else { return [] }
        return update(stream.with(content))
    }

    /// Forgets everyone: the client is no longer in the session.
    mutating func leave() {
        awaited = []
        connections = []
        streams = []
    }

    /// Whether a stream has not come back yet to a server that was started over.
    func isAwaited(_ id: String) -> Bool { awaited.contains(id) }

    /// The client is in the session again, on a server that had forgotten everyone: those who are not there
    /// may still come back.
    mutating func rejoin(_ message: ServerMessage.Joined) -> [SessionEvent] {
        joined = Joined(message)
        awaited = Set(connections.map(\.connectionId) + streams.map(\.streamId))
        return createAll(of: message)
    }

    /// Those who have not come back are gone.
    mutating func giveUpAwaited() -> [SessionEvent] {
        let gone = awaited
        awaited = []
        let events = streams.filter { gone.contains($0.streamId) }.flatMap { destroyStream($0.streamId) }
        return events
            + connections.filter { gone.contains($0.connectionId) }
            .flatMap { destroyConnection($0.connectionId) }
    }

    private mutating func join(_ message: ServerMessage.Joined) -> [SessionEvent] {
        guard joined == nil else { return [] }
        joined = Joined(message)
        return [.sessionDidConnect] + createAll(of: message)
    }

    private mutating func createAll(of message: ServerMessage.Joined) -> [SessionEvent] {
        var events: [SessionEvent] = []
        for description in message.connections { events += create(Connection(description)) }
        for description in message.streams { events += create(MediaStream(description)) }
        return events
    }

    private mutating func create(_ connection: Connection) -> [SessionEvent] {
        awaited.remove(connection.connectionId)
        guard connection != joined?.connection, !connections.contains(connection) else { return [] }
        connections.append(connection)
        return [.connectionCreated(connection)]
    }

    private mutating func destroyConnection(_ id: String) -> [SessionEvent] {
        guard let index = connections.firstIndex(where: { $0.connectionId == id }) else { return [] }
        let gone = connections.remove(at: index)
        // No one's streams outlive them, whether the server says so or not.
        let orphans = streams.filter { $0.connection == gone }
        return orphans.flatMap { destroyStream($0.streamId) } + [.connectionDestroyed(gone)]
    }

    private mutating func create(_ stream: MediaStream) -> [SessionEvent] {
        let wasAwaited = awaited.remove(stream.streamId) != nil
        guard !streams.contains(where: { $0.streamId == stream.streamId }) else {
            return wasAwaited ? update(stream) : []
        }
        streams.append(stream)
        return [.streamCreated(stream)]
    }

    private mutating func update(_ stream: MediaStream) -> [SessionEvent] {
        guard let index = streams.firstIndex(where: { $0.streamId == stream.streamId }) else {
            return create(stream)
        }
        guard streams[index] != stream else { return [] }
        let changes = stream.changes(since: streams[index])
        streams[index] = stream
        return [.streamPropertyChanged(stream, changes)]
    }
}
