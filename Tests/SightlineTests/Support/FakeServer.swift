// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionWire
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
        var subscriptionAnswer = "answer"
        var connections = [FakeServer.other]
        /// `nil` for a server that lets no one come back.
        var ledger: MessageLedger<ServerMessage>?
        var token = 0
        var opened = 0
        var addresses: [SignalingAddress] = []
        /// Where the session is; `nil` for a server that always has it.
        var home: (url: String, host: String)?
        /// The hosts that cannot be reached.
        var unreachable: Set<String> = []
        var isResumable = false
        var isOver = false
        /// Sockets that it still loses as soon as a session has been resumed on them.
        var fragile = 0
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
    /// Answers what was left unanswered of a type, and what comes of it from now on.
    func answerLate(_ type: String) {
        setSilent(type, false)
        let late = state.withLock { $0.received.filter { $0.body.type == type } }
        for message in late {
            if let body = reply(message.body) { send(ServerMessage(re: message.id, body), on: nil) }
        }
    }
    /// Makes the next sockets fail.
    func refuseSockets(_ error: SightlineError?) { state.withLock { $0.openFailure = error } }
    /// Loses as many sockets as soon as a session has been resumed on them.
    func loseResumed(_ count: Int) { state.withLock { $0.fragile = count } }
    /// Lets sockets stay closed for ever.
    func neverOpen() { state.withLock { $0.opensNever = true } }

    /// What kind of session the client joins.
    func setMediaMode(_ mode: MediaMode) { state.withLock { $0.mediaMode = mode } }

    /// What subscriptions are answered with.
    func answerSubscriptions(with answer: String) { state.withLock { $0.subscriptionAnswer = answer } }

    /// Streams of others that are there when the client joins.
    func add(_ stream: StreamDescription) { state.withLock { $0.others.append(stream) } }

    /// Lets clients come back on other sockets.
    func makeResumable() { state.withLock { $0.isResumable = true } }

    /// Is started over: knows no one, and those who were there are gone.
    func restart() {
        state.withLock { state in
            state.ledger = nil
            state.others = []
            state.connections = []
        }
        socket?.breakDown()
    }

    /// Does not let the client continue.
    func endResumption() { state.withLock { $0.isOver = true } }

    /// Sends whoever joins elsewhere but at that address.
    func move(to url: String) {
        let host = (try? SignalingAddress(url))?.host ?? ""
        state.withLock { $0.home = (url, host) }
    }
    /// Hosts that cannot be reached from now on.
    func cut(_ hosts: Set<String>) { state.withLock { $0.unreachable = hosts } }
    /// The hosts that sockets were asked of.
    var hosts: [String] { state.withLock { $0.addresses.map(\.host) } }

    /// Sockets that were asked for.
    var opened: Int { state.withLock { $0.opened } }

    /// The messages that the client has not confirmed.
    var unconfirmed: Int? { state.withLock { $0.ledger?.unconfirmed } }

    /// Tells the client something; keeps it for a client that may come back.
    func notify(_ body: ServerMessage.Body) { send(ServerMessage(body), on: nil) }

    /// Sends on a socket, or on the present one.
    private func send(_ message: ServerMessage, on socket: FakeSocket?) {
        state.withLock { state in
            var message = message
            if message.isNumbered {
                let numbered = state.ledger?.send { number in
                    message.seq = number
                    return message
                }
                message = numbered ?? message
            }
            (socket ?? state.socket)?.deliver(message)
        }
    }

    static func stream(_ id: String, hasVideo: Bool = true, of connection: ConnectionDescription = other)
        -> StreamDescription
    {
        StreamDescription(
            id: id, connection: connection, creationTime: 3,
            content: StreamContent(
                name: "a stream", hasAudio: true, hasVideo: hasVideo,
                videoDimensions: hasVideo ? VideoSize(width: 640, height: 360) : nil), senderStatsTrack: true
        )
    }

    func open(_ address: SignalingAddress) async throws -> any SignalingChannel {
        let (failure, opensNever) = state.withLock { state in
            state.opened += 1
            state.addresses.append(address)
            let isCut = state.unreachable.contains(address.host)
            let failure = isCut ? SightlineError(.connectionFailed, "no way") : state.openFailure
            return (failure, state.opensNever)
        }
        if let failure { throw failure }
        if opensNever { try await Task.sleep(for: .seconds(3600)) }
        let socket = FakeSocket { [weak self] socket, message in self?.answer(message, socket, address) }
        state.withLock { $0.socket = socket }
        return socket
    }

    private func answer(_ message: ClientMessage, _ socket: FakeSocket, _ address: SignalingAddress) {
        if message.body.type == "join", let home = state.withLock({ $0.home }), home.host != address.host {
            let error = ServerError(.elsewhere, "not here", url: home.url)
            return socket.deliver(ServerMessage(re: message.id, .error(error)))
        }
        switch message.body {
        case .resume(let request): return resume(request, message.id, socket)
        case .ack(let acknowledgement):
            return state.withLock { _ = $0.ledger?.confirm(acknowledgement.received) }
        default: break
        }
        if let received = message.received { state.withLock { _ = $0.ledger?.confirm(received) } }
        let type = message.body.type
        let (isNext, refusal, isSilent) = state.withLock { state in
            let isNext = message.seq.flatMap { state.ledger?.receive($0, at: .zero) } ?? .next == .next
            if isNext { state.received.append(message) }
            return (isNext, state.refusals[type], state.silent.contains(type))
        }
        guard isNext, !isSilent else { return }
        if let refusal { return send(ServerMessage(re: message.id, .error(refusal)), on: socket) }
        if let body = reply(message.body) { send(ServerMessage(re: message.id, body), on: socket) }
        if case .leave = message.body { socket.closeByServer() }
    }

    private func resume(_ request: ClientMessage.Resume, _ id: Int, _ socket: FakeSocket) {
        state.withLock { state in
            let isKnown = state.ledger != nil && request.token == "token \(state.token)"
            guard !state.isOver, isKnown, let missed = state.ledger?.resume(after: request.received),
                let received = state.ledger?.report()
            else {
                let code: ServerError.Code = state.isOver ? .resumptionOver : .unknownResumption
                return socket.deliver(ServerMessage(re: id, .error(ServerError(code, "not here"))))
            }
            socket.deliver(ServerMessage(re: id, .resumed(received)))
            for message in missed { socket.deliver(message) }
            guard state.fragile > 0 else { return }
            state.fragile -= 1
            socket.breakDown()
        }
    }

    private func join() -> ServerMessage.Joined {
        state.withLock { state in
            if state.isResumable {
                state.token += 1
                state.ledger = MessageLedger(limit: 10_000)
            }
            return ServerMessage.Joined(
                session: "s", mediaMode: state.mediaMode, role: .publisher, connection: Self.own,
                connections: state.connections, streams: state.others, iceServers: [],
                resumption: state.isResumable ? .init(token: "token \(state.token)", seconds: 60) : nil)
        }
    }

    private func reply(_ body: ClientMessage.Body) -> ServerMessage.Body? {
        switch body {
        case .join: return .joined(join())
        case .publish(let request):
            // What brings a stream back is its id.
            var stream = Self.stream(request.restore ?? "own-\(request.leg)", of: Self.own)
            stream.content = request.content
            let answer = request.offer == nil ? nil : "answer"
            return .published(.init(leg: request.leg, stream: stream, answer: answer, restore: stream.id))
        case .subscribe(let request):
            let answer = request.offer == nil ? nil : state.withLock { $0.subscriptionAnswer }
            return .subscribed(.init(leg: request.leg, answer: answer))
        case .offer(let request): return .answered(.init(leg: request.leg, answer: "answer"))
        case .replace(let request): return .answered(.init(leg: request.leg, answer: "answer"))
        case .telemetry(let telemetry):
            return .acknowledged(.init(eventIds: telemetry.events.map(\.eventId), receivedAt: 0))
        case .relay(let request): return .answered(.init(leg: request.leg, answer: "answer"))
        case .candidate, .settled, .legLost, .giveUp, .resume, .ack: return nil
        case .answer, .prefer, .update, .saturate, .unsubscribe, .unpublish, .networkQuality, .leave:
            return .done
        case .forceUnpublish, .forceDisconnect, .rate: return .done
        case .networkTest: return .networkTest(.init())
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
