// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension RemoteOutboundRTPStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 156: value.store(in: &ssrc)
        case 82: value.store(in: &kind)
        case 188: value.store(in: &transportId)
        case 18: value.store(in: &codecId)
        case 108: value.store(in: &packetsSent)
        case 12: value.store(in: &bytesSent)
        case 88: value.store(in: &localId)
        case 134: value.storeTimestamp(in: &remoteTimestamp)
        case 136: value.store(in: &reportsSent)
        case 146: value.store(in: &roundTripTime)
        case 179: value.store(in: &totalRoundTripTime)
        case 147: value.store(in: &roundTripTimeMeasurements)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("ssrc", ssrc)
        visitor.visit("kind", kind)
        visitor.visit("transportId", transportId)
        visitor.visit("codecId", codecId)
        visitor.visit("packetsSent", packetsSent)
        visitor.visit("bytesSent", bytesSent)
        visitor.visit("localId", localId)
        visitor.visit("remoteTimestamp", remoteTimestamp)
        visitor.visit("reportsSent", reportsSent)
        visitor.visit("roundTripTime", roundTripTime)
        visitor.visit("totalRoundTripTime", totalRoundTripTime)
        visitor.visit("roundTripTimeMeasurements", roundTripTimeMeasurements)
    }
}
