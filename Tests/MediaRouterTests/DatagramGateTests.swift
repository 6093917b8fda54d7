// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing

/// What everyone may send who has a session's password of ICE or its keys, and libwebrtc aborts on or slows down by.
@Suite("Datagrams that reach a connection")
struct DatagramGateTests {
    /// Of one socket; ports stand for addresses.
    private final class Gate {
        private let raw: OpaquePointer?
        init(hasDataChannels: Bool = false) { raw = sl_datagram_gate_create(hasDataChannels, 0) }
        deinit { sl_datagram_gate_destroy(raw) }

        func admits(_ datagram: [UInt8], from port: UInt16 = 1, at time: Int64 = 0) -> Bool {
            datagram.withUnsafeBytes { bytes in
                let data = bytes.bindMemory(to: CChar.self).baseAddress
                return sl_datagram_gate_admit(raw, data, bytes.count, port, time)
            }
        }

        func sent(_ datagram: [UInt8], to port: UInt16 = 1, at time: Int64 = 0) {
            datagram.withUnsafeBytes { bytes in
                let data = bytes.bindMemory(to: CChar.self).baseAddress
                sl_datagram_gate_sent(raw, data, bytes.count, port, time)
            }
        }
    }

    private func isAdmitted(_ datagram: [UInt8]) -> Bool { Gate().admits(datagram) }

    private func check(_ attributes: (type: UInt16, value: [UInt8])..., type: UInt16 = 1) -> [UInt8] {
        var body: [UInt8] = []
        for attribute in attributes {
            body += bytes(attribute.type) + bytes(UInt16(attribute.value.count)) + attribute.value
            while body.count % 4 != 0 { body.append(0) }
        }
        let cookie: [UInt8] = [0x21, 0x12, 0xA4, 0x42]
        let transaction = [UInt8](repeating: 7, count: 12)
        return bytes(type) + bytes(UInt16(body.count)) + cookie + transaction + body
    }

    private func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    private let username: UInt16 = 0x0006
    private let networkInfo: UInt16 = 0xC057
    private let miscInfo: UInt16 = 0xC059

    private func record(_ type: UInt8, epoch: UInt16, _ body: [UInt8] = [1, 2, 3]) -> [UInt8] {
        [type, 254, 253] + bytes(epoch) + [0, 0, 0, 0, 0, 1] + bytes(UInt16(body.count)) + body
    }

    private func media(_ source: UInt32, type: UInt8 = 96) -> [UInt8] {
        let number = [
            UInt8(source >> 24), UInt8(source >> 16 & 255), UInt8(source >> 8 & 255), UInt8(source & 255),
        ]
        // In RTCP it comes after the first word.
        return [0x80, type, 0, 1] + (192..<224 ~= type ? number + [0, 0, 0, 0] : [0, 0, 0, 0] + number) + [7]
    }

    private let answer: UInt16 = 0x0101
    private let refusal: UInt16 = 0x0111

    @Test("A check as clients send it passes, and so does all that is no STUN")
    func ordinary() {
        #expect(isAdmitted(check((username, Array("here:there".utf8)), (networkInfo, [0, 1, 3, 231]))))
        #expect(isAdmitted(check((0x0020, Array(repeating: 1, count: 8)), type: 0x0101)))
        #expect(isAdmitted(check((miscInfo, [0, 0]))))
        // Of a server that repeats a name of its own.
        #expect(isAdmitted(check((username, Array("name".utf8)), type: 0x0101)))
        #expect(isAdmitted([]) && isAdmitted([22, 254, 253] + Array(repeating: 0, count: 40)))
        // Without the cookie it is none that libwebrtc takes for a check.
        var old = check((miscInfo, []))
        old[4] = 0
        #expect(isAdmitted(old))
    }

    @Test("A check without the name of an end, with a cost that there is not, or with an empty list does not")
    func hostile() {
        for name in ["here:", ":there", "here", "", ":"] {
            #expect(!isAdmitted(check((username, Array(name.utf8)))), "\(name)")
        }
        #expect(!isAdmitted(check((networkInfo, [0, 1, 3, 232]))))
        for type: UInt16 in [1, 0x0101, 0x0011] { #expect(!isAdmitted(check((miscInfo, []), type: type))) }
        #expect(!isAdmitted(check((miscInfo, [1]))))
        // Also behind others, and what is cut off.
        #expect(
            !isAdmitted(check((username, Array("here:there".utf8)), (0x8022, [1, 2, 3]), (miscInfo, []))))
        #expect(!isAdmitted(check((username, Array("here:there".utf8))).dropLast(4) + []))
    }

