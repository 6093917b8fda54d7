// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import VolumeOnStandIns

@Suite("The device's output volume")
struct VolumeTests {
    @Test("it is the shared audio session's")
    func volume() async {
        #expect(await AudioSessionOutputVolume().outputVolume() == 0.25)
    }
}
