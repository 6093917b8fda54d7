// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import NIOCore
import Synchronization

/// Lets the bytes of sockets through or cuts them, as an emulated network does.
///
/// While it is shut no byte passes in either direction, and no one is notified: the server sees a client that
/// says nothing any more, also when the client has long closed its socket. New sockets are not opened before
/// it is open again. For tests, and for headless clients with an emulated network. Safe to use from anywhere.
public final class SignalingGate: Sendable {
    private struct State {
        var isOpen = true
        var channels: [ObjectIdentifier: any Channel] = [:]
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var waiterCount = 0
    }

    /// Says to a socket's handler that the gate was opened or shut.
    struct Change: Sendable {
        let isOpen: Bool
    }

    private let state = Mutex(State())

    /// An open gate.
    public init() {}

    /// Whether bytes get through.
    public var isOpen: Bool {
        get { state.withLock { $0.isOpen } }
        set {
            let (channels, waiters) = state.withLock { state in
                guard state.isOpen != newValue else {
                    return ([any Channel](), [CheckedContinuation<Void, Never>]())
                }
                state.isOpen = newValue
                guard newValue else { return (Array(state.channels.values), []) }
                defer { state.waiters = [:] }
                return (Array(state.channels.values), Array(state.waiters.values))
            }
            for channel in channels {
                channel.triggerUserOutboundEvent(Change(isOpen: newValue), promise: nil)
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Puts a socket behind the gate; on its event loop.
    func guardSocket(_ channel: any Channel) throws {
        let isOpen = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.isOpen
        }
        try channel.pipeline.syncOperations.addHandler(GateHandler(isOpen: isOpen), position: .first)
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
        }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError`.
    func waitUntilOpen() async throws {
        let id = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGo = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
        try Task.checkCancellation()
    }
}
#endif
