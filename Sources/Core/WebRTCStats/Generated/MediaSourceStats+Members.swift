// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension MediaSourceStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 186: value.store(in: &trackIdentifier)
        case 82: value.store(in: &kind)
        case 6: value.store(in: &audioLevel)
        case 166: value.store(in: &totalAudioEnergy)
        case 181: value.store(in: &totalSamplesDuration)
        case 34: value.store(in: &echoReturnLoss)
        case 35: value.store(in: &echoReturnLossEnhancement)
        case 192: value.store(in: &width)
        case 64: value.store(in: &height)
        case 51: value.store(in: &frames)
        case 56: value.store(in: &framesPerSecond)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("trackIdentifier", trackIdentifier)
        visitor.visit("kind", kind)
        visitor.visit("audioLevel", audioLevel)
        visitor.visit("totalAudioEnergy", totalAudioEnergy)
        visitor.visit("totalSamplesDuration", totalSamplesDuration)
        visitor.visit("echoReturnLoss", echoReturnLoss)
        visitor.visit("echoReturnLossEnhancement", echoReturnLossEnhancement)
        visitor.visit("width", width)
        visitor.visit("height", height)
        visitor.visit("frames", frames)
        visitor.visit("framesPerSecond", framesPerSecond)
    }
}
