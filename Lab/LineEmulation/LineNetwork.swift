// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import Synchronization

/// A server's namespace, and the lines of its clients.
///
/// Everything is in namespaces that it makes, and removes in ``close()``. What a crash has left, the next one removes.
/// Networks share nothing: several may be open at a time, with the same addresses and ports in each.
package final class LineNetwork: Sendable {
    /// Where the server's programs run.
    ///
    /// It forwards between its clients, as the internet does.
    package let server: NetworkNamespace
    private let members = Mutex<[Line]>([])
    /// Held for as long as closing takes, so that whoever closes it second waits for the first, and while a line is made,
    /// so that none is left.
    private let isClosed = Mutex(false)
    private let number: Int
    private static let maximumLines = 250
    private static let made = Atomic(0)

    /// Makes the server's namespace.
    ///
    /// - Throws: ``LineFailure`` that says what is missing.
    package init() throws {
        try Self.requireRights()
        NetworkNamespace.removeStale()
        number = Self.made.add(1, ordering: .relaxed).oldValue
        do {
            server = try NetworkNamespace("server", network: number)
        } catch {
            throw LineFailure("\(error) (in a container it takes --cap-add NET_ADMIN --cap-add SYS_ADMIN)")
        }
        do {
            try server.set("net.ipv4.ip_forward", "1")
        } catch {
            server.remove()
            throw error
        }
    }

    /// The lines, in the order in which they were added.
    package var lines: [Line] { members.withLock { $0 } }

    /// Adds a client on a line of its own.
    package func addLine(_ name: String, _ conditions: NetworkConditions, seed: UInt64 = 1) throws -> Line {
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }), name != "server"
        else { throw LineFailure("'\(name)' is no name for a line: letters and digits, not 'server'") }
        return try isClosed.withLock { isClosed in
            guard !isClosed else { throw LineFailure("the network of line '\(name)' is closed") }
            return try makeLine(name, conditions, seed: seed)
        }
    }

    private func makeLine(_ name: String, _ conditions: NetworkConditions, seed: UInt64) throws -> Line {
        let others = lines
        guard !others.contains(where: { $0.name == name }) else {
            throw LineFailure("there are two lines '\(name)'")
        }
        guard others.count < Self.maximumLines else { throw LineFailure("there are too many lines") }
        let line = try Line(name, number: others.count, to: server, network: number, seed: seed)
        line.set(conditions)
        members.withLock { $0.append(line) }
        return line
    }

    /// Ends all programs in the namespaces and removes these.
    ///
    /// More than once does no harm.
    package func close() {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            isClosed = true
            for line in lines { line.remove() }
            server.remove()
        }
    }

    private static func requireRights() throws {
        guard geteuid() == 0 else {
            throw LineFailure("an emulated line makes network namespaces: run this as root (sudo)")
        }
        guard access("/dev/net/tun", R_OK | W_OK) == 0 else {
            throw LineFailure(
                """
                there is no /dev/net/tun: load the module (modprobe tun); in a container, start it with \
                --device /dev/net/tun --cap-add NET_ADMIN --cap-add SYS_ADMIN
                """)
        }
        for tool in ["ip", "nsenter"] where (try? Tool.run("which", tool)) == nil {
            throw LineFailure("there is no '\(tool)': apt-get install iproute2 util-linux")
        }
    }
}
