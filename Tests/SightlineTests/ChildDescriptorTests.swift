// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if os(Linux)
import Foundation
import Glibc
import TestSupport
import Testing

/// Sockets and pipes that are not closed on exec, as NIO's are: a child that has one keeps it open after it was closed.
@Suite struct ChildDescriptorTests {
    /// Standard input, output and error, and the folder that is listed.
    private static let own = ["0", "1", "2", "3"]

    @Test("a program that a test runs has none of the test's")
    func child() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let child = try ChildProcess(URL(filePath: "/bin/ls"), ["/proc/self/fd"])
        _ = try await child.exitCode()
        #expect(child.lines == Self.own)
    }
}
#endif