    @Test("What libwebrtc's reader finds behind a number of a false length is found")
    func hidden() {
        let number: [UInt8] = [0, 0, 0, 1]
        let cost: [UInt8] = [0xC0, 0x57, 0, 4, 0, 1, 0x27, 0x10], list: [UInt8] = [0xC0, 0x59, 0, 0]
        for (type, inside) in [(0xFF00, cost), (0xFF00, list), (networkInfo, list)] as [(UInt16, [UInt8])] {
            #expect(!isAdmitted(check((username, Array("here:there".utf8)), (type, number + inside))))
        }
    }

    @Test("What a TURN server passes on is looked at as well")
    func relayed() {
        let (good, bad) = (check((miscInfo, [0, 0])), check((miscInfo, [])))
        let client = Gate(hasDataChannels: true)
        for (inside, isGood) in [(good, true), (bad, false)] {
            for datagram in [
                [0x40, 0, 0, UInt8(inside.count)] + inside, check((0x0013, inside), type: 0x0017),
            ] {
                #expect(client.admits(datagram) == isGood)
                // A leg of the router has no such server.
                #expect(isAdmitted(datagram))
            }
        }
        // No one reads what is in another one: as deep as fits into a datagram.
        var deep: [UInt8] = []
        while deep.count < 65_000 { deep = check((0x0013, deep), type: 0x0017) }
        let channels = [UInt8](repeating: 0x40, count: 65_000)
        for datagram in [deep, channels] { #expect(client.admits(datagram) && isAdmitted(datagram)) }
    }

    @Test("Of DTLS a leg of media gets no data, and a connection with data channels no alerts beside them")
    func records() {
        let (alert, handshake, data): (UInt8, UInt8, UInt8) = (21, 22, 23)
        let (leg, client) = (Gate(), Gate(hasDataChannels: true))
        for epoch: UInt16 in [0, 1] {
            #expect(
                leg.admits(record(handshake, epoch: epoch)) && client.admits(record(handshake, epoch: epoch)))
            #expect(leg.admits(record(alert, epoch: epoch)) && !leg.admits(record(data, epoch: epoch)))
            #expect(client.admits(record(alert, epoch: epoch)) == (epoch == 0))
            #expect(client.admits(record(data, epoch: epoch)) == (epoch == 1))
        }
        // Behind others in one datagram, too, and behind one that says that it is longer.
        #expect(!leg.admits(record(handshake, epoch: 0) + record(20, epoch: 0) + record(data, epoch: 1)))
        #expect(leg.admits([22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 1, 255, 255] + record(data, epoch: 1)))
    }

    @Test("Media come from where this end sent something that is no error")
    func addresses() {
        let gate = Gate()
        #expect(!gate.admits(media(1), from: 5))
        gate.sent(check(type: refusal), to: 5)
        #expect(!gate.admits(media(1), from: 5))
        gate.sent(check(type: answer), to: 5)
        #expect(gate.admits(media(1), from: 5) && !gate.admits(media(1), from: 6))
    }

    @Test(
        "There may be 64 SSRCs, of media or of their reports, and one more after each 10 s",
        arguments: [96, 200] as [UInt8])
    func sources(type: UInt8) {
        let gate = Gate()
        gate.sent(check(), to: 1)
        for source: UInt32 in 1...64 { #expect(gate.admits(media(source, type: type))) }
        #expect(!gate.admits(media(65, type: type), at: 9999) && gate.admits(media(7, type: type), at: 9999))
        #expect(
            gate.admits(media(66, type: type), at: 10_000) && !gate.admits(media(67, type: type), at: 10_000))
    }

    @Test("Checks are answered to 32 addresses at a time; those that are refused fill nothing")
    func paths() {
        let gate = Gate()
        let good = check((username, Array("here:there".utf8)))
        for port: UInt16 in 1000..<2000 {
            #expect(gate.admits(good, from: port))
            gate.sent(check(type: refusal), to: port)
        }
        for port: UInt16 in 1...32 {
            #expect(gate.admits(good, from: port, at: 1))
            gate.sent(check(type: answer), to: port, at: 1)
        }
        #expect(!gate.admits(good, from: 33, at: 30_000) && gate.admits(good, from: 32, at: 30_000))
        gate.sent(check(type: answer), to: 32, at: 30_000)
        #expect(gate.admits(good, from: 33, at: 30_002) && gate.admits(good, from: 32, at: 30_002))
    }

    @Test("No bytes are read beyond the end", arguments: Seed.draw(4))
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let client = Gate(hasDataChannels: true)
        for _ in 0..<20_000 {
            var datagram = check((UInt16(random.next(9)), Array(repeating: 58, count: random.next(9))))
            for _ in 0..<random.next(4) { datagram[random.next(datagram.count)] = UInt8(random.next(256)) }
            let cut = Array(datagram.prefix(random.next(datagram.count + 1)))
            _ = isAdmitted(cut)
            _ = client.admits([0x40, 0, 0, 0] + cut)
            _ = client.admits(check((0x0013, cut), type: 0x0017))
            _ = isAdmitted(record(22, epoch: 0, cut))
        }
    }
}
