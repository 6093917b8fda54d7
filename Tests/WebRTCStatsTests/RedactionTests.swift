// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@Suite("Redacting a report")
struct RedactionTests {
    private let secrets = [
        "203.0.113.9", "2001:db8::7", "laptop-of-ann.local", "turn.example.net", "uFrAg", "AB:CD:EF",
        "MIIBsecret",
        "1467250027", "10.1.2.3",
    ]

    private func report() throws -> StatsReport {
        try parse(
            """
            [{"type":"local-candidate","id":"L","timestamp":1,"address":"203.0.113.9","ip":"203.0.113.9","port":5000,
            "candidateType":"relay","relatedAddress":"2001:db8::7","url":"turn:turn.example.net:3478?transport=udp",
            "usernameFragment":"uFrAg","foundation":"1467250027","networkType":"wifi"},
            {"type":"remote-candidate","id":"R","timestamp":1,"address":"laptop-of-ann.local","relatedAddress":"10.1.2.3"},
            {"type":"remote-candidate","id":"R2","timestamp":1,"address":"203.0.113.9","usernameFragment":""},
            {"type":"certificate","id":"CFAB:CD:EF","timestamp":1,"fingerprint":"AB:CD:EF","fingerprintAlgorithm":"sha-256",
            "base64Certificate":"MIIBsecret"},
            {"type":"transport","id":"T","timestamp":1,"localCertificateId":"CFAB:CD:EF","iceLocalUsernameFragment":"uFrAg"},
            {"type":"candidate-pair","id":"P","timestamp":1,"googLocalAddress":"203.0.113.9:5000"},
            {"type":"googCandidatePair","id":"g","timestamp":1,"remote":{"ipAddress":["10.1.2.3",null]},
            "googDerBase64":"MIIBsecret","url":7}]
            """
        ).report
    }

    @Test("nothing that names a person or a network is left")
    func nothingLeft() throws {
        let text = String(decoding: try report().redactingAddresses().json(), as: UTF8.self)
        for secret in secrets {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test("what is the same stays the same, what is not is distinguished")
    func consistency() throws {
        let redacted = try report().redactingAddresses()
        let local = try #require(redacted.localCandidates.first)
        #expect(local.address == "ipv4-1")
        #expect(local.extra["ip"] == .string("ipv4-1"))
        #expect(local.relatedAddress == "ipv6-1")
        #expect(local.url == "url-1")
        #expect(redacted.remoteCandidates.map(\.address) == ["name-1", "ipv4-1"])
        #expect(redacted.remoteCandidates.first?.relatedAddress == "ipv4-2")
        #expect(
            redacted.unknown.first?.members["remote"]?["ipAddress"] == .array([.string("ipv4-2"), .null]))
        #expect(redacted.transports.first?.iceLocalUsernameFragment == local.usernameFragment)
        #expect(redacted.certificate(id: redacted.transports.first?.localCertificateId) != nil)
    }

    @Test("texts of any length fill no memory, and are not shown")
    func longTexts() {
        var redactor = StatsRedactor()
        var standIns: Set<String> = []
        for number in 0..<100 {
            var report = StatsReport(timestamp: 1)
            var candidate = CandidateStats(id: "L", timestamp: 1)
            candidate.url = "turn:\(number)" + String(repeating: "x", count: 100_000)
            report.localCandidates = [candidate]
            let url = redactor.redact(report).localCandidates.first?.url ?? ""
            #expect(url.utf8.count < 20)
            standIns.insert(url)
        }
        #expect(standIns.contains("url-0") && standIns.count <= 11)
    }

    @Test("a call that names ever new addresses fills no memory, and shows none of them")
    func bounded() {
        var redactor = StatsRedactor()
        var standIns: Set<String> = []
        for number in 0..<5000 {
            var candidate = CandidateStats(id: "L", timestamp: 1)
            candidate.address = "10.0.\(number / 256).\(number % 256)"
            var report = StatsReport(timestamp: 1)
            report.localCandidates = [candidate]
            standIns.formUnion(redactor.redact(report).localCandidates.compactMap(\.address))
        }
        #expect(standIns.count == 4097 && standIns.contains("ipv4-0"))
        #expect(standIns.allSatisfy { $0.hasPrefix("ipv4-") })
    }

    @Test("everything else is kept")
    func restIsKept() throws {
        let report = try report()
        let redacted = report.redactingAddresses()
        #expect(redacted.localCandidates.first?.port == 5000)
        #expect(redacted.localCandidates.first?.candidateType == .relay)
        #expect(redacted.localCandidates.first?.extra["networkType"] == .string("wifi"))
        #expect(redacted.remoteCandidates.last?.usernameFragment == "")
        #expect(redacted.certificates.first?.fingerprintAlgorithm == "sha-256")
        #expect(redacted.certificates.first?.base64Certificate == nil)
        #expect(redacted.unknown.first?.members["url"] == .int(7))
        #expect(redacted.entryCount == report.entryCount)
    }

    @Test("redacting again changes nothing")
    func idempotent() throws {
        let once = try report().redactingAddresses()
        #expect(once.redactingAddresses() == once)
    }

    @Test("one redactor keeps its stand-ins over a call")
    func acrossReports() throws {
        var redactor = StatsRedactor()
        let first = redactor.redact(try report())
        var other = StatsReport(timestamp: 2)
        other.localCandidates = ["192.0.2.1", "203.0.113.9"].map { address in
            var candidate = CandidateStats(id: address, timestamp: 2)
            candidate.address = address
            return candidate
        }
        #expect(
            redactor.redact(other).localCandidates.map(\.address) == [
                "ipv4-4", first.localCandidates[0].address,
            ])
    }

    @Test("recorded reports hold no address after it", arguments: try Fixture.all())
    func recorded(report: Fixture.Report) throws {
        let original = try StatsReport.parse(report.bytes).report
        let text = String(decoding: original.redactingAddresses().json(), as: UTF8.self)
        for candidate in original.localCandidates + original.remoteCandidates {
            #expect(!text.contains("\"\(try #require(candidate.address))\""))
            #expect(!text.contains("\"\(try #require(candidate.usernameFragment))\""))
        }
        for certificate in original.certificates {
            #expect(!text.contains(try #require(certificate.fingerprint)))
        }
    }
}
