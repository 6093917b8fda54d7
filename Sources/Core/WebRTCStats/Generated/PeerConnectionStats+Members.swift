// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension PeerConnectionStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 27: value.store(in: &dataChannelsOpened)
        case 26: value.store(in: &dataChannelsClosed)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("dataChannelsOpened", dataChannelsOpened)
        visitor.visit("dataChannelsClosed", dataChannelsClosed)
    }
}
