// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import NIOCore
import Synchronization

/// The sockets that are being tried; a name may have several addresses.
final class OpeningAttempt: Sendable {
    private struct State {
        var channels: [any Channel] = []
        var isAborted = false
    }

    private let state = Mutex(State())

    /// A socket is about to be connected.
    func note(_ channel: any Channel) {
        let isAborted = state.withLock { state in
            state.channels.append(channel)
            return state.isAborted
        }
        if isAborted { channel.close(promise: nil) }
    }

    /// Gives up.
    func abort() {
        let channels = state.withLock { state in
            state.isAborted = true
            defer { state.channels = [] }
            return state.channels
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
#endif
