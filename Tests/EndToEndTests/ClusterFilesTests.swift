// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The files of the guide, with the programs of Debian for which they are.
    @Suite(
        .timeLimit(.minutes(8)),
        .enabled(
            if: PostgresCluster.isInstalled
                && FileManager.default.isExecutableFile(atPath: "/usr/sbin/haproxy"),
            "needs PostgreSQL and HAProxy (apt install postgresql haproxy)"))
    struct ClusterFilesTests {
        @Test(
            "three servers, PostgreSQL with its standby, and HAProxy: each is ended or killed, and nothing that was acknowledged is lost"
        )
        func files() async throws {
            let child = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                [
                    "python3", "-B", Repository.url("Scripts/cluster").path, "files",
                    BuiltProducts.sightline.path,
                ])
            let code = try await child.exitCode(within: .seconds(450))
            #expect(
                code == 0, "\(child.lines.joined(separator: "\n"))\n\(child.errors.suffix(2000))")
        }
    }
}
