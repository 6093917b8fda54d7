// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionWire
import TestSupport
import Testing

/// A database that servers share, with its tables.
struct ClusterDatabase: Sendable {
    /// As `--cluster` says it.
    let address: String

    init(_ cluster: PostgresCluster) async throws {
        let name = "e\(UInt64.random(in: .min ... .max))"
        try await Self.run(["createdb", "-h", cluster.folder, "-U", "sightline", name])
        address = "host=\(cluster.folder) user=sightline dbname=\(name)"
        try await Self.run([BuiltProducts.sightline.path, "cluster", "migrate", "--cluster", address])
    }

    /// The options of a server that keeps its calls there.
    func options(node: String) -> [String] { ["--cluster", address, "--node", node] }

    /// Servers that clients are sent to, n1, n2 and so on, each at an address that it says of itself.
    func nodes(_ count: Int, drainWithin seconds: Int = 0) async throws -> [ServerProcess] {
        let secret = UUID().uuidString + UUID().uuidString
        var nodes: [ServerProcess] = []
        for number in 1...count {
            let port = Int(try UnusedPort.find(SOCK_STREAM))
            let options =
                options(node: "n\(number)") + [
                    "--node-url", "http://127.0.0.1:\(port)", "--log-level", "warning",
                    "--drain-within", "\(seconds)",
                ]
            nodes.append(try await ServerProcess(options, port: port, secret: secret))
        }
        return nodes
    }

    /// Has a server give up its sessions.
    func drain(_ node: String, within seconds: Int) async throws {
        try await Self.run(
            [
                BuiltProducts.sightline.path, "cluster", "drain", node, "--within", "\(seconds)", "--cluster",
                address,
            ])
    }

    private static func run(_ words: [String]) async throws {
        let child = try ChildProcess(URL(filePath: "/usr/bin/env"), words)
        let code = try await child.exitCode()
        try #require(code == 0, "\(words.first ?? ""): \(child.errors)")
    }
}
