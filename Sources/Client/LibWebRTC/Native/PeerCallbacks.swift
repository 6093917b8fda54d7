// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// Carries a peer's handler through the C callbacks; released by the library after the last of them.
final class PeerCallbacks: Sendable {
    private let handler: NativePeer.Handler

    private init(_ handler: @escaping NativePeer.Handler) {
        self.handler = handler
    }

    /// Callbacks that hand each event to `handler`.
    static func make(_ handler: @escaping NativePeer.Handler) -> sl_peer_callbacks {
        var callbacks = sl_peer_callbacks()
        callbacks.context = Unmanaged.passRetained(PeerCallbacks(handler)).toOpaque()
        callbacks.on_signaling_state = { PeerCallbacks.deliver($0, .signalingState($1)) }
        callbacks.on_connection_state = { PeerCallbacks.deliver($0, .connectionState($1)) }
        callbacks.on_ice_state = { PeerCallbacks.deliver($0, .iceState($1)) }
        callbacks.on_gathering_state = { PeerCallbacks.deliver($0, .gatheringState($1)) }
        callbacks.on_negotiation_needed = { PeerCallbacks.deliver($0, .negotiationNeeded) }
        callbacks.on_candidate = { context, mid, line, candidate in
            guard let mid, let candidate else { return }
            PeerCallbacks.deliver(
                context, .candidate(mid: String(cString: mid), line: line, text: String(cString: candidate)))
        }
        callbacks.on_track = { context, track in
            if let track { PeerCallbacks.deliver(context, .track(NativeRemoteTrack(track))) }
        }
        callbacks.on_track_removed = { context, id in
            if let id { PeerCallbacks.deliver(context, .trackRemoved(id: String(cString: id))) }
        }
        callbacks.on_data_channel = { context, channel in
            if let channel { PeerCallbacks.deliver(context, .dataChannel(NativeDataChannel(channel))) }
        }
        callbacks.release = { context in
            // Balances `passRetained` above: the library releases each context once.
            if let context { Unmanaged<PeerCallbacks>.fromOpaque(context).release() }
        }
        return callbacks
    }

    private static func deliver(_ context: UnsafeMutableRawPointer?, _ event: NativePeerEvent) {
        guard let context else { return }
        Unmanaged<PeerCallbacks>.fromOpaque(context).takeUnretainedValue().handler(event)
    }
}
