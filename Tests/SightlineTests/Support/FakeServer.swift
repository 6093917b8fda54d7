// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionProtocol
import Sightline
import Synchronization

/// A session server in memory, for one client.
final class FakeServer: SignalingTransport {
    private struct State {
        var socket: FakeSocket?
        var received: [ClientMessage] = []
        var refusals: [String: ServerError] = [:]
        var silent: Set<String> = []
        var openFailure: SightlineError?
        var opensNever = false
        var others: [StreamDescription] = []
        var mediaMode = MediaMode.routed
    }

    static let own = ConnectionDescription(id: "me", name: "Me", creationTime: 1)
    static let other = ConnectionDescription(id: "other", name: "Bob", creationTime: 2)

    private let state = Mutex(State())

    /// What the client has sent.
    var received: [ClientMessage.Body] { state.withLock { $0.received.map(\.body) } }
    var socket: FakeSocket? { state.withLock { $0.socket } }

    /// The number of the last request.
    var lastId: Int? { state.withLock { $0.received.last?.id } }

    /// Refuses requests of a type from now on; `nil` accepts them again.
    func refuse(_ type: String, _ error: ServerError?) { state.withLock { $0.refusals[type] = error } }
    /// Leaves requests of a type unanswered from now on, or answers them again.
    func setSilent(_ type: String, _ isSilent: Bool = true) {
        state.withLock { state in
            if isSilent { state.silent.insert(type) } else { state.silent.remove(type) }
        }
    }
    /// Makes the next sockets fail.
    func refuseSockets(_ error: SightlineError?) { state.withLock { $0.openFailure = error } }
    /// Lets sockets stay closed for ever.
    func neverOpen() { state.withLock { $0.opensNever = true } }

    /// What kind of session the client joins.
    func setMediaMode(_ mode: MediaMode) { state.withLock { $0.mediaMode = mode } }

    /// Streams of others that are there when the client joins.
    func add(_ stream: StreamDescription) { state.withLock { $0.others.append(stream) } }

    /// Tells the client something.
    func tell(_ body: ServerMessage.Body) { socket?.deliver(ServerMessage(body)) }

    static func stream(_ id: String, hasVideo: Bool = true, of connection: ConnectionDescription = other)
        -> StreamDescription
    {
        StreamDescription(
            id: id, connection: connection, creationTime: 3,
            content: StreamContent(
                name: "a stream", hasAudio: true, hasVideo: hasVideo,
                videoDimensions: hasVideo ? Dimensions(width: 640, height: 360) : nil), senderStatsTrack: true
        )
    }

    func open(_ address: SignalingAddress) async throws -> any SignalingChannel {
        let (failure, opensNever) = state.withLock { ($0.openFailure, $0.opensNever) }
        if let failure { throw failure }
        if opensNever { try await Task.sleep(for: .seconds(3600)) }
        let socket = FakeSocket { [weak self] socket, message in self?.answer(message, socket) }
        state.withLock { $0.socket = socket }
        return socket
    }

    private func answer(_ message: ClientMessage, _ socket: FakeSocket) {
        let type = message.body.type
        let (refusal, isSilent) = state.withLock { state in
            state.received.append(message)
            return (state.refusals[type], state.silent.contains(type))
        }
        if isSilent { return }
        if let refusal { return socket.deliver(ServerMessage(re: message.id, .error(refusal))) }
        if let body = reply(message.body) { socket.deliver(ServerMessage(re: message.id, body)) }
        if case .leave = message.body { socket.closeByServer() }
    }

    private func reply(_ body: ClientMessage.Body) -> ServerMessage.Body? {
        switch body {
        case .join:
            return .joined(
                .init(
                    session: "s", mediaMode: state.withLock { $0.mediaMode }, role: .publisher,
                    connection: Self.own,
                    connections: [Self.other], streams: state.withLock { $0.others }, iceServers: []))
        case .publish(let request):
            var stream = Self.stream("own-\(request.leg)", of: Self.own)
            stream.content = request.content
            let answer = request.offer == nil ? nil : "answer"
            return .published(.init(leg: request.leg, stream: stream, answer: answer))
        case .subscribe(let request):
            let answer = request.offer == nil ? nil : "answer"
            return .subscribed(.init(leg: request.leg, answer: answer))
        case .offer(let request): return .answered(.init(leg: request.leg, answer: "answer"))
        case .replace(let request): return .answered(.init(leg: request.leg, answer: "answer"))
        case .telemetry(let telemetry):
            return .acknowledged(.init(eventIds: telemetry.events.map(\.eventId), receivedAt: 0))
        case .relay(let request): return .answered(.init(leg: request.leg, answer: "answer"))
        case .candidate, .settled, .legLost, .giveUp: return nil
        case .answer, .prefer, .update, .saturate, .unsubscribe, .unpublish, .networkQuality, .leave: return .done
        }
    }
}

/// A socket in memory.
final class FakeSocket: SignalingChannel {
    let messages: AsyncThrowingStream<String, any Error>
    private let continuation: AsyncThrowingStream<String, any Error>.Continuation
    private let receive: @Sendable (FakeSocket, ClientMessage) -> Void
    private let closed = Mutex(false)

    init(_ receive: @escaping @Sendable (FakeSocket, ClientMessage) -> Void) {
        self.receive = receive
        (messages, continuation) = AsyncThrowingStream.makeStream()
    }

    var isClosed: Bool { closed.withLock { $0 } }

    func send(_ text: String) async throws {
        guard !isClosed else { throw SightlineError(.connectionLost, "the socket is closed") }
        receive(self, try JSONDecoder().decode(ClientMessage.self, from: Data(text.utf8)))
    }

    func close() async { closeByServer() }

    /// Sends the client a message.
    func deliver(_ message: ServerMessage) {
        guard let data = try? JSONEncoder().encode(message) else { return }
        deliver(text: String(decoding: data, as: UTF8.self))
    }

    func deliver(text: String) { continuation.yield(text) }

    func closeByServer() {
        closed.withLock { $0 = true }
        continuation.finish()
    }

    func breakDown() {
        closed.withLock { $0 = true }
        continuation.finish(throwing: SightlineError(.connectionLost, "the cable was cut"))
    }
}

extension ClientMessage.Body {
    /// The message's name on the wire.
    var type: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
