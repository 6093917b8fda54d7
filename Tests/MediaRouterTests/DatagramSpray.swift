// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Throws datagrams at a UDP port of this machine that look like STUN, DTLS, RTP and RTCP at first, and like nothing
/// after that.
struct DatagramSpray: ~Copyable {
    private let socket: Int32
    private let address: Address
    private var random: SeededRandom

    private enum Address {
        case four(sockaddr_in)
        case six(sockaddr_in6)
    }

    /// - Parameter isIPv6: Whether the port is one of `::1`, not of `127.0.0.1`.
    init(port: UInt16, isIPv6: Bool, seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        if isIPv6 {
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            six.sin6_addr = in6addr_loopback
            address = .six(six)
        } else {
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address = .four(four)
        }
        socket = Glibc.socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(socket >= 0)
    }

    deinit { close(socket) }

    mutating func send() {
        let datagram = makeDatagram()
        switch address {
        case .four(let address): send(datagram, to: address)
        case .six(let address): send(datagram, to: address)
        }
    }

    private func send(_ datagram: [UInt8], to address: some Any) {
        withUnsafeBytes(of: address) { bytes in
            _ = sendto(
                socket, datagram, datagram.count, 0, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
    }

    private mutating func makeDatagram() -> [UInt8] {
        let rest = (0..<random.next(random.next(20) == 0 ? 1400 : 80)).map { _ in UInt8(random.next(256)) }
        return makeBeginning(restLength: rest.count) + rest
    }

    private mutating func makeBeginning(restLength: Int) -> [UInt8] {
        let length = random.next(4) == 0 ? random.next(65_536) : restLength
        let size = [UInt8(length >> 8), UInt8(length & 255)]
        switch random.next(6) {
        case 0: return []
        // A binding request, response, error or indication with its cookie; some with a first attribute.
        case 1:
            let types: [[UInt8]] = [[0, 1], [1, 1], [1, 0x11], [0, 0x11]]
            let number = (0..<12).map { _ in UInt8(random.next(256)) }
            return types[random.next(4)] + size + [0x21, 0x12, 0xA4, 0x42] + number
        case 2:
            let attributes: [UInt8] = [0x06, 0x08, 0x20, 0x24, 0x25, 0x29, 0x2A]
            return [0, 1] + size + [0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12)
                + [0, attributes[random.next(attributes.count)]] + size
        // A record of DTLS: handshake, alert, change of cipher, data.
        case 3:
            return [UInt8(20 + random.next(4)), 0xFE, UInt8(random.next(2) == 0 ? 0xFF : 0xFD), 0, 0]
                + [UInt8](repeating: 0, count: 6) + size + [UInt8(random.next(25)), 0] + size
        // RTP and RTCP.
        case 4: return [0x80 | UInt8(random.next(64)), UInt8(random.next(256))]
        default: return [0x80 | UInt8(random.next(32)), UInt8(200 + random.next(8))] + size
        }
    }
}
