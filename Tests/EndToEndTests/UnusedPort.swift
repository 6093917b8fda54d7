// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// A port for a server that cannot choose one itself.
enum UnusedPort {
    /// One of the loopback interface that no one uses now.
    static func find(_ kind: __socket_type) throws -> UInt16 {
        let socket = socket(AF_INET, Int32(kind.rawValue), 0)
        defer { Glibc.close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) == 0 && getsockname(socket, pointer, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        return UInt16(bigEndian: address.sin_port)
    }
}
