// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Sightline
import Testing

@testable import AppleOnStandIns

@Suite("The WebSocket on URLSession")
struct SignalingTests {
    @Test("where there is no server, or URLSession has no WebSockets, opening fails with the reason")
    func nobodyThere() async throws {
        // No one listens on port 1.
        let address = try SignalingAddress("ws://127.0.0.1:1")
        let error = await #expect(throws: SightlineError.self) {
            _ = try await URLSessionSignaling().open(address)
        }
        #expect(error?.code == .connectionFailed)
        #expect(error?.message.contains("127.0.0.1") == true)
    }
}
