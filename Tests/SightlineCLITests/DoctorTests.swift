// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionServer
import TestSupport
import Testing

@testable import SightlineCLI

@Suite("What the doctor finds")
struct DoctorTests {
    private static let own = ["127.0.0.1", "10.0.0.5"].compactMap(LocalAddress.init)

    @Test(
        "the address that others see has to be one that clients are given",
        arguments: [
            (nil, [], "look"), (nil, ["198.51.100.7"], "ok"), (nil, ["198.51.100.7/10.0.0.5"], "ok"),
            (nil, ["198.51.100.7/10.0.0.6"], "wrong"), ("198.51.100.7", [], "wrong"),
            ("198.51.100.7", ["198.51.100.7"], "ok"),
            ("198.51.100.7", ["198.51.100.8", "198.51.100.7"], "ok"),
            ("198.51.100.7", ["198.51.100.8"], "wrong"), ("10.0.0.5", [], "ok"),
        ] as [(String?, [String], String)])
    func address(seen: String?, announced: [String], verdict: String) {
        let finding = ReflectionCheckup.address(seen: seen, announced: announced, own: Self.own)
        #expect(finding.verdict.rawValue == verdict, "\(finding.line)")
    }

    @Test("a machine with a public address needs no other")
    func publicAddress() throws {
        let own = [try #require(LocalAddress("8.8.8.8"))]
        #expect(ReflectionCheckup.address(seen: nil, announced: [], own: own).verdict == .good)
        for (text, isPublic) in [
            ("10.1.2.3", false), ("172.31.0.1", false), ("172.32.0.1", true), ("192.168.0.1", false),
            ("100.64.0.1", false), ("169.254.1.1", false), ("127.0.0.1", false), ("224.0.0.1", false),
            ("::1", false), ("fe80::1", false), ("fd00::1", false), ("2a00::1", true),
        ] { #expect(LocalAddress(text)?.isPublic == isPublic, "\(text)") }
        #expect(LocalAddress("x") == nil && LocalAddress("") == nil)
        #expect(LocalAddress.all().contains { $0.text == "127.0.0.1" })
    }

    @Test("addresses of STUN and TURN servers are read; what goes by TCP or TLS is not looked at")
    func urls() {
        for (url, host, port) in [
            ("stun:stun.example.org:3479", "stun.example.org", 3479),
            ("turn:turn.example.org", "turn.example.org", 3478),
            ("turn:192.0.2.1:5000?transport=udp", "192.0.2.1", 5000),
            ("stun:[2001:db8::1]:4000", "2001:db8::1", 4000),
            ("stun:[2001:db8::1]", "2001:db8::1", 3478),
        ] {
            let address = ICEServerAddress(url)
            #expect(address?.host == host && address?.port == UInt16(port), "\(url)")
        }
        for url in ["turns:a:1", "turn:a:1?transport=tcp", "stun:", "x", "", "stun:[", "http://a"] {
            let address = ICEServerAddress(url)
            #expect(address == nil || address?.host.isEmpty == false, "\(url)")
        }
        #expect(ICEServerAddress("turns:a:1") == nil && ICEServerAddress("turn:a?transport=tcp") == nil)
    }

    @Test("an answer is read only if it is one to the request")
    func answers() {
        let id = [UInt8](1...12)
        let cookie: [UInt8] = [0x21, 0x12, 0xa4, 0x42]
        let four: [UInt8] = [0, 1, 0x12, 0x34, 198 ^ 0x21, 51 ^ 0x12, 100 ^ 0xa4, 7 ^ 0x42]
        func answer(_ value: [UInt8], kind: UInt8 = 0x20, id: [UInt8] = id) -> [UInt8] {
            let software: [UInt8] = [0x80, 0x22, 0, 3, 65, 66, 67, 0]
            let attribute = [0, kind, 0, UInt8(value.count)] + value
            return [1, 1, 0, UInt8(software.count + attribute.count)] + cookie + id + software + attribute
        }
        #expect(BindingRequest.mappedAddress(in: answer(four), id: id) == "198.51.100.7")
        let six: [UInt8] =
            [0, 2, 0, 0]
            + zip([0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [7], cookie + id).map { $0 ^ $1 }
        #expect(BindingRequest.mappedAddress(in: answer(six), id: id) == "2001:db8::7")
        #expect(BindingRequest.mappedAddress(in: answer(four, kind: 0x21), id: id) == nil)
        #expect(BindingRequest.mappedAddress(in: answer(four, id: id.reversed()), id: id) == nil)
        for length in 0..<answer(six).count {
            #expect(BindingRequest.mappedAddress(in: Array(answer(six).prefix(length)), id: id) == nil)
        }
        for family in UInt8.min ... .max where family != 1 {
            #expect(BindingRequest.mappedAddress(in: answer([0, family] + four.dropFirst(2)), id: id) == nil)
        }
    }

    @Test("certificates that end, and disks that fill, are named in time")
    func thresholds() {
        for (days, verdict) in [(-1.0, "wrong"), (0, "wrong"), (13.9, "look"), (14, "ok"), (90, "ok")] {
            #expect(MachineCheckup.validity(days: days).verdict.rawValue == verdict)
        }
        #expect(MachineCheckup.room(free: 1e9, wanted: 2e9, "/").verdict == .doubtful)
        #expect(MachineCheckup.room(free: 3e9, wanted: 2e9, "/").verdict == .good)
        #expect(MachineCheckup.room(free: 3e9, wanted: nil, "/").verdict == .good)
    }

    @Test(
        "the certificate is read as the server reads it, with whatever else its files hold",
        .enabled(if: TestCertificate.isPossible, "needs openssl"))
    func certificate() throws {
        let own = try TestCertificate()
        defer { try? own.remove() }
        let key = URL(filePath: own.key)
        let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        try Data((parameters + String(contentsOf: key, encoding: .utf8)).utf8).write(to: key)
        let files = SessionServerConfiguration.TLSFiles(
            certificateChain: own.certificate, privateKey: own.key)
        let days = try files.end().timeIntervalSinceNow / 86_400
        #expect(days > 1.9 && days < 2.1)
        let wrong = SessionServerConfiguration.TLSFiles(
            certificateChain: own.key, privateKey: own.certificate)
        #expect(throws: (any Error).self) { try wrong.end() }
    }

    @Test("ports that are taken are found")
    func ports() throws {
        var configuration = SessionServerConfiguration(
            applicationID: "app", applicationSecret: String(repeating: "s", count: 40))
        configuration.host = "192.0.2.1"
        configuration.port = 9
        let findings = NetworkCheckup(configuration, ports: 40_000...40_001).findings
        #expect(findings.map(\.verdict) == [.bad, .doubtful], "\(findings)")
        configuration.host = "127.0.0.1"
        configuration.port = 0
        #expect(NetworkCheckup(configuration, ports: nil).findings.map(\.verdict) == [.good, .doubtful])
    }
}
