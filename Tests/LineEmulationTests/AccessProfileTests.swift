// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LineEmulation
import MediaEngine
import Testing

@Suite struct AccessProfileTests {
    @Test("each profile has a name of its own, says what it stands on, and can be set by a schedule")
    func names() throws {
        #expect(Set(AccessProfile.all.map(\.name)).count == AccessProfile.all.count)
        for profile in AccessProfile.all {
            #expect(AccessProfile.named(profile.name) == profile)
            #expect(!profile.summary.isEmpty && !profile.basis.isEmpty)
            for direction in NetworkConditions.Direction.allCases {
                var copy = NetworkConditions.Link()
                for (key, value) in profile.conditions[direction].values { try copy.set(key, value) }
                #expect(copy == profile.conditions[direction], "\(profile.name) \(direction)")
            }
        }
    }

    @Test("what else uses a line comes and goes within its times")
    func crossTraffic() {
        for traffic in AccessProfile.all.flatMap(\.crossTraffic) {
            #expect(traffic.start >= 0 && traffic.duration > 0 && traffic.pause ?? 1 > 0)
        }
    }
}
