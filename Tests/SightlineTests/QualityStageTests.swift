// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing

@testable import Sightline

@Suite("What a network test measures")
struct QualityStageTests {
    @Test(
        "a downlink is looked at alone if a full uplink, as narrow as that, may have silenced the media router",
        arguments: [
            (15_000, 1_700, true), (15_000, nil, true), (15_000, 11_900, true), (15_000, 12_100, false),
            (15_000, 5_000_000, false), (70_000, 1_000, false), (5_000_000, 1_000, false), (nil, nil, false),
        ] as [(Double?, Double?, Bool)])
    func starved(uplink: Double?, downlink: Double?, expected: Bool) {
        func bandwidth(_ rate: Double?) -> PreCallMeasurement.Bandwidth? {
            rate.map { .init(rate: $0, isAtLeast: false) }
        }
        #expect(
            QualityStage.isStarved(downlink: bandwidth(downlink), uplink: bandwidth(uplink)) == expected)
    }
}
