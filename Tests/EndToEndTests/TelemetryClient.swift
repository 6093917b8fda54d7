// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import NIOSignaling
import SessionWire
import Sightline
import Synchronization

/// A client without media that sends telemetry as fast as it is acknowledged, and keeps what is not.
final class TelemetryClient: Sendable {
    private struct State {
        var lastID = 0
        var sent = 0
        var waiting: [Int: TelemetryEvent] = [:]
        var acknowledged: [Int] = []
    }

    /// What a server says that does not belong here.
    struct Unexpected: Error { var message: ServerMessage? }

    /// Events that one client sends: fewer than the server takes of a leg at once.
    private static let most = 280
    /// Events that wait for their acknowledgement at once.
    private static let window = 4
    private static let eventsPerClient = 100_000

    private let number: Int
    private let state = Mutex(State())

    init(number: Int) { self.number = number }

    /// The payload of its events, which distinguishes them from all others; of those that were acknowledged.
    var acknowledged: [Int] { state.withLock { $0.acknowledged } }
    /// The same, of those that were sent.
    var sent: [Int] {
        state.withLock { state in (0..<state.sent).map { number * Self.eventsPerClient + $0 } }
    }

    /// Sends more and more until the server is gone.
    func sendUntilCut(_ url: String, token: String) async throws {
        let channel = try await open(url, token)
        do {
            for _ in 0..<Self.window { try await send(.telemetry(.init(events: [next()])), on: channel) }
            for try await text in channel.messages where try take(text) {
                guard state.withLock({ $0.sent < Self.most }) else { continue }
                try await send(.telemetry(.init(events: [next()])), on: channel)
            }
        } catch is SightlineError {
            // The server was killed.
        } catch let error as Unexpected {
            throw error
        } catch {
            // A write that met a socket which was gone already.
        }
        await channel.close()
    }

    /// Joins, publishes and leaves.
    func join(_ url: String, token: String) async throws { try await open(url, token).close() }

    /// Sends again what was not acknowledged, and the last that was, whose acknowledgement might have been
    /// lost.
    func sendAgain(_ url: String, token: String) async throws {
        let channel = try await open(url, token)
        let again = state.withLock { state in
            Array(state.waiting.values) + state.acknowledged.suffix(2).map(event)
        }
        for event in again { try await send(.telemetry(.init(events: [event])), on: channel) }
        var answers = 0
        for try await text in channel.messages where try take(text) {
            answers += 1
            if answers == again.count { break }
        }
        await channel.close()
    }

    private func open(_ url: String, _ token: String) async throws -> any SignalingChannel {
        let channel = try await NIOSignalingTransport().open(SignalingAddress(url))
        try await send(.join(.init(token: token)), on: channel)
        let content = StreamContent(hasAudio: true, hasVideo: true)
        try await send(.publish(.init(leg: "cam", content: content, offer: nil)), on: channel)
        for try await text in channel.messages {
            let message = try ServerMessage(json: text.utf8)
            switch message.body {
            case .published: return channel
            case .error: throw Unexpected(message: message)
            default: break
            }
        }
        throw Unexpected(message: nil)
    }

    private func next() -> TelemetryEvent {
        state.withLock { state in
            let event = event(number * Self.eventsPerClient + state.sent)
            state.waiting[number * Self.eventsPerClient + state.sent] = event
            state.sent += 1
            return event
        }
    }

    /// The same for the same mark, whenever it is made.
    private func event(_ mark: Int) -> TelemetryEvent {
        var sample = StreamSample()
        sample.networkCondition = .good
        sample.bandwidthDemand = Double(mark)
        return TelemetryEvent(
            eventId: "event-\(mark)",
            capturedAt: 1_700_000_000_000 + Double(mark % Self.eventsPerClient) * 1000,
            leg: "cam", sample: sample)
    }

    /// Whether it acknowledges something.
    private func take(_ text: String) throws -> Bool {
        let message = try ServerMessage(json: text.utf8)
        switch message.body {
        case .acknowledged(let answer):
            state.withLock { state in
                for id in answer.eventIds {
                    guard let mark = Int(id.dropFirst("event-".count)) else { continue }
                    if state.waiting.removeValue(forKey: mark) != nil { state.acknowledged.append(mark) }
                }
            }
            return true
        case .error: throw Unexpected(message: message)
        default: return false
        }
    }

    private func send(_ body: ClientMessage.Body, on channel: any SignalingChannel) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await channel.send(String(decoding: try ClientMessage(id: id, body).json(), as: UTF8.self))
    }
}
