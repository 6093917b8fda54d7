// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Testing

@testable import MediaRouter

@Suite("Candidates in the router")
struct RouterCandidateTests {
    private static let all: CandidateKinds = [.publicAddresses, .privateAddresses, .loopback, .linkLocal]
    private static let usual: CandidateKinds = [.publicAddresses, .privateAddresses]

    /// A candidate as it is handed to the engine; `nil` if it is not.
    private func read(_ candidate: String, _ kinds: CandidateKinds = usual) throws(RouterSDP.Refusal)
        -> String?
    {
        var error = sl_error()
        let text = sl_router_read_candidate(candidate, kinds.rawValue, &error)
        defer { sl_router_free_text(text) }
        guard error.status == SL_OK else {
            throw RouterSDP.Refusal(status: Int(error.status), message: RouterEngineError(error).message)
        }
        return text.map { String(cString: $0) }
    }

    private func candidate(_ address: String, port: String = "5000") -> String {
        "candidate:1 1 udp 2122260223 \(address) \(port) typ host"
    }

    static let addresses: [(String, CandidateKinds)] = [
        ("8.8.8.8", .publicAddresses), ("100.63.255.255", .publicAddresses),
        ("100.128.0.0", .publicAddresses),
        ("172.15.0.1", .publicAddresses), ("172.32.0.1", .publicAddresses),
        ("223.255.255.254", .publicAddresses),
        ("2a00:1450:4001::1", .publicAddresses), ("2606:4700::1111", .publicAddresses),
        ("10.0.0.1", .privateAddresses), ("172.16.0.1", .privateAddresses),
        ("172.31.255.255", .privateAddresses),
        ("192.168.1.5", .privateAddresses), ("100.64.0.1", .privateAddresses),
        ("fd12:3456::1", .privateAddresses),
        ("fec0::1", .privateAddresses), ("198.18.0.1", .privateAddresses),
        ("127.0.0.1", .loopback), ("127.255.0.9", .loopback), ("::1", .loopback), ("0:0::0:1", .loopback),
        ("169.254.1.1", .linkLocal), ("fe80::1", .linkLocal), ("febf::1", .linkLocal),
        // IPv6 addresses that stand for another one.
        ("::ffff:127.0.0.1", .loopback), ("::ffff:7f00:1", .loopback), ("::127.0.0.1", .loopback),
        ("::FFFF:10.1.2.3", .privateAddresses), ("::ffff:8.8.8.8", .publicAddresses),
        ("64:ff9b::127.0.0.1", .loopback), ("64:ff9b::a00:1", .privateAddresses),
        ("2002:7f00:1::", .loopback),
        ("2002:808:808::1", .publicAddresses),
        // No one's end of a call, whatever the rule.
        ("0.0.0.0", []), ("0.1.2.3", []), ("::", []), ("::ffff:0.0.0.0", []), ("224.0.0.1", []),
        ("239.255.255.250", []), ("255.255.255.255", []), ("240.0.0.1", []), ("ff02::1", []), ("ff0e::1", []),
        ("169.254.169.254", []), ("::ffff:169.254.169.254", []), ("169.254.170.2", []),
        ("100.100.100.200", []),
        ("64:ff9b::a9fe:a9fe", []), ("2002:a9fe:a9fe::", []), ("fd00:ec2::254", []),
        ("fd00:0ec2:0:0::254", []),
        ("2001:0:4136:e378::1", []), ("192.0.2.1", []), ("2001:db8::1", []), ("100::1", []), ("4000::1", []),
        // Names, and spellings that some readers take for addresses.
        ("example.com", []), ("0f8ba1de-1c2d-4f4e.local", []), ("localhost", []), ("127.1", []),
        ("0x7f.0.0.1", []),
        ("0177.0.0.1", []), ("2130706433", []), ("127.0.0.1.", []), ("127.0.0.01", []), ("fe80::1%eth0", []),
        ("fe80::1%251", []), ("[::1]", []), ("::ffff:127.1", []), ("1.2.3.4.5", []), ("①.0.0.1", []),
        ("::1::", []),
    ]

