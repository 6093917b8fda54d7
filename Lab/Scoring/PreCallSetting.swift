// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Who makes a pre-call test, and what the emulated network carries of it.
package enum PreCallSetting: String, Sendable, Codable, CaseIterable {
    /// libwebrtc, which emulates the network for media alone.
    case engine
    /// The program on an emulated access line, which carries everything.
    case line
    /// A page in Chromium, whose network the media router emulates at its end.
    case browser

    /// Its heading on the page.
    var title: String {
        switch self {
        case .engine: "Media on the emulated network"
        case .line: "Media and signaling on one line"
        case .browser: "In a browser"
        }
    }

    /// What makes the runs.
    var explanation: String {
        switch self {
        case .engine:
            "Real tests through server, media router and libwebrtc, which emulates the network for media: `sightline-lab precall`."
        case .line:
            """
            `sightline network-test` at one end of an emulated access line, server and media router at the other, so that \
            signaling shares the line with media, up and down: `sightline-lab precall --on line` (as root).
            """
        case .browser:
            """
            `testNetwork` of the browser's client in a headless Chromium, whose network the media router emulates for media at its end: \
            `sightline-lab precall --on browser`.
            """
        }
    }
}
