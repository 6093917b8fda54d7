// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension RemoteInboundRTPStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 156: value.store(in: &ssrc)
        case 82: value.store(in: &kind)
        case 188: value.store(in: &transportId)
        case 18: value.store(in: &codecId)
        case 103: value.store(in: &packetsReceived)
        case 105: value.store(in: &packetsReceivedWithEct1)
        case 104: value.store(in: &packetsReceivedWithCe)
        case 106: value.store(in: &packetsReportedAsLost)
        case 107: value.store(in: &packetsReportedAsLostButRecovered)
        case 102: value.store(in: &packetsLost)
        case 74: value.store(in: &jitter)
        case 88: value.store(in: &localId)
        case 146: value.store(in: &roundTripTime)
        case 179: value.store(in: &totalRoundTripTime)
        case 48: value.store(in: &fractionLost)
        case 147: value.store(in: &roundTripTimeMeasurements)
        case 110: value.store(in: &packetsWithBleachedEct1Marking)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("ssrc", ssrc)
        visitor.visit("kind", kind)
        visitor.visit("transportId", transportId)
        visitor.visit("codecId", codecId)
        visitor.visit("packetsReceived", packetsReceived)
        visitor.visit("packetsReceivedWithEct1", packetsReceivedWithEct1)
        visitor.visit("packetsReceivedWithCe", packetsReceivedWithCe)
        visitor.visit("packetsReportedAsLost", packetsReportedAsLost)
        visitor.visit("packetsReportedAsLostButRecovered", packetsReportedAsLostButRecovered)
        visitor.visit("packetsLost", packetsLost)
        visitor.visit("jitter", jitter)
        visitor.visit("localId", localId)
        visitor.visit("roundTripTime", roundTripTime)
        visitor.visit("totalRoundTripTime", totalRoundTripTime)
        visitor.visit("fractionLost", fractionLost)
        visitor.visit("roundTripTimeMeasurements", roundTripTimeMeasurements)
        visitor.visit("packetsWithBleachedEct1Marking", packetsWithBleachedEct1Marking)
    }
}