    @Test("an address is used only by the kind that it is", arguments: addresses)
    func kinds(address: String, kind: CandidateKinds) throws {
        for one in [CandidateKinds.publicAddresses, .privateAddresses, .loopback, .linkLocal] {
            #expect(try (read(candidate(address), one) != nil) == (one == kind), "\(address) under \(one)")
        }
        #expect(try (read(candidate(address), Self.all) != nil) == !kind.isEmpty)
        #expect(try (read(candidate(address)) != nil) == !kind.isDisjoint(with: Self.usual))
    }

    @Test("by itself a router uses public and private addresses")
    func byDefault() throws {
        #expect(try read(candidate("8.8.8.8"), []) != nil)
        #expect(try read(candidate("10.0.0.1"), []) != nil)
        #expect(try read(candidate("127.0.0.1"), []) == nil)
    }

    @Test("what is used is written again from what was understood")
    func canonical() throws {
        let text =
            "a=candidate:842163049 1 UDP 1677729535 2A00:0:0::0001 46154 typ srflx raddr 10.0.0.17 rport 46154 "
            + "generation 0 ufrag EEtu x y network-cost 999 network-id 1"
        #expect(
            try read(text)
                == "candidate:842163049 1 udp 1677729535 2a00::1 46154 typ srflx generation 0 ufrag EEtu "
                + "network-cost 999 network-id 1")
        #expect(
            try read(candidate("8.8.8.8") + " ufrag a\u{1}b generation 99999999999 tcptype")
                == candidate("8.8.8.8"))
    }

    @Test(
        "what the router has no use for is omitted without a word",
        arguments: [
            "candidate:1 1 tcp 1518280447 8.8.8.8 9 typ host tcptype active",
            "candidate:1 2 udp 2122260222 8.8.8.8 5001 typ host", "candidate:1 1 udp 1 8.8.8.8 0 typ host",
            "candidate:1 1 udp 1 8.8.8.8 5000 typ magic", "candidate:1 1 ssltcp 1 8.8.8.8 443 typ relay",
        ])
    func unused(text: String) throws {
        #expect(try read(text, Self.all) == nil)
    }

    @Test(
        "what cannot be read is refused",
        arguments: [
            "nonsense", "candidate:", "candidate:1 1 udp 1 8.8.8.8 5000",
            "candidate:1 x udp 1 8.8.8.8 5000 typ host",
            "candidate:1 1 udp 4294967296 8.8.8.8 5000 typ host",
            "candidate:1 1 udp -1 8.8.8.8 5000 typ host",
            "candidate:1 1 udp 1 8.8.8.8 65536 typ host", "candidate:1 1 udp 1 8.8.8.8 5000 tip host",
            "candidate:\(String(repeating: "1", count: 33)) 1 udp 1 8.8.8.8 5000 typ host",
            "candidate:é 1 udp 1 8.8.8.8 1 typ host",
        ])
    func malformed(text: String) {
        let refusal = #expect(throws: RouterSDP.Refusal.self) { try read(text) }
        #expect(refusal?.status == SL_SYNTAX)
    }

    @Test("candidates in an offer pass the same rule, and none is in what the engine is shown")
    func inOffers() throws {
        let lines = [
            "candidate:1 1 udp 2122260223 10.0.0.1 5000 typ host",
            "candidate:2 1 udp 1 127.0.0.1 5000 typ host",
            "candidate:3 1 udp 1 evil.example.com 53 typ host",
            "candidate:4 1 udp 1 169.254.169.254 80 typ host",
            "candidate:5 1 udp 1677729535 8.8.8.8 46154 typ srflx raddr 10.0.0.1 rport 5000",
            "candidate:junk",
        ]
        let offer = SampleOffer.simulcastVP8.replacing(
            "a=mid:0\r\n", with: "a=mid:0\r\n" + lines.map { "a=\($0)\r\n" }.joined())
        let text = try #require(sl_router_read_offer_candidates(offer, Self.usual.rawValue))
        defer { sl_router_free_text(text) }
        #expect(
            String(cString: text).split(separator: "\n") == [
                "candidate:1 1 udp 2122260223 10.0.0.1 5000 typ host",
                "candidate:5 1 udp 1677729535 8.8.8.8 46154 typ srflx",
            ])
        #expect(!(try RouterSDP.view(publisher: true, offer).text.contains("candidate")))
    }
}
