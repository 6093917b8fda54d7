// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

extension CertificateStats: MemberStorage {
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {
        switch number {
        case 44: value.store(in: &fingerprint)
        case 45: value.store(in: &fingerprintAlgorithm)
        case 9: value.store(in: &base64Certificate)
        case 73: value.store(in: &issuerCertificateId)
        default: .foreign(value)
        }
    }

    func visitMembers(_ visitor: inout some MemberVisitor) {
        visitor.visit("fingerprint", fingerprint)
        visitor.visit("fingerprintAlgorithm", fingerprintAlgorithm)
        visitor.visit("base64Certificate", base64Certificate)
        visitor.visit("issuerCertificateId", issuerCertificateId)
    }
}
