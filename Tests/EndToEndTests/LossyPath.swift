// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

/// A UDP path from one end to another on this machine, which loses what it is asked to on the way there, and nothing on
/// the way back.
final class LossyPath: Sendable {
    struct Failure: Error {
        var code = errno
    }

    /// Where the one end sends what is for the other.
    let port: UInt16
    private let near: Int32
    private let far: Int32
    private let percent = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    /// - Parameters:
    ///   - address: The IPv4 address of the end that it leads to.
    ///   - port: Its port.
    init(to address: String, port destination: UInt16) throws {
        let near = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let far = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        for end in [near, far] {
            var any = Self.address("0.0.0.0", 0)
            let bound = Self.with(&any) { bind(end, $0, $1) }
            guard bound == 0 else { throw Failure() }
        }
        var own = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = Self.with(&own) { pointer, _ in getsockname(near, pointer, &length) }
        port = UInt16(bigEndian: own.sin_port)
        self.near = near
        self.far = far
        let end = Self.address(address, destination)
        Thread.detachNewThread { [self] in run(to: end) }
    }

    deinit {
        close(near)
        close(far)
    }

    /// How much is lost on the way there, percent.
    func lose(_ percent: Int) { self.percent.store(percent, ordering: .relaxed) }

    func end() { isOver.store(true, ordering: .relaxed) }

    private func run(to end: sockaddr_in) {
        var (end, source) = (end, sockaddr_in())
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isOver.load(ordering: .relaxed) {
            var ready = [
                pollfd(fd: near, events: Int16(POLLIN), revents: 0),
                pollfd(fd: far, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ready, 2, 100) > 0 else { continue }
            if ready[0].revents != 0 {
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = Self.with(&source) { pointer, _ in
                    recvfrom(near, &buffer, buffer.count, 0, pointer, &length)
                }
                let isLost = Int.random(in: 0..<100) < percent.load(ordering: .relaxed)
                if count > 0, !isLost { _ = Self.with(&end) { sendto(far, buffer, count, 0, $0, $1) } }
            }
            if ready[1].revents != 0 {
                let count = recv(far, &buffer, buffer.count, 0)
                if count > 0 { _ = Self.with(&source) { sendto(near, buffer, count, 0, $0, $1) } }
            }
        }
    }

    private static func address(_ text: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, text, &address.sin_addr)
        return address
    }

    private static func with<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
