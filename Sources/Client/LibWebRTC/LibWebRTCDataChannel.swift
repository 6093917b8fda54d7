// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import MediaEngine

/// A data channel of libwebrtc.
final class LibWebRTCDataChannel: DataChannel {
    let events: AsyncStream<DataChannelEvent>
    private let native: NativeDataChannel
    private let continuation: AsyncStream<DataChannelEvent>.Continuation

    init(_ native: NativeDataChannel) {
        self.native = native
        let (events, continuation) = AsyncStream.makeStream(of: DataChannelEvent.self)
        self.events = events
        self.continuation = continuation
        native.listen { Self.pass($0, to: continuation) }
    }

    deinit { continuation.finish() }

    var label: String { native.label }

    func send(_ bytes: [UInt8], isBinary: Bool) throws {
        try mapError(for: .call) { () throws(NativeError) in try native.send(bytes, isBinary: isBinary) }
    }

    func close() {
        native.close()
    }

    private static func pass(
        _ event: NativeDataEvent, to continuation: AsyncStream<DataChannelEvent>.Continuation
    ) {
        switch event {
        case .state(let state) where Int(state) == SL_DATA_OPEN:
            continuation.yield(.open)
        case .state(let state) where Int(state) == SL_DATA_CLOSED:
            continuation.yield(.closed)
            continuation.finish()
        case .state:
            break
        case .message(let bytes, let isBinary):
            continuation.yield(.message(bytes, isBinary: isBinary))
        }
    }
}
