// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// A blocking IPv4 socket in a namespace.
final class InternetSocket: Sendable {
    enum Kind {
        case udp, tcp
    }

    private let descriptor: Int32

    init(_ kind: Kind, in namespace: NetworkNamespace) throws {
        let type = kind == .udp ? SOCK_DGRAM : SOCK_STREAM
        descriptor = try namespace.openSocket(type: Int32(type.rawValue))
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Binds to an address, and returns the port that the system chose.
    func bind(_ address: String) throws -> UInt16 {
        _ = try withAddress(address, port: 0) { try check("bind", Glibc.bind(descriptor, $0, $1)) }
        var bound = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = try withUnsafeMutablePointer(to: &bound) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try check("getsockname", getsockname(descriptor, $0, &size))
            }
        }
        return UInt16(bigEndian: bound.sin_port)
    }

    func connect(_ address: String, port: UInt16) throws {
        _ = try withAddress(address, port: port) { try check("connect", Glibc.connect(descriptor, $0, $1)) }
    }

    func listen() throws { try check("listen", Glibc.listen(descriptor, 4)) }

    func accept() throws -> InternetSocket {
        InternetSocket(descriptor: try check("accept", Glibc.accept(descriptor, nil, nil)))
    }

    /// Sends without waiting for small amounts to become larger ones.
    func sendAtOnce() { set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1)) }

    /// Makes room for much that is not read at once.
    func enlargeReceiveBuffer() { set(SOL_SOCKET, SO_RCVBUFFORCE, Int32(8 << 20)) }

    /// How long `receive` waits.
    func setTimeout(milliseconds: Int) {
        set(
            SOL_SOCKET, SO_RCVTIMEO,
            timeval(tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000))
    }

    /// Sends, waiting for room; false once the connection is over.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) > 0
    }

    /// Receives what is there; 0 at the connection's end, or when nothing came in time.
    func receive(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        max(0, recv(descriptor, bytes.baseAddress, bytes.count, 0))
    }

    /// Ends a connection: who waits for it returns.
    func shutdown() { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// What most devices use, whatever this one does: BBR hardly fills a queue that CUBIC keeps full.
    func useCubic() throws {
        let name = Array("cubic".utf8)
        let result = setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, name, socklen_t(name.count))
        _ = try check("use CUBIC", result)
    }

    /// The name of its congestion control.
    var congestionControl: String {
        var name = [UInt8](repeating: 0, count: 16)
        var size = socklen_t(name.count)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &size) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }

    private func set<Value>(_ level: Int32, _ option: Int32, _ value: Value) {
        withUnsafeBytes(of: value) {
            _ = setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count))
        }
    }

    private func withAddress<Result>(
        _ text: String, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) throws -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, text, &address.sin_addr) == 1 else {
            throw LineFailure("'\(text)' is no IPv4 address")
        }
        return try withUnsafePointer(to: address) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    @discardableResult
    private func check(_ action: String, _ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw LineFailure(action, result: -errno) }
        return result
    }
}

/// A thread that runs a body once and can be waited for.
final class Worker<Output: Sendable>: Sendable {
    private final class Box: @unchecked Sendable {
        // Written before the semaphore is signalled, read after it was waited for.
        var output: Result<Output, any Error>?
    }

    private let box = Box()
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Output) {
        let box = box, ended = ended
        Thread {
            box.output = Result { try body() }
            ended.signal()
        }.start()
    }

    /// Waits for its end; once only.
    func output() throws -> Output {
        ended.wait()
        guard let output = box.output else { throw LineFailure("a thread ended without a result") }
        return try output.get()
    }
}
