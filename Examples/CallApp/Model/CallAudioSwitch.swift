// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AppleWebRTC

// An actor, since the system's audio service may take tens of milliseconds, for which no view is to wait.
/// Activates the device's audio session for the time of a call, on the loudspeaker; macOS has none.
///
/// While it is active, WebRTC activates it again after an interruption such as a telephone call.
actor CallAudioSwitch {
    #if !os(macOS)
    private let audio: CallAudio
    #endif
    private var isActive = false

    init(_ engine: AppleWebRTCEngine) {
        #if !os(macOS)
        audio = CallAudio(engine)
        #endif
    }

    /// Activates it, unless it is.
    ///
    /// - Throws: `MediaEngineError` with the system's reason, such as a telephone call.
    func activate() throws {
        guard !isActive else { return }
        #if !os(macOS)
        try audio.setOutput(.speaker)
        try audio.activate()
        #endif
        isActive = true
    }

    /// Deactivates it, if it is active, and lets other apps' audio continue.
    func deactivate() {
        guard isActive else { return }
        isActive = false
        #if !os(macOS)
        // The call is over all the same, and there is no one whom the reason would help.
        try? audio.deactivate()
        #endif
    }
}
