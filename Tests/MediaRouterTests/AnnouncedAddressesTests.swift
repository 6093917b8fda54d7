// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import MediaRouter

@Suite("Announced addresses")
struct AnnouncedAddressesTests {
    private static func candidate(_ address: String) -> String {
        "candidate:1 1 udp 2122260223 \(address) 40001 typ host generation 0 ufrag EEtu network-id 1"
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var entries: [String]
        var own: [String] = []
        var local: String
        var announced: [String]
        var testDescription: String { "\(entries) of \(local)" }
    }

    static let cases = [
        Case(entries: ["198.51.100.7"], local: "10.0.0.5", announced: ["198.51.100.7"]),
        // Of the other family it says nothing.
        Case(entries: ["198.51.100.7"], local: "2a00::5", announced: ["2a00::5"]),
        Case(entries: ["2001:DB8::7"], local: "2a00::5", announced: ["2001:db8::7"]),
        Case(entries: ["198.51.100.7", "2001:db8::7"], local: "fd00::5", announced: ["2001:db8::7"]),
        // What no one else reaches is not to be given under another's name.
        Case(entries: ["198.51.100.7"], local: "127.0.0.1", announced: []),
        Case(entries: ["2001:db8::7"], local: "fe80::1", announced: []),
        Case(entries: ["198.51.100.7"], local: "169.254.3.3", announced: []),
        Case(entries: ["198.51.100.7/10.0.0.5"], local: "10.0.0.5", announced: ["198.51.100.7"]),
        Case(entries: ["198.51.100.7/10.0.0.5"], local: "172.17.0.1", announced: []),
        Case(entries: ["127.0.0.77/127.0.0.1"], local: "127.0.0.1", announced: ["127.0.0.77"]),
        // Inside and outside.
        Case(
            entries: ["198.51.100.7/10.0.0.5", "10.0.0.5/10.0.0.5"], local: "10.0.0.5",
            announced: ["198.51.100.7", "10.0.0.5"]),
        // The machine's own address stands for itself.
        Case(
            entries: ["10.0.0.5"], own: ["10.0.0.5", "172.17.0.1"], local: "10.0.0.5", announced: ["10.0.0.5"]
        ),
        Case(entries: ["10.0.0.5"], own: ["10.0.0.5", "172.17.0.1"], local: "172.17.0.1", announced: []),
    ]

    @Test(
        "clients are given what stands for a local address, and of its family nothing else", arguments: cases)
    func announced(_ test: Case) throws {
        let addresses = try #require(AnnouncedAddresses(test.entries))
        let announced = addresses.announced(for: Self.candidate(test.local), own: test.own)
        #expect(announced == test.announced.map(Self.candidate))
    }

    @Test(
        "what is no address is refused",
        arguments: [
            [], [""], ["calls.example.org"], ["10.0.0.5/"], ["198.51.100.7/fd00::1"], ["10.0.0.5/10.0.0.6/1"],
            ["10.0.0.5", "x"], ["10.0.0.5,10.0.0.6"], ["127.1"], ["[::1]"], ["10.0.0.0/8"],
        ])
    func refused(entries: [String]) { #expect(AnnouncedAddresses(entries) == nil) }

    @Test("a candidate with a name is not announced")
    func names() throws {
        let addresses = try #require(AnnouncedAddresses(["198.51.100.7"]))
        #expect(addresses.announced(for: Self.candidate("0f8ba1de.local")) == [])
        #expect(addresses.announced(for: "candidate:") == [])
    }
}
