// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing

@testable import LibWebRTC

extension EngineTests {
    /// What an engine's threads may do to the process that they are in.
    @Suite("The end of a process")
    struct ProcessEndTests {
        /// Threads that end free what they hold of OpenSSL's; its handler at exit would free it at the same time.
        @Test("a process ends in order while an engine's threads are ending", arguments: 0..<12)
        func endsMeanwhile(round: Int) async {
            await #expect(processExitsWith: .success) { [round] in
                var parties = try (0..<8).map { _ in try Party(try NativeEngine()) }
                for party in parties { _ = try await party.peer.createOffer(restartICE: false) }
                let leaving = parties
                parties = []
                Thread.detachNewThread { [leaving] in
                    var leaving = leaving
                    while !leaving.isEmpty { leaving.removeLast() }
                }
                // At another moment of it each time.
                usleep(UInt32(round * 400))
                exit(EXIT_SUCCESS)
            }
        }
    }
}
