// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension MediaPlayoutStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 82: value.store(in: &kind)
        case 160: value.store(in: &synthesizedSamplesDuration)
        case 161: value.store(in: &synthesizedSamplesEvents)
        case 181: value.store(in: &totalSamplesDuration)
        case 177: value.store(in: &totalPlayoutDelay)
        case 180: value.store(in: &totalSamplesCount)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("kind", kind)
        visitor.visit("synthesizedSamplesDuration", synthesizedSamplesDuration)
        visitor.visit("synthesizedSamplesEvents", synthesizedSamplesEvents)
        visitor.visit("totalSamplesDuration", totalSamplesDuration)
        visitor.visit("totalPlayoutDelay", totalPlayoutDelay)
        visitor.visit("totalSamplesCount", totalSamplesCount)
    }
}
