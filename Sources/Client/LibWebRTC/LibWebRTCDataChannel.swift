// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import MediaEngine
import Synchronization

/// A data channel of libwebrtc.
final class LibWebRTCDataChannel: DataChannel {
    let events: AsyncStream<DataChannelEvent>
    private let native: NativeDataChannel
    private let continuation: AsyncStream<DataChannelEvent>.Continuation
    /// Before that libwebrtc reports no end, so ``close()`` does.
    private let hasOpened = Mutex(false)

    init(_ native: NativeDataChannel) {
        self.native = native
        let (events, continuation) = AsyncStream.makeStream(of: DataChannelEvent.self)
        self.events = events
        self.continuation = continuation
        native.listen { [weak self] in self?.pass($0) }
    }

    deinit { continuation.finish() }

    var label: String { native.label }

    func send(_ bytes: [UInt8], isBinary: Bool) throws {
        try mapError(for: .call) { () throws(NativeError) in try native.send(bytes, isBinary: isBinary) }
    }

    func close() {
        native.close()
        if !hasOpened.withLock(\.self) { end() }
    }

    private func end() {
        continuation.yield(.closed)
        continuation.finish()
    }

    private func pass(_ event: NativeDataEvent) {
        switch event {
        case .state(let state) where Int(state) == SL_DATA_OPEN:
            hasOpened.withLock { $0 = true }
            continuation.yield(.open)
        case .state(let state) where Int(state) == SL_DATA_CLOSED:
            end()
        case .state:
            break
        case .message(let bytes, let isBinary):
            continuation.yield(.message(bytes, isBinary: isBinary))
        }
    }
}
