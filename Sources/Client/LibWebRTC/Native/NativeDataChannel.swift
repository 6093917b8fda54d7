// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// Events of a data channel.
enum NativeDataEvent: Sendable {
    case state(Int32)
    case message([UInt8], isBinary: Bool)
}

/// A data channel.
final class NativeDataChannel {
    typealias Handler = @Sendable (NativeDataEvent) -> Void

    private let raw: OpaquePointer
    let label: String

    init(_ raw: OpaquePointer) {
        self.raw = raw
        label = String(cString: sl_data_channel_label(raw))
    }

    deinit { sl_data_channel_destroy(raw) }

    var state: Int32 { sl_data_channel_state(raw) }

    /// Begins events: the present state first, then messages, those that waited before the others.
    ///
    /// Once per channel.
    func listen(_ handler: @escaping Handler) {
        var callbacks = DataCallbacks.make(handler)
        sl_data_channel_listen(raw, &callbacks)
    }

    func send(_ bytes: some Sequence<UInt8>, isBinary: Bool) throws(NativeError) {
        let bytes = Array(bytes)
        try check { error in
            bytes.withUnsafeBufferPointer {
                sl_data_channel_send(raw, $0.baseAddress, $0.count, isBinary, error)
            }
        }
    }

    func close() {
        sl_data_channel_close(raw)
    }
}

// Sendable because the C ABI takes calls from any thread and nothing here changes.
extension NativeDataChannel: @unchecked Sendable {}

/// Carries a channel's handler through the C callbacks; released by the library after the last of them.
private final class DataCallbacks: Sendable {
    private let handler: NativeDataChannel.Handler

    private init(_ handler: @escaping NativeDataChannel.Handler) {
        self.handler = handler
    }

    static func make(_ handler: @escaping NativeDataChannel.Handler) -> sl_data_channel_callbacks {
        var callbacks = sl_data_channel_callbacks()
        callbacks.context = Unmanaged.passRetained(DataCallbacks(handler)).toOpaque()
        callbacks.on_state = { DataCallbacks.deliver($0, .state($1)) }
        callbacks.on_message = { context, bytes, length, isBinary in
            DataCallbacks.deliver(
                context, .message(Array(UnsafeBufferPointer(start: bytes, count: length)), isBinary: isBinary)
            )
        }
        callbacks.release = { context in
            // Balances `passRetained` above: the library releases each context once.
            if let context { Unmanaged<DataCallbacks>.fromOpaque(context).release() }
        }
        return callbacks
    }

    private static func deliver(_ context: UnsafeMutableRawPointer?, _ event: NativeDataEvent) {
        guard let context else { return }
        Unmanaged<DataCallbacks>.fromOpaque(context).takeUnretainedValue().handler(event)
    }
}
