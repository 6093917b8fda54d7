// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import WebRTC

// The framework's tracks are proxies that are safe to use from any thread, hence unchecked.
/// Whether a sent track is on: both its sender and its source have a say.
///
/// A call returns at once while another thread sets the track; that thread sets it once more then. So a track may still be on
/// for a moment after a call that switches it off.
final class TrackSwitch: @unchecked Sendable {
    private struct State {
        var isSenderOn = true
        var isSourceOn = true
        /// What the track was set to last; a track is on to begin with.
        var applied = true
        /// Someone sets the track, and will see what is changed meanwhile.
        var isApplying = false
    }

    let track: RTCMediaStreamTrack
    private let state = Mutex(State())

    init(_ track: RTCMediaStreamTrack) {
        self.track = track
    }

    func setSender(_ isOn: Bool) { change { $0.isSenderOn = isOn } }

    func setSource(_ isOn: Bool) { change { $0.isSourceOn = isOn } }

    private func change(_ body: (inout State) -> Void) {
        let isMine = state.withLock { state in
            body(&state)
            defer { state.isApplying = true }
            return !state.isApplying
        }
        guard isMine else { return }
        // Without the lock, since the framework's signaling thread is waited for.
        while let isOn = next() { track.isEnabled = isOn }
    }

    /// What the track is to be set to; `nil` if it is already, and then the next to change something sets it.
    private func next() -> Bool? {
        state.withLock { state in
            let wanted = state.isSenderOn && state.isSourceOn
            guard wanted != state.applied else {
                state.isApplying = false
                return nil
            }
            state.applied = wanted
            return wanted
        }
    }
}
#endif
