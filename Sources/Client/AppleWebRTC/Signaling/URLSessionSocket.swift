// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Sightline

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A WebSocket of a URLSession of its own, as the session sees it.
final class URLSessionSocket: SignalingChannel {
    private let conversation: SocketConversation

    init(_ url: URL, pingInterval: Duration) {
        conversation = SocketConversation(URLSessionTaskOfSocket(url), pingInterval: pingInterval)
    }

    deinit { conversation.end(nil) }

    var messages: AsyncThrowingStream<String, any Error> { conversation.messages }

    func open() async throws { try await conversation.open() }

    func send(_ text: String) async throws { try await conversation.send(text) }

    func close() async { conversation.end(nil) }
}

/// URLSession's side of a socket.
private final class URLSessionTaskOfSocket: WebSocketTask {
    private static let messageLimit = 1 << 20

    private let session: URLSession
    private let task: URLSessionWebSocketTask
    private let events = SocketEvents()

    init(_ url: URL) {
        session = URLSession(configuration: .ephemeral, delegate: events, delegateQueue: nil)
        task = session.webSocketTask(with: url)
        task.maximumMessageSize = Self.messageLimit
    }

    func begin(_ conversation: SocketConversation) {
        events.listen(conversation)
        task.resume()
    }

    func send(_ text: String, _ done: @escaping @Sendable ((any Error)?) -> Void) {
        task.send(.string(text), completionHandler: done)
    }

    func receive(_ done: @escaping @Sendable (Result<String?, any Error>) -> Void) {
        task.receive { result in
            done(
                result.map { message in
                    // The protocol has text only.
                    if case .string(let text) = message { text } else { nil }
                })
        }
    }

    func ping(_ done: @escaping @Sendable ((any Error)?) -> Void) { task.sendPing(pongReceiveHandler: done) }

    func end() {
        task.cancel(with: .normalClosure, reason: nil)
        // Releases the delegate, after the goodbye.
        session.finishTasksAndInvalidate()
    }
}
