// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension UnknownStats: MemberStorage {
    init(id: String, timestamp: Double) {
        self.init(type: "", id: id, timestamp: timestamp)
    }

    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        .foreign(value)
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {}
}
