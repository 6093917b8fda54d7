// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Sightline
import Synchronization
import Testing

@testable import AppleOnStandIns

/// A task of URLSession that does what the real one does at its worst: it keeps handlers, and calls them late or never.
private final class SilentTask: WebSocketTask {
    struct Held {
        var conversation: SocketConversation?
        var sends: [@Sendable ((any Error)?) -> Void] = []
        var receives: [@Sendable (Result<String?, any Error>) -> Void] = []
        var pings: [@Sendable ((any Error)?) -> Void] = []
        var endCount = 0
    }

    let held = Mutex(Held())

    func begin(_ conversation: SocketConversation) { held.withLock { $0.conversation = conversation } }

    func send(_ text: String, _ done: @escaping @Sendable ((any Error)?) -> Void) {
        held.withLock { $0.sends.append(done) }
    }

    func receive(_ done: @escaping @Sendable (Result<String?, any Error>) -> Void) {
        held.withLock { $0.receives.append(done) }
    }

    func ping(_ done: @escaping @Sendable ((any Error)?) -> Void) { held.withLock { $0.pings.append(done) } }

    func end() { held.withLock { $0.endCount += 1 } }
}

@Suite("A WebSocket whose task may never answer")
struct SocketTests {
    private let task = SilentTask()
    private let conversation: SocketConversation

    init() {
        conversation = SocketConversation(task, pingInterval: .seconds(3600))
    }

    private func open() async throws {
        async let opened: Void = conversation.open()
        while task.held.withLock({ $0.conversation }) == nil { await Task.yield() }
        conversation.opened()
        try await opened
    }

    @Test("opening gives up when its task is cancelled, though URLSession says nothing")
    func deadHost() async throws {
        let opening = Task { [conversation] in try await conversation.open() }
        while task.held.withLock({ $0.conversation }) == nil { await Task.yield() }
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
        #expect(task.held.withLock(\.endCount) == 1)
        // Too late.
        conversation.opened()
        #expect(task.held.withLock { $0.receives.isEmpty })
        await #expect(throws: CancellationError.self) { try await conversation.open() }
    }

    @Test("closing ends what waits: the messages and what is being sent")
    func closing() async throws {
        try await open()
        let sending = Task { [conversation] in try await conversation.send("hello") }
        while task.held.withLock({ $0.sends.isEmpty }) { await Task.yield() }
        conversation.end(nil)
        let error = await #expect(throws: SightlineError.self) { try await sending.value }
        #expect(error?.code == .connectionLost)
        for try await _ in conversation.messages { Issue.record("nothing was said") }
        // The task's own words come late and twice, and change nothing.
        let (sends, receives) = task.held.withLock { ($0.sends, $0.receives) }
        for done in sends { done(URLError(.cancelled)) }
        for done in sends { done(nil) }
        for done in receives { done(.failure(URLError(.networkConnectionLost))) }
        conversation.end(URLError(.networkConnectionLost))
        #expect(task.held.withLock(\.endCount) == 1)
        await #expect(throws: SightlineError.self) { try await conversation.send("more") }
    }

    @Test("messages arrive in order, and a socket that breaks says so")
    func breaking() async throws {
        try await open()
        for text in ["a", nil, "b"] {
            let receive = task.held.withLock { $0.receives.removeFirst() }
            receive(.success(text))
        }
        let sending = Task { [conversation] in try await conversation.send("hello") }
        while task.held.withLock({ $0.sends.isEmpty }) { await Task.yield() }
        task.held.withLock { $0.sends.removeFirst() }(nil)
        try await sending.value
        task.held.withLock { $0.receives.removeFirst() }(.failure(URLError(.networkConnectionLost)))
        var seen: [String] = []
        let error = await #expect(throws: SightlineError.self) {
            for try await text in conversation.messages { seen.append(text) }
        }
        #expect(seen == ["a", "b"])
        #expect(error?.code == .connectionLost)
    }

    @Test("a server that no longer answers pings is gone, whether or not its handlers are called")
    func silence() async throws {
        let conversation = SocketConversation(task, pingInterval: .milliseconds(1))
        async let opened: Void = conversation.open()
        while task.held.withLock({ $0.conversation }) == nil { await Task.yield() }
        conversation.opened()
        try await opened
        let error = await #expect(throws: SightlineError.self) {
            for try await _ in conversation.messages {}
        }
        #expect(error?.message.contains("silent") == true)
        // However late the timer is, it is not gone before it was asked.
        #expect(task.held.withLock(\.pings.count) == SocketConversation.unansweredPingLimit)
    }
}
