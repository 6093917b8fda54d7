// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Sightline

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What URLSession reports of a socket's beginning and end: nothing else is relied upon.
final class SocketEvents: NSObject, URLSessionWebSocketDelegate, Sendable {
    private struct Listener {
        weak var conversation: SocketConversation?
    }

    private let listener = Mutex(Listener())

    func listen(_ conversation: SocketConversation) {
        listener.withLock { $0.conversation = conversation }
    }

    private var conversation: SocketConversation? { listener.withLock { $0.conversation } }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
    ) {
        conversation?.opened()
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        let isOrderly = closeCode == .normalClosure || closeCode == .goingAway
        conversation?.end(
            isOrderly
                ? nil
                : SightlineError(
                    .connectionLost, "the session server closed the socket (\(closeCode.rawValue))"))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        conversation?.end(error.map(SocketConversation.lost))
    }
}
