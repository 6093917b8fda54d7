// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension ScenarioTable {
    /// Calls on which nothing is wrong, however they look.
    static let clean: [Scenario] = [
        Scenario(name: "clean-speech", summary: "speech and a moving picture", duration: 40),
        clean("clean-silence", "digital silence") { $0.speaks = false },
        clean("clean-dtx", "speech with discontinuous transmission") {
            $0.usesDiscontinuousTransmission = true
        },
        clean("clean-mute", "muted and unmuted", [.init(10, .audio(false)), .init(25, .audio(true))]),
        clean("clean-camera-off", "camera off and on", [.init(10, .video(false)), .init(25, .video(true))]),
        clean(
            "clean-screen", "a screen that stands still", [.init(8, .still(true)), .init(30, .still(false))]
        ) {
            $0.isScreen = true
        },
        clean(
            "clean-layers", "bob switches between layers",
            [.init(10, .wantedHeight(180)), .init(20, .wantedHeight(nil)), .init(30, .wantedHeight(180))]
        ) { $0.hasLayers = true },
        clean("clean-5fps", "5 pictures a second") { $0.frameRate = 5 },
    ]

    private static func clean(
        _ name: String, _ summary: String, _ steps: [Scenario.Step] = [],
        _ change: (inout Scenario.Setup) -> Void = { _ in }
    ) -> Scenario {
        var setup = Scenario.Setup()
        change(&setup)
        return Scenario(name: name, summary: summary, duration: 40, setup: setup, steps: steps)
    }
}
