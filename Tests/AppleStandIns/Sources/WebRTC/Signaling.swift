// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

// What goes through it is used by one thread after the other.
/// The one thread on which the framework does everything: what a property reads waits for it, and callbacks come from it.
struct SignalingThread: @unchecked Sendable {
    private static let mark = DispatchSpecificKey<UUID>()
    private let id = UUID()
    private let queue = DispatchQueue(label: "signaling_thread")

    init() { queue.setSpecific(key: Self.mark, value: id) }

    private struct Box<Value>: @unchecked Sendable { let value: Value }

    /// Runs on the thread and waits; at once if it is the caller's own.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard DispatchQueue.getSpecific(key: Self.mark) != id else { return try body() }
        return try queue.sync(execute: body)
    }

    /// Calls back later.
    func later(_ body: @escaping () -> Void) {
        let box = Box(value: body)
        queue.async { box.value() }
    }
}

// All of it is behind its lock.
/// How many threads are in a call at the same time.
final class CallerCount: @unchecked Sendable {
    private let lock = NSLock()
    private var present = 0
    private var highest = 0

    var most: Int { lock.withLock { highest } }

    func during(_ call: () -> Void) {
        lock.withLock {
            present += 1
            highest = max(highest, present)
        }
        call()
        lock.withLock { present -= 1 }
    }
}
