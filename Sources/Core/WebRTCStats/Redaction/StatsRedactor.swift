// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Replaces what could identify a person or a network by stand-ins.
///
/// The same text gets the same stand-in for as long as the redactor lives, so that entries still refer to
/// each other and an address can be followed through a call. Use one redactor for one call.
public struct StatsRedactor: Sendable {
    private enum Subject: String {
        case ipv4
        case ipv6
        case name
        case url
        case usernameFragment = "ufrag"
        case foundation
        case fingerprint
        case certificate
    }

    /// Most texts of each kind that are distinguished; all others, and those that would take too much memory, get the
    /// stand-in with the number 0.
    static let most = 4096
    /// Most bytes of all texts that are distinguished, with ``entryBytes`` for each.
    static let bytesLimit = 1 << 20
    /// What a text takes beside its own bytes, about.
    private static let entryBytes = 64

    private var bytes = 0
    private var standIns: [Subject: [String: String]] = [:]

    /// Members that hold such texts under names outside the specification, and where of an unknown type.
    private static let subjects: [String: Subject] = [
        "address": .name, "ip": .name, "ipAddress": .name, "relatedAddress": .name,
        "localAddress": .name, "remoteAddress": .name, "googLocalAddress": .name, "googRemoteAddress": .name,
        "url": .url, "usernameFragment": .usernameFragment, "iceLocalUsernameFragment": .usernameFragment,
        "localCertificateId": .certificate, "remoteCertificateId": .certificate,
        "issuerCertificateId": .certificate, "foundation": .foundation, "fingerprint": .fingerprint,
        "googFingerprint": .fingerprint,
    ]

    private static let removed: Set<String> = ["base64Certificate", "googDerBase64"]

    /// Creates a redactor that knows no text yet.
    public init() {}

    /// The report with stand-ins for addresses, host names, ICE server URLs, user name fragments, foundations
    /// (they are computed from addresses) and certificates.
    public mutating func redact(_ report: StatsReport) -> StatsReport {
        var report = report
        report.localCandidates = report.localCandidates.map { redact($0) }
        report.remoteCandidates = report.remoteCandidates.map { redact($0) }
        report.certificates = report.certificates.map { redact($0) }
        report.transports = report.transports.map { redact($0) }
        report.unknown = report.unknown.map { entry in
            var entry = entry
            entry.members = redact(entry.members)
            return entry
        }
        redactExtras(of: &report)
        return report
    }

    private mutating func redact(_ candidate: CandidateStats) -> CandidateStats {
        var candidate = candidate
        replace(&candidate.address, .name)
        replace(&candidate.relatedAddress, .name)
        replace(&candidate.url, .url)
        replace(&candidate.usernameFragment, .usernameFragment)
        replace(&candidate.foundation, .foundation)
        return candidate
    }

    private mutating func redact(_ certificate: CertificateStats) -> CertificateStats {
        var certificate = certificate
        certificate.id = standIn(for: certificate.id, .certificate)
        certificate.base64Certificate = nil
        replace(&certificate.fingerprint, .fingerprint)
        replace(&certificate.issuerCertificateId, .certificate)
        return certificate
    }

    private mutating func redact(_ transport: ICETransportStats) -> ICETransportStats {
        var transport = transport
        replace(&transport.iceLocalUsernameFragment, .usernameFragment)
        // Engines make these ids from the fingerprint.
        replace(&transport.localCertificateId, .certificate)
        replace(&transport.remoteCertificateId, .certificate)
        return transport
    }

    private mutating func redactExtras(of report: inout StatsReport) {
        redactExtras(of: &report.codecs)
        redactExtras(of: &report.inboundRTP)
        redactExtras(of: &report.outboundRTP)
        redactExtras(of: &report.remoteInboundRTP)
        redactExtras(of: &report.remoteOutboundRTP)
        redactExtras(of: &report.mediaSources)
        redactExtras(of: &report.mediaPlayout)
        redactExtras(of: &report.peerConnections)
        redactExtras(of: &report.dataChannels)
        redactExtras(of: &report.transports)
        redactExtras(of: &report.candidatePairs)
        redactExtras(of: &report.localCandidates)
        redactExtras(of: &report.remoteCandidates)
        redactExtras(of: &report.certificates)
    }

    private mutating func redactExtras(of entries: inout [some StatsEntry]) {
        for index in entries.indices where !entries[index].extra.isEmpty {
            entries[index].extra = redact(entries[index].extra)
        }
    }

    private mutating func redact(_ members: [StatsMember]) -> [StatsMember] {
        var kept: [StatsMember] = []
        for member in members where !Self.removed.contains(member.name) {
            kept.append(
                StatsMember(name: member.name, value: redact(member.value, Self.subjects[member.name])))
        }
        return kept
    }

    private mutating func redact(_ value: StatsValue, _ subject: Subject?) -> StatsValue {
        switch value {
        case .string(let text):
            subject.map { .string(standIn(for: text, $0)) } ?? value
        case .array(let values):
            .array(values.map { redact($0, subject) })
        case .object(let members):
            .object(redact(members))
        case .null, .bool, .int, .uint, .double:
            value
        }
    }

    private mutating func replace(_ text: inout String?, _ subject: Subject) {
        text = text.map { standIn(for: $0, subject) }
    }

    private mutating func standIn(for text: String, _ subject: Subject) -> String {
        if text.isEmpty || Self.isStandIn(text) { return text }
        let subject = subject == .name ? Self.kindOfAddress(text) : subject
        if let known = standIns[subject]?[text] { return known }
        let number = (standIns[subject]?.count ?? 0) + 1
        let weight = text.utf8.count + Self.entryBytes
        guard number <= Self.most, bytes + weight <= Self.bytesLimit else { return "\(subject.rawValue)-0" }
        bytes += weight
        let standIn = "\(subject.rawValue)-\(number)"
        standIns[subject, default: [:]][text] = standIn
        return standIn
    }

    /// Whether the text is a stand-in already: a report may be redacted where it is made and where it is
    /// kept.
    private static func isStandIn(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && Subject(rawValue: String(parts[0])) != nil && Int(parts[1]) != nil
    }

    private static func kindOfAddress(_ text: String) -> Subject {
        // Legacy names hold "1.2.3.4:5" as well, hence the order.
        let isNumeric = text.utf8.allSatisfy { (0x2E...0x3A).contains($0) && $0 != 0x2F }
        if isNumeric, text.utf8.contains(0x2E) { return .ipv4 }
        return text.utf8.contains(UInt8(ascii: ":")) ? .ipv6 : .name
    }
}

extension StatsReport {
    /// The report with stand-ins for everything that could identify a person or a network, made by a new
    /// ``StatsRedactor``.
    ///
    /// For the reports of one call, use one redactor, so that its stand-ins stay the same.
    public func redactingAddresses() -> StatsReport {
        var redactor = StatsRedactor()
        return redactor.redact(self)
    }
}
