// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension DataChannelStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 83: value.store(in: &label)
        case 119: value.store(in: &`protocol`)
        case 25: value.store(in: &dataChannelIdentifier)
        case 157: value.store(in: &state)
        case 92: value.store(in: &messagesSent)
        case 12: value.store(in: &bytesSent)
        case 91: value.store(in: &messagesReceived)
        case 11: value.store(in: &bytesReceived)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("label", label)
        visitor.visit("protocol", `protocol`)
        visitor.visit("dataChannelIdentifier", dataChannelIdentifier)
        visitor.visit("state", state)
        visitor.visit("messagesSent", messagesSent)
        visitor.visit("bytesSent", bytesSent)
        visitor.visit("messagesReceived", messagesReceived)
        visitor.visit("bytesReceived", bytesReceived)
    }
}
