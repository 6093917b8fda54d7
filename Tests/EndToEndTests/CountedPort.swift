// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// A TCP port of the loopback interface at which whoever connects is counted, and turned away.
final class CountedPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    init() throws {
        number = try UnusedPort.find(SOCK_STREAM)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        // The system lets them in, so no thread has to: they wait for being counted.
        guard isBound, listen(descriptor, 16) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
    }

    deinit { close(descriptor) }

    /// How many have connected since it was last asked for.
    func takeCount() -> Int {
        var count = 0
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return count }
            close(connection)
            count += 1
        }
    }
}
