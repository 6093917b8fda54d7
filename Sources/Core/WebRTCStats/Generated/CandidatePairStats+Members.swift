// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension CandidatePairStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 188: value.store(in: &transportId)
        case 86: value.store(in: &localCandidateId)
        case 130: value.store(in: &remoteCandidateId)
        case 157: value.store(in: &state)
        case 99: value.store(in: &nominated)
        case 108: value.store(in: &packetsSent)
        case 103: value.store(in: &packetsReceived)
        case 12: value.store(in: &bytesSent)
        case 11: value.store(in: &bytesReceived)
        case 85: value.storeTimestamp(in: &lastPacketSentTimestamp)
        case 84: value.storeTimestamp(in: &lastPacketReceivedTimestamp)
        case 179: value.store(in: &totalRoundTripTime)
        case 24: value.store(in: &currentRoundTripTime)
        case 8: value.store(in: &availableOutgoingBitrate)
        case 7: value.store(in: &availableIncomingBitrate)
        case 137: value.store(in: &requestsReceived)
        case 138: value.store(in: &requestsSent)
        case 139: value.store(in: &responsesReceived)
        case 140: value.store(in: &responsesSent)
        case 21: value.store(in: &consentRequestsSent)
        case 101: value.store(in: &packetsDiscardedOnSend)
        case 10: value.store(in: &bytesDiscardedOnSend)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("transportId", transportId)
        visitor.visit("localCandidateId", localCandidateId)
        visitor.visit("remoteCandidateId", remoteCandidateId)
        visitor.visit("state", state)
        visitor.visit("nominated", nominated)
        visitor.visit("packetsSent", packetsSent)
        visitor.visit("packetsReceived", packetsReceived)
        visitor.visit("bytesSent", bytesSent)
        visitor.visit("bytesReceived", bytesReceived)
        visitor.visit("lastPacketSentTimestamp", lastPacketSentTimestamp)
        visitor.visit("lastPacketReceivedTimestamp", lastPacketReceivedTimestamp)
        visitor.visit("totalRoundTripTime", totalRoundTripTime)
        visitor.visit("currentRoundTripTime", currentRoundTripTime)
        visitor.visit("availableOutgoingBitrate", availableOutgoingBitrate)
        visitor.visit("availableIncomingBitrate", availableIncomingBitrate)
        visitor.visit("requestsReceived", requestsReceived)
        visitor.visit("requestsSent", requestsSent)
        visitor.visit("responsesReceived", responsesReceived)
        visitor.visit("responsesSent", responsesSent)
        visitor.visit("consentRequestsSent", consentRequestsSent)
        visitor.visit("packetsDiscardedOnSend", packetsDiscardedOnSend)
        visitor.visit("bytesDiscardedOnSend", bytesDiscardedOnSend)
    }
}
