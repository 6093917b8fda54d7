// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport

/// A real coturn on the loopback interface, which clients reach in one way only.
struct TURNServer {
    static let path = "/usr/bin/turnserver"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// How clients speak to it; what it relays goes by UDP in any case.
    enum Transport: CaseIterable {
        case udp, tcp, tls

        fileprivate var socketKind: __socket_type { self == .udp ? SOCK_DGRAM : SOCK_STREAM }

        fileprivate func url(port: UInt16) -> String {
            switch self {
            case .udp: "turn:127.0.0.1:\(port)?transport=udp"
            case .tcp: "turn:127.0.0.1:\(port)?transport=tcp"
            case .tls: "turns:127.0.0.1:\(port)?transport=tcp"
            }
        }

        fileprivate func options(port: UInt16, _ certificate: TestCertificate?) -> [String] {
            switch self {
            case .udp: ["--listening-port=\(port)", "--no-tls", "--no-dtls", "--no-tcp"]
            case .tcp: ["--listening-port=\(port)", "--no-tls", "--no-dtls", "--no-udp"]
            case .tls:
                ["--tls-listening-port=\(port)", "--no-dtls", "--no-udp", "--no-tcp"]
                    + (certificate.map { ["--cert=\($0.certificate)", "--pkey=\($0.key)"] } ?? [])
            }
        }
    }

    let secret = UUID().uuidString
    let url: String
    private let process: ChildProcess
    private let folder: URL

    /// - Parameter certificate: For TLS.
    init(_ transport: Transport = .udp, certificate: TestCertificate? = nil) async throws {
        let port = try UnusedPort.find(transport.socketKind)
        url = transport.url(port: port)
        folder = FileManager.default.temporaryDirectory.appending(path: "turn-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process = try ChildProcess(
            URL(filePath: Self.path),
            transport.options(port: port, certificate) + [
                "-n", "--listening-ip=127.0.0.1", "--relay-ip=127.0.0.1", "--realm=sightline",
                "--use-auth-secret", "--static-auth-secret=\(secret)", "--allow-loopback-peers",
                "--no-tcp-relay", "--cli-password=\(UUID().uuidString)", "--no-cli", "--log-file=stdout",
                "--simple-log", "--verbose", "--pidfile=\(folder.path)/pid", "--userdb=\(folder.path)/db",
            ])
        try await eventually("coturn's start") { log.contains("Total General servers") }
    }

    /// What it has said so far.
    var log: String { (process.lines + [process.errors]).joined(separator: "\n") }

    func close() async throws {
        process.send(signal: SIGKILL)
        _ = try? await process.exitCode()
        try FileManager.default.removeItem(at: folder)
    }
}
