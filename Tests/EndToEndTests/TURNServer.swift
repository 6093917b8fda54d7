// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport

/// A real coturn on the loopback interface.
struct TURNServer {
    static let path = "/usr/bin/turnserver"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    let secret = UUID().uuidString
    let port: UInt16
    private let process: ChildProcess
    private let folder: URL

    var url: String { "turn:127.0.0.1:\(port)?transport=udp" }

    init() async throws {
        port = try Self.freePort()
        folder = FileManager.default.temporaryDirectory.appending(path: "turn-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process = try ChildProcess(
            URL(filePath: Self.path),
            [
                "-n", "--listening-ip=127.0.0.1", "--relay-ip=127.0.0.1", "--listening-port=\(port)",
                "--realm=sightline", "--use-auth-secret", "--static-auth-secret=\(secret)",
                "--allow-loopback-peers", "--no-tls", "--no-dtls", "--no-tcp", "--no-tcp-relay",
                "--cli-password=\(UUID().uuidString)", "--no-cli", "--log-file=stdout", "--simple-log",
                "--pidfile=\(folder.path)/pid", "--userdb=\(folder.path)/db",
            ])
        try await eventually("coturn's start") {
            (process.lines + [process.errors]).contains { $0.contains("Total General servers") }
        }
    }

    func close() async throws {
        process.send(signal: SIGKILL)
        _ = try? await process.exitCode()
        try FileManager.default.removeItem(at: folder)
    }

    /// A UDP port that nobody uses now.
    private static func freePort() throws -> UInt16 {
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
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
