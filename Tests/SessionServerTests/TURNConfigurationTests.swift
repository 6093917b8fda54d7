// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionCore
import SessionWire
import Testing

@testable import SessionServer

@Suite("TURN credentials")
struct TURNConfigurationTests {
    @Test("are the expiry and the client, signed with the shared secret")
    func credentials() {
        let turn = TURNConfiguration(
            urls: ["turn:turn.example:3478"], secret: "north", lifetime: .seconds(600))
        let server = turn.server(for: "c1", at: 1_700_000_000_900)
        #expect(server.urls == ["turn:turn.example:3478"])
        #expect(server.username == "1700000600:c1")
        // printf 1700000600:c1 | openssl dgst -sha1 -hmac north -binary | base64
        #expect(server.credential == "rlH08aPEeLGwgIQl8HqpRgrq4dw=")
    }

    @Test("each client gets its own with the answer to its join")
    func joining() {
        let turn = TURNConfiguration(urls: ["turn:turn.example:3478"], secret: "north")
        var core = Lobby(
            iceServers: { [turn.server(for: $0, at: $1.unix)] },
            ids: IDSource(SystemRandomNumberGenerator()), seal: RestorationSeal(secret: "s"))
        let now = CoreTime(unix: 1_700_000_000_000, elapsed: .zero)
        var names: [String] = []
        guard let session = try? core.createSession(mediaMode: .relayed, at: now).session else {
            Issue.record("no session")
            return
        }
        for number in 1...2 as ClosedRange<UInt64> {
            let socket = SocketID(rawValue: number)
            _ = core.handle(.opened(socket), at: now)
            let grant = TokenGrant(session: session, role: .publisher, name: nil)
            for action in core.handle(.join(socket, id: 1, .init(token: "t"), .success(grant)), at: now) {
                guard case .send(_, let message) = action, case .joined(let joined) = message.body else {
                    continue
                }
                #expect(joined.iceServers.first?.username?.hasSuffix(joined.connection.id) == true)
                names += joined.iceServers.compactMap(\.username)
            }
        }
        #expect(Set(names).count == 2)
    }
}
