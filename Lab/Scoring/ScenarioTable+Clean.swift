// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension ScenarioTable {
    /// Calls on which nothing is wrong, however they look.
    static let clean: [Scenario] = [
        clean("clean-speech", "speech and a moving image"),
        silence,
        clean("clean-dtx", "speech with discontinuous transmission") {
            $0.usesDiscontinuousTransmission = true
        },
        clean("clean-mute", "muted and unmuted", [.init(10, .audio(false)), .init(20, .audio(true))]),
        clean("clean-camera-off", "camera off and on", [.init(10, .video(false)), .init(20, .video(true))]),
        clean(
            "clean-screen", "a screen that is static", [.init(8, .still(true)), .init(22, .still(false))]
        ) {
            $0.isScreen = true
        },
        clean(
            "clean-layers", "bob switches between layers",
            [.init(8, .wantedHeight(180)), .init(16, .wantedHeight(nil)), .init(24, .wantedHeight(180))]
        ) { $0.hasLayers = true },
        clean("clean-5fps", "5 frames a second") { $0.frameRate = 5 },
    ]

    /// A microphone that gives digital silence, which is what warnings of silence are for.
    private static let silence: Scenario = {
        var scenario = clean("clean-silence", "digital silence") { $0.speaks = false }
        scenario.dueWarnings = [.zeroAudioLevel, .constantAudioLevel, .silentMicrophone]
        return scenario
    }()

    private static func clean(
        _ name: String, _ summary: String, _ steps: [Scenario.Step] = [],
        _ change: (inout Scenario.Setup) -> Void = { _ in }
    ) -> Scenario {
        var setup = Scenario.Setup()
        change(&setup)
        return Scenario(name: name, summary: summary, duration: 30, setup: setup, steps: steps)
    }
}
