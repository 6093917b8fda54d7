// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import WebRTC

// The framework's tracks are proxies that are safe to use from any thread, hence unchecked.
/// Whether a sent track is on: both its sender and its source have a say.
final class TrackSwitch: @unchecked Sendable {
    private struct State {
        var isSenderOn = true
        var isSourceOn = true
    }

    let track: RTCMediaStreamTrack
    private let state = Mutex(State())

    init(_ track: RTCMediaStreamTrack) {
        self.track = track
    }

    func setSender(_ isOn: Bool) { change { $0.isSenderOn = isOn } }

    func setSource(_ isOn: Bool) { change { $0.isSourceOn = isOn } }

    private func change(_ body: (inout State) -> Void) {
        // Under the lock, so that the later of two calls has the last word; the framework calls nothing of ours meanwhile.
        state.withLock { state in
            body(&state)
            track.isEnabled = state.isSenderOn && state.isSourceOn
        }
    }
}
#endif
