// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOPosix
import Testing

@testable import SessionServer

@Suite("How long TCP waits before it sends again")
struct RetransmissionLimitTests {
    @Test("a second at most, on systems that know the option, and other sockets stay as they are")
    func limited() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let listener = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(listener.localAddress)
        var sockets: [any Channel] = []
        var found: [CInt?] = []
        for isLimited in [true, false] {
            let channel = try await ClientBootstrap(group: group).connect(to: address).get()
            sockets.append(channel)
            if isLimited { RetransmissionLimit.set(on: channel) }
            let socket = try #require(channel as? any SocketOptionProvider)
            // Unknown to Linux before 6.15.
            let value: CInt? = try? await socket.unsafeGetSocketOption(
                level: .tcp, name: NIOBSDSocket.Option(rawValue: 44)
            ).get()
            found.append(value)
        }
        #expect(found[1] != 1000)
        #expect(found[0] == (found[1] == nil ? nil : 1000))
        for channel in sockets + [listener] { try await channel.close() }
    }
}
