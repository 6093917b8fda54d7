// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import Foundation
import MediaEngine
import WebRTC

// The framework's channels are proxies that are safe to use from any thread, hence unchecked.
/// A data channel of WebRTC.framework.
final class AppleWebRTCDataChannel: DataChannel, @unchecked Sendable {
    let events: AsyncStream<DataChannelEvent>
    private let channel: RTCDataChannel
    /// The framework holds its delegate weakly.
    private let observer: DataChannelObserver

    init(_ channel: RTCDataChannel) {
        self.channel = channel
        let (events, continuation) = AsyncStream.makeStream(of: DataChannelEvent.self)
        self.events = events
        observer = DataChannelObserver(continuation)
        channel.delegate = observer
        // One that the other side opened may be open already.
        observer.note(channel.readyState)
    }

    deinit { observer.end() }

    var label: String { channel.label }

    func send(_ bytes: [UInt8], isBinary: Bool) throws {
        guard channel.sendData(RTCDataBuffer(data: Data(bytes), isBinary: isBinary)) else {
            let isOpen = channel.readyState == .open
            throw MediaEngineError(
                .invalidState,
                isOpen ? "too much waits to be sent already" : "the data channel is not open")
        }
    }

    func close() { channel.close() }
}

/// Passes on what happens on a data channel; open and closed are reported once.
private final class DataChannelObserver: NSObject, RTCDataChannelDelegate, Sendable {
    private let continuation: AsyncStream<DataChannelEvent>.Continuation
    private let reported = Mutex<Set<RTCDataChannelState>>([])

    init(_ continuation: AsyncStream<DataChannelEvent>.Continuation) {
        self.continuation = continuation
    }

    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) { note(dataChannel.readyState) }

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        continuation.yield(.message(Array(buffer.data), isBinary: buffer.isBinary))
    }

    func note(_ state: RTCDataChannelState) {
        guard reported.withLock({ $0.insert(state).inserted }) else { return }
        if state == .open { continuation.yield(.open) }
        guard state == .closed else { return }
        continuation.yield(.closed)
        continuation.finish()
    }

    func end() { continuation.finish() }
}
#endif
