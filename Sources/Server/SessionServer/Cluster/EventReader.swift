// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads server-sent events as their bytes come: types and data, of one line each.
///
/// Pure.
struct EventReader {
    /// One event.
    struct Event: Sendable, Equatable {
        var type: String
        var data: String
    }

    /// Bytes without an end of line from which on what comes is no stream of events.
    static let limit = 1 << 20

    private var line: [UInt8] = []
    private var type = ""
    private var data = ""

    /// The events that are complete; `nil` if the bytes are none.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Event]? {
        var events: [Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < Self.limit else { return nil }
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else {
            defer { (type, data) = ("", "") }
            return type.isEmpty || data.isEmpty ? nil : Event(type: type, data: data)
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("event: ") { type = String(text.dropFirst(7)) }
        if text.hasPrefix("data: ") { data = String(text.dropFirst(6)) }
        return nil
    }
}

/// The events that another server sends, until it ends, or no one wants them any more.
final class EventSource: NSObject, URLSessionDataDelegate {
    private let continuation: AsyncStream<EventReader.Event>.Continuation
    private let reader = Mutex(EventReader())

    private init(_ continuation: AsyncStream<EventReader.Event>.Continuation) {
        self.continuation = continuation
    }

    /// Asks for them; none come if it is refused.
    static func events(_ request: URLRequest) -> AsyncStream<EventReader.Event> {
        let (stream, continuation) = AsyncStream<EventReader.Event>.makeStream(
            bufferingPolicy: .bufferingNewest(LiveFeed.capacity))
        let session = URLSession(
            configuration: .ephemeral, delegate: EventSource(continuation), delegateQueue: nil)
        continuation.onTermination = { _ in session.invalidateAndCancel() }
        session.dataTask(with: request).resume()
        return stream
    }

    func urlSession(
        _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
        newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data) {
        guard (task.response as? HTTPURLResponse)?.statusCode == 200,
            let events = reader.withLock({ $0.take(data) })
        else { return continuation.finish() }
        for event in events { continuation.yield(event) }
    }

    func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError _: (any Error)?) {
        continuation.finish()
    }
}
