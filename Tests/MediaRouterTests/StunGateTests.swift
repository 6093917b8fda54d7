// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing

/// What everyone may send who has a password of ICE, and libwebrtc aborts on.
@Suite("Datagrams that reach a connection")
struct StunGateTests {
    private func isAdmitted(_ datagram: [UInt8]) -> Bool {
        datagram.withUnsafeBytes { bytes in
            sl_admits_datagram(bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
        }
    }

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

    @Test("A check as clients send it passes, and so does all that is no STUN")
    func ordinary() {
        #expect(isAdmitted(check((username, Array("here:there".utf8)), (networkInfo, [0, 1, 3, 231]))))
        #expect(isAdmitted(check((0x0020, Array(repeating: 1, count: 8)), type: 0x0101)))
        #expect(isAdmitted(check((miscInfo, [0, 0]))))
        // Of a server that repeats a name of its own.
        #expect(isAdmitted(check((username, Array("name".utf8)), type: 0x0101)))
        #expect(
            isAdmitted([]) && isAdmitted([0x80, 96, 0, 1])
                && isAdmitted([22, 254, 253] + Array(repeating: 0, count: 40)))
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
        #expect(!isAdmitted(check((networkInfo, [0, 1]))))
        for type: UInt16 in [1, 0x0101, 0x0011] { #expect(!isAdmitted(check((miscInfo, []), type: type))) }
        #expect(!isAdmitted(check((miscInfo, [1]))))
        // Also behind others, and what is cut off.
        #expect(
            !isAdmitted(check((username, Array("here:there".utf8)), (0x8022, [1, 2, 3]), (miscInfo, []))))
        #expect(!isAdmitted(check((username, Array("here:there".utf8))).dropLast(4) + []))
    }

    @Test("No bytes are read beyond the end", arguments: Seed.draw(4))
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            var datagram = check((UInt16(random.next(9)), Array(repeating: 58, count: random.next(9))))
            for _ in 0..<random.next(4) { datagram[random.next(datagram.count)] = UInt8(random.next(256)) }
            _ = isAdmitted(Array(datagram.prefix(random.next(datagram.count + 1))))
        }
    }
}
