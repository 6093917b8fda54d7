// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP port at which no one listens, held so that no one else begins to.
final class DeafPort {
    private let socket: Int32
    let number: Int

    init() throws {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        socket = makeSocket(stream)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = socket
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        try #require(isBound)
    }

    deinit { close(socket) }
}

/// Outside of the class, whose member has the function's name.
private func makeSocket(_ type: Int32) -> Int32 { socket(AF_INET, type, 0) }
