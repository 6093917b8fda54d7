// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension CandidateStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 188: value.store(in: &transportId)
        case 5: value.store(in: &address)
        case 115: value.store(in: &port)
        case 119: value.store(in: &`protocol`)
        case 13: value.store(in: &candidateType)
        case 118: value.store(in: &priority)
        case 189: value.store(in: &url)
        case 129: value.store(in: &relayProtocol)
        case 47: value.store(in: &foundation)
        case 126: value.store(in: &relatedAddress)
        case 127: value.store(in: &relatedPort)
        case 190: value.store(in: &usernameFragment)
        case 163: value.store(in: &tcpType)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("transportId", transportId)
        visitor.visit("address", address)
        visitor.visit("port", port)
        visitor.visit("protocol", `protocol`)
        visitor.visit("candidateType", candidateType)
        visitor.visit("priority", priority)
        visitor.visit("url", url)
        visitor.visit("relayProtocol", relayProtocol)
        visitor.visit("foundation", foundation)
        visitor.visit("relatedAddress", relatedAddress)
        visitor.visit("relatedPort", relatedPort)
        visitor.visit("usernameFragment", usernameFragment)
        visitor.visit("tcpType", tcpType)
    }
}
