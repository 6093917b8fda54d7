// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension ICETransportStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 108: value.store(in: &packetsSent)
        case 103: value.store(in: &packetsReceived)
        case 12: value.store(in: &bytesSent)
        case 11: value.store(in: &bytesReceived)
        case 67: value.store(in: &iceRole)
        case 66: value.store(in: &iceLocalUsernameFragment)
        case 33: value.store(in: &dtlsState)
        case 68: value.store(in: &iceState)
        case 153: value.store(in: &selectedCandidatePairId)
        case 87: value.store(in: &localCertificateId)
        case 131: value.store(in: &remoteCertificateId)
        case 164: value.store(in: &tlsVersion)
        case 31: value.store(in: &dtlsCipher)
        case 32: value.store(in: &dtlsRole)
        case 155: value.store(in: &srtpCipher)
        case 152: value.store(in: &selectedCandidatePairChanges)
        case 15: value.store(in: &ccfbMessagesSent)
        case 14: value.store(in: &ccfbMessagesReceived)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("packetsSent", packetsSent)
        visitor.visit("packetsReceived", packetsReceived)
        visitor.visit("bytesSent", bytesSent)
        visitor.visit("bytesReceived", bytesReceived)
        visitor.visit("iceRole", iceRole)
        visitor.visit("iceLocalUsernameFragment", iceLocalUsernameFragment)
        visitor.visit("dtlsState", dtlsState)
        visitor.visit("iceState", iceState)
        visitor.visit("selectedCandidatePairId", selectedCandidatePairId)
        visitor.visit("localCertificateId", localCertificateId)
        visitor.visit("remoteCertificateId", remoteCertificateId)
        visitor.visit("tlsVersion", tlsVersion)
        visitor.visit("dtlsCipher", dtlsCipher)
        visitor.visit("dtlsRole", dtlsRole)
        visitor.visit("srtpCipher", srtpCipher)
        visitor.visit("selectedCandidatePairChanges", selectedCandidatePairChanges)
        visitor.visit("ccfbMessagesSent", ccfbMessagesSent)
        visitor.visit("ccfbMessagesReceived", ccfbMessagesReceived)
    }
}
