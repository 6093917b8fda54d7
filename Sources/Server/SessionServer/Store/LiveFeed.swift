// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import Synchronization

/// Live feed of what has just been stored.
///
/// Each listener has ``capacity`` messages of room; the oldest go first for one who reads slowly, who sees it
/// by the numbers that are missing.
final class LiveFeed: Sendable {
    /// One message.
    struct Message: Sendable, Equatable {
        /// Goes up by one for each message that the listener was to get.
        var number: UInt64
        /// `sample`, `event` or `alert`; empty for a sign of life.
        var type: String
        /// One line of JSON.
        var json: String
    }

    /// What of other nodes is watched here.
    enum Remote: Sendable, Equatable {
        case all
        /// Of these sessions alone, maybe none.
        case sessions(Set<String>)
    }

    private struct Listener: Sendable {
        var session: String?
        /// Whether it is another node, which has the feeds of all others itself.
        var isNode = false
        /// The tokens that it listens by.
        var tokens: [String] = []
        var next: UInt64 = 1
        var continuation: AsyncStream<Message>.Continuation
    }

    private struct State {
        var listeners: [UInt64: Listener] = [:]
        var lastListener: UInt64 = 0
        var dropped: UInt64 = 0
        var isClosed = false
    }

    /// Most listeners at once.
    static let limit = 200
    /// Messages that wait for one listener.
    static let capacity = 1024

    private let state = Mutex(State())

    /// Whether anyone watches.
    var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Listeners now, and messages that were dropped for them.
    var figures: (listeners: Int, dropped: UInt64) { state.withLock { ($0.listeners.count, $0.dropped) } }

    /// Messages from now on, of one session or of all; `nil` if there are too many listeners.
    ///
    /// - Parameters:
    ///   - grant: The listener's grant; the stream ends with it.
    ///   - isNode: Whether it is another node, which gets what is of this one alone.
    func listen(
        session: String?, for grant: APIGrant? = nil, isNode: Bool = false
    ) -> AsyncStream<Message>? {
        let (stream, continuation) = AsyncStream<Message>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.capacity))
        let id = state.withLock { state -> UInt64? in
            guard !state.isClosed, state.listeners.count < Self.limit else { return nil }
            state.lastListener += 1
            state.listeners[state.lastListener] = Listener(
                session: session, isNode: isNode, tokens: grant?.ids ?? [], continuation: continuation)
            return state.lastListener
        }
        guard let id else { return nil }
        let expiry = grant?.expires.map { expires in
            Task {
                try await Task.sleep(for: .seconds(max(0, expires.timeIntervalSinceNow)))
                continuation.finish()
            }
        }
        continuation.onTermination = { [weak self] _ in
            expiry?.cancel()
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Ends the streams of those who listen by a token.
    func end(token: String) {
        let listeners = state.withLock { $0.listeners.values.filter { $0.tokens.contains(token) } }
        for listener in listeners { listener.continuation.finish() }
    }

    /// Ends every listener's stream.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return state.listeners
        }
        for listener in listeners.values { listener.continuation.finish() }
    }

    /// Shows every listener that the server is there; finds those who are gone.
    func beat() {
        let listeners = state.withLock { $0.listeners }
        for listener in listeners.values {
            listener.continuation.yield(Message(number: 0, type: "", json: ""))
        }
    }

    /// Tells what a commit brought.
    func publish(_ outcome: WriteOutcome) {
        guard hasListeners else { return }
        let encoder = JSONEncoder.sorted
        for change in outcome.changes {
            switch change {
            case .sample(let flow, let record):
                let entry = SampleEntry(
                    time: record.mark.time, flow: flow, observer: record.observer, sample: record.sample)
                publish("sample", flow.session, entry, encoder)
            case .event(let record): publish("event", record.session, LiveEvent(record), encoder)
            }
        }
        for change in outcome.alerts {
            publish("alert", change.alert.flow.session, change.alert, encoder)
        }
    }

    private func publish(_ type: String, _ session: String, _ body: some Encodable, _ encoder: JSONEncoder) {
        guard let data = try? encoder.encode(body) else { return }
        send(type, String(decoding: data, as: UTF8.self)) { $0.session ?? session == session }
    }

    /// What of other nodes is watched here.
    var remote: Remote {
        state.withLock { state in
            let sessions = state.listeners.values.filter { !$0.isNode }.map(\.session)
            return sessions.contains(nil) ? .all : .sessions(Set(sessions.compactMap(\.self)))
        }
    }

    /// Tells what the feed of another node has brought.
    func relay(_ type: String, _ json: String) {
        let isNarrowed = state.withLock { $0.listeners.values.contains { $0.session != nil } }
        let session =
            isNarrowed ? (try? JSONDecoder().decode(Subject.self, from: Data(json.utf8)))?.session : nil
        send(type, json) { !$0.isNode && ($0.session == nil || $0.session == session) }
    }

    private func send(_ type: String, _ json: String, to isWanted: (Listener) -> Bool) {
        let messages = state.withLock { state in
            state.listeners.filter { isWanted($0.value) }.map { id, listener in
                state.listeners[id]?.next += 1
                return (listener.continuation, Message(number: listener.next, type: type, json: json))
            }
        }
        // Without the lock: yielding takes the lock of the task that listens, and who cancels that task holds
        // its lock while `onTermination` wants ours. A single writer notifies all, so the order holds.
        for (continuation, message) in messages {
            if case .dropped = continuation.yield(message) { state.withLock { $0.dropped += 1 } }
        }
    }
}

/// Which session a message is about.
private struct Subject: Decodable {
    private struct Flow: Decodable {
        var session: String
    }

    let session: String?

    private enum Key: CodingKey {
        case session, flow
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        session =
            try container.decodeIfPresent(String.self, forKey: .session)
            ?? container.decodeIfPresent(Flow.self, forKey: .flow)?.session
    }
}

/// An event as it is sent to those who watch.
struct LiveEvent: Codable, Sendable, Equatable {
    var time: Double
    var type: String
    var isAlarm: Bool
    var session: String
    var connection: String?
    var detail: [String: String]

    init(_ record: EventRecord) {
        time = record.mark.time
        type = record.type
        isAlarm = record.isAlarm
        session = record.session
        connection = record.connection
        detail = record.detail
    }
}
