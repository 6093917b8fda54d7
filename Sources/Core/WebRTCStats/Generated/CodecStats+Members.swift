// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension CodecStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 112: value.store(in: &payloadType)
        case 188: value.store(in: &transportId)
        case 94: value.store(in: &mimeType)
        case 17: value.store(in: &clockRate)
        case 16: value.store(in: &channels)
        case 151: value.store(in: &sdpFmtpLine)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("payloadType", payloadType)
        visitor.visit("transportId", transportId)
        visitor.visit("mimeType", mimeType)
        visitor.visit("clockRate", clockRate)
        visitor.visit("channels", channels)
        visitor.visit("sdpFmtpLine", sdpFmtpLine)
    }
}
