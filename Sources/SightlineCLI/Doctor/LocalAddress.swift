// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An address of this machine.
struct LocalAddress: Equatable {
    var text: String
    /// Whether it is one of the internet's.
    var isPublic: Bool

    /// `nil` if it is no address.
    init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        self.text = text
        if inet_pton(AF_INET, text, &four) == 1 {
            isPublic = Self.isPublic(UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            // Of IPv6 this eighth has been given out.
            isPublic = withUnsafeBytes(of: &six) { $0[0] & 0xe0 == 0x20 }
        } else {
            return nil
        }
    }

    private static func isPublic(_ address: UInt32) -> Bool {
        let others: [(base: UInt32, bits: UInt32)] = [
            (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12),
            (0xc0a8_0000, 16), (0, 8), (0xe000_0000, 3),
        ]
        return !others.contains { (address ^ $0.base) >> (32 - $0.bits) == 0 }
    }

    static func all() -> [LocalAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [LocalAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr else { continue }
            let family = Int32(address.pointee.sa_family)
            let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            guard family == AF_INET || family == AF_INET6 else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                    == 0
            else { continue }
            let plain = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // Without the zone of a link-local one.
            if let own = LocalAddress(String(plain.prefix { $0 != "%" })) { found.append(own) }
        }
        return found
    }
}
