// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import NIOCore
import NIOSSL
import NIOWebSocket
import RouterWire
import SessionCore
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite("A session over a real socket", .timeLimit(.minutes(3)))
struct WebSocketTests {
    @Test("a client joins, is sent its own connection, and others are notified of it")
    func join() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let (alice, first) = try await server.join(session, name: "alice")
            #expect(first.connection.name == "alice")
            #expect(first.connections.isEmpty)
            let (bob, second) = try await server.join(session, .subscriber, name: "bob")
            #expect(second.connections == [first.connection])
            #expect(try await alice.message() == ServerMessage(.connectionCreated(second.connection)))
            await bob.close()
            let gone = ServerMessage(.connectionDestroyed(.init(id: second.connection.id, reason: "lost")))
            #expect(try await alice.message() == gone)
        }
    }

    @Test("a client publishes, another subscribes, the first leaves")
    func call() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            let (bob, _) = try await server.join(session, .subscriber)
            _ = try await alice.message()
            try await FakeRouter.attached(to: server) {
                try await alice.send(ClientMessage(id: 2, .publish(.camera("cam"))))
                guard case .published(let published) = try await alice.message().body else {
                    Issue.record("not published")
                    return
                }
                #expect(try await bob.message() == ServerMessage(.streamCreated(published.stream)))
                let subscribe = ClientMessage.Subscribe(leg: "s", stream: published.stream.id, offer: "o")
                try await bob.send(ClientMessage(id: 2, .subscribe(subscribe)))
                let answer = ServerMessage(re: 2, .subscribed(.init(leg: "s", answer: "answer")))
                #expect(try await bob.message() == answer)
                try await alice.send(ClientMessage(id: 3, .leave))
                #expect(try await alice.message() == ServerMessage(re: 3, .done))
                #expect(try await alice.end() == 1000)
                let gone = ServerMessage(.streamDestroyed(.init(id: published.stream.id, reason: "left")))
                #expect(try await bob.message() == gone)
                guard case .connectionDestroyed = try await bob.message().body else {
                    Issue.record("bob was not notified that alice left")
                    return
                }
            }
        }
    }

    @Test(
        "descriptions and what goes to many come packed to who offers to pack, and plain to others",
        arguments: [
            ("permessage-deflate; client_max_window_bits", true), ("permessage-deflate", false), (nil, true),
        ]
            as [(String?, Bool)])
    func packed(packing: String?, isResumable: Bool) async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let bob = try await TestSocket.connect(port: server.port, packing: packing)
            let join = ClientMessage.Join(
                token: try await server.token(session, .subscriber), resumable: isResumable ? true : nil)
            try await bob.send(ClientMessage(id: 1, .join(join)))
            _ = try await bob.message()
            let alice = try await TestSocket.connect(port: server.port, packing: packing)
            try await alice.send(ClientMessage(id: 1, .join(.init(token: try await server.token(session)))))
            _ = try await alice.message()
            _ = try await bob.message()
            let before = bob.packedSizes.count
            let description = FakeRouter.description
            try await FakeRouter.attached(to: server, answer: description) {
                var publish = ClientMessage.Publish.camera("cam")
                publish.content.name = String(repeating: "camera ", count: 18)
                try await alice.send(ClientMessage(id: 2, .publish(publish)))
                guard case .published(let published) = try await alice.message().body,
                    case .streamCreated(let stream) = try await bob.message().body
                else {
                    Issue.record("not published")
                    return
                }
                #expect(published.answer == description && stream == published.stream)
                // What came packed; of the description less than half.
                #expect(alice.packedSizes.isEmpty == (packing == nil))
                #expect(alice.packedSizes.allSatisfy { $0 < description.utf8.count / 2 })
                #expect(bob.packedSizes.count - before == (packing == nil ? 0 : 1))
            }
        }
    }

    @Test(
        "what browsers and the SDK offer of packing is answered, and nothing to who offers none",
        arguments: [
            ("permessage-deflate; client_max_window_bits", "client_max_window_bits=12"),
            ("permessage-deflate", "client_no_context_takeover"),
            (
                "permessage-deflate; server_no_context_takeover; client_max_window_bits",
                "client_max_window_bits=12"
            ),
            (
                "permessage-deflate; server_max_window_bits=10, permessage-deflate",
                "client_no_context_takeover"
            ),
            ("permessage-deflate; server_max_window_bits=10", nil), (nil, nil),
        ] as [(String?, String?)])
    func packingAnswer(offer: String?, wanted: String?) async throws {
        try await TestServer.run { server in
            let connection = try await RawConnection.connect(port: server.port)
            let fields = offer.map { ["Sec-WebSocket-Extensions": $0] } ?? [:]
            try await connection.send(RawConnection.upgrade(fields))
            try await eventually("an answer") { connection.hasHead }
            let head = connection.text.lowercased()
            let lines = head.split(separator: "\r\n").filter { $0.hasPrefix("sec-websocket-extensions:") }
            let answer = wanted.map {
                "sec-websocket-extensions: permessage-deflate; server_no_context_takeover; \($0)"
            }
            #expect(lines.map(String.init) == [answer].compactMap { $0 })
            await connection.close()
        }
    }

    @Test("a bad client is answered, then closed, and another does not notice")
    func badClient() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            let (mallory, _) = try await server.join(session)
            guard case .connectionCreated = try await alice.message().body else {
                Issue.record("alice did not hear who came")
                return
            }
            for (text, id) in [
                ("{", nil), (#"{"id":7,"type":"nonsense"}"#, 7), (#"{"id":8,"type":"publish"}"#, 8),
                ("[]", nil),
                (#"{"id":"x","type":"leave"}"#, nil), (String(repeating: "[", count: 100_000), nil),
            ] as [(String, Int?)] {
                try await mallory.send(text: text)
                let answer = try await mallory.error()
                #expect(answer.re == id && answer.code == .malformed, "\(text.prefix(40))")
            }
            try await mallory.send(.binary, ByteBuffer(bytes: [0, 255]))
            #expect(try await mallory.error().code == .malformed)
            try await mallory.send(ClientMessage(id: 1, .leave))
            #expect(try await mallory.error().code == .duplicateId)
            for _ in 1...8 { try await mallory.send(text: "\u{FFFD}{") }
            #expect(try await mallory.end() == 1008)
            guard case .connectionDestroyed = try await alice.message().body else {
                Issue.record("alice was sent something else")
                return
            }
            try await alice.send(ClientMessage(id: 2, .unpublish(.init(leg: "x"))))
            #expect(try await alice.error().code == .unknownLeg)
        }
    }

    @Test(
        "a message over the limit is answered and the socket closed, however it is cut",
        arguments: [true, false])
    func oversized(inFragments: Bool) async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let (mallory, _) = try await server.join(session)
            let half = ByteBuffer(repeating: UInt8(ascii: " "), count: SessionProtocol.messageLimit / 2 + 1)
            if inFragments {
                try await mallory.send(.text, half, fin: false)
                try await mallory.send(.continuation, half, fin: true)
            } else {
                try await mallory.send(
                    .text, ByteBuffer(repeating: 32, count: SessionProtocol.messageLimit + 1))
            }
            #expect(try await mallory.error().code == .tooLarge)
            #expect(try await mallory.end() == 1008)
        }
    }

    @Test("a message at the limit, in fragments, is read")
    func atTheLimit() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            var text = #"{"id":2,"type":"unpublish","leg":"x","filler":""#
            text += String(repeating: "y", count: SessionProtocol.messageLimit - text.utf8.count - 2) + #""}"#
            #expect(text.utf8.count == SessionProtocol.messageLimit)
            let middle = text.utf8.count / 2
            try await alice.send(.text, ByteBuffer(string: String(text.prefix(middle))), fin: false)
            try await alice.send(.continuation, ByteBuffer(string: String(text.dropFirst(middle))), fin: true)
            let answer = try await alice.error()
            #expect(answer.re == 2 && answer.code == .unknownLeg)
        }
    }

    @Test("tokens that are not in order do not open a session, ones for another session do not open this one")
    func tokens() async throws {
        try await TestServer.run { server in
            let socket = try await TestSocket.connect(port: server.port)
            let foreign = await TokenIssuer(applicationID: "other", applicationSecret: TestServer.secret)
            let forged = await TokenIssuer(
                applicationID: TestServer.applicationID,
                applicationSecret: "forged forged forged forged forged forged")
            for (id, token, code) in [
                (1, "nonsense", ServerError.Code.invalidToken),
                (2, try await foreign.token(session: "s", role: .publisher).token, .invalidToken),
                (3, try await forged.token(session: "s", role: .publisher).token, .invalidToken),
                (4, try await server.token("nowhere"), .unknownSession),
            ] {
                try await socket.send(ClientMessage(id: id, .join(.init(token: token))))
                let answer = try await socket.error()
                #expect(answer.re == id && answer.code == code)
            }
            let session = try await server.server.createSession().session
            let join = ClientMessage.Join(version: 99, token: try await server.token(session))
            try await socket.send(ClientMessage(id: 5, .join(join)))
            #expect(try await socket.error().code == .unsupportedVersion)
            #expect(await server.server.health.connections == 0)
        }
    }

    @Test("a client that closes its half is gone")
    func halfClosed() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            let (bob, _) = try await server.join(session)
            _ = try await alice.message()
            try await bob.channel.close(mode: .output)
            guard case .connectionDestroyed = try await alice.message().body else {
                Issue.record("alice was sent something else")
                return
            }
            #expect(try await bob.end() == nil)
        }
    }

    @Test("a client that does not answer pings is gone, one that does stays")
    func silentClient() async throws {
        var configuration = TestServer.configuration
        configuration.timeouts.heartbeat = .milliseconds(50)
        configuration.timeouts.silence = .seconds(3)
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            let silent = try await TestSocket.connect(port: server.port, answersPings: false)
            try await silent.send(ClientMessage(id: 1, .join(.init(token: try await server.token(session)))))
            guard case .connectionCreated = try await alice.message().body,
                case .connectionDestroyed(let gone) = try await alice.message().body
            else {
                Issue.record("alice was sent something else")
                return
            }
            #expect(gone.reason == "lost")
            try await alice.send(ClientMessage(id: 2, .unpublish(.init(leg: "x"))))
            #expect(try await alice.error().re == 2)
        }
    }

    @Test("a client that reads nothing is cut off once its backlog is full, and others are served meanwhile")
    func slowClient() async throws {
        var configuration = TestServer.configuration
        configuration.limits.backlog = 1 << 16
        configuration.limits.messagesPerSecond = 100_000
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            let stuck = try await TestSocket.connect(port: server.port, readsFrames: false)
            try await stuck.send(ClientMessage(id: 1, .join(.init(token: try await server.token(session)))))
            guard case .connectionCreated = try await alice.message().body else {
                Issue.record("alice did not hear who came")
                return
            }
            try await FakeRouter.attached(to: server) {
                try await stuck.send(ClientMessage(id: 2, .publish(.camera("cam"))))
                guard case .streamCreated = try await alice.message().body else {
                    Issue.record("alice was not notified of the stream")
                    return
                }
                let text = "candidate:" + String(repeating: "1", count: 4000)
                var id = 2
                // The stuck client's kernel buffers take a few megabytes.
                while await server.server.health.connections == 2, id < 1000 {
                    for _ in 0..<50 {
                        // Of the first few legs of the one session there is one, which is the stuck client's.
                        for leg in 1...4 as ClosedRange<UInt64> {
                            let name: LegName = "leg-1-\(leg)"
                            await server.server.hub.handle(
                                .router(
                                    .candidate(.init(leg: name, mid: nil, lineIndex: nil, candidate: text)),
                                    from: .first))
                        }
                    }
                    try await alice.send(ClientMessage(id: id, .unpublish(.init(leg: "x"))))
                    id += 1
                    _ = try await alice.message()
                }
                #expect(await server.server.health.connections == 1)
            }
        }
    }

    @Test("graceful shutdown says goodbye and ends, also with idle and silent connections")
    func shutdown() async throws {
        // A server that waited for its clients would not end before the suite's time limit.
        var configuration = TestServer.configuration
        configuration.timeouts.silence = .seconds(3600)
        configuration.timeouts.idle = .seconds(3600)
        configuration.timeouts.request = .seconds(3600)
        configuration.timeouts.join = .seconds(3600)
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            _ = try await TestSocket.connect(port: server.port)
            _ = try await TestSocket.connect(port: server.port, readsFrames: false)
            // Neither of these closes its own end, nor does the first ever say anything.
            _ = try await RawConnection.connect(port: server.port)
            try await RawConnection.connect(port: server.port).send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            await server.server.shutdown()
            #expect(try await alice.message() == ServerMessage(.goodbye(.init(reason: "shutdown"))))
            #expect(try await alice.end() == 1001)
        }
    }

    @Test("the same goes over TLS, goodbye included")
    func overTLS() async throws {
        var configuration = TestServer.configuration
        configuration.tls = .init(
            certificateChain: Repository.fixture("tls/certificate.pem").path,
            privateKey: Repository.fixture("tls/key.pem").path)
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let alice = try await TestSocket.connect(port: server.port, usesTLS: true)
            try await alice.send(ClientMessage(id: 1, .join(.init(token: try await server.token(session)))))
            guard case .joined = try await alice.message().body else {
                Issue.record("alice has not joined")
                return
            }
            let bob = try await TestSocket.connect(port: server.port, usesTLS: true)
            try await bob.send(ClientMessage(id: 1, .join(.init(token: try await server.token(session)))))
            guard case .connectionCreated = try await alice.message().body else {
                Issue.record("alice did not hear who came")
                return
            }
            try await bob.channel.close(mode: .output)
            guard case .connectionDestroyed = try await alice.message().body else {
                Issue.record("alice was sent something else")
                return
            }
            await server.server.shutdown()
            #expect(try await alice.end() == 1001)
        }
    }

    @Test(
        "a certificate that is replaced is the next connection's, and those that are there continue",
        .enabled(if: TestCertificate.isPossible, "needs openssl"), arguments: ["by itself", "on request"])
    func renewal(how: String) async throws {
        let (first, second) = (try TestCertificate(), try TestCertificate())
        let old = try Data(contentsOf: URL(filePath: first.certificate))
        defer { for one in [first, second] { try? one.remove() } }
        var configuration = TestServer.configuration
        configuration.tls = .init(certificateChain: first.certificate, privateKey: first.key)
        configuration.timeouts.certificates = how == "by itself" ? .milliseconds(50) : .seconds(1000)
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let alice = try await TestSocket.connect(
                port: server.port, usesTLS: true, trusting: first.certificate)
            try await alice.send(ClientMessage(id: 1, .join(.init(token: try await server.token(session)))))
            _ = try await alice.message()
            // Half of it is there: the old one stays in use.
            try Data(contentsOf: URL(filePath: second.certificate)).write(
                to: URL(filePath: first.certificate))
            await server.server.reloadCertificates()
            let trusted = URL(filePath: second.certificate).deletingLastPathComponent().appending(
                path: "old.pem")
            try old.write(to: trusted)
            _ = try await TestSocket.connect(port: server.port, usesTLS: true, trusting: trusted.path)
            try Data(contentsOf: URL(filePath: second.key)).write(to: URL(filePath: first.key))
            if how == "on request" { await server.server.reloadCertificates() }
            try await eventually("the new certificate") {
                let socket = try? await TestSocket.connect(
                    port: server.port, usesTLS: true, trusting: second.certificate)
                await socket?.close()
                return socket != nil
            }
            try await alice.send(ClientMessage(id: 2, .unpublish(.init(leg: "x"))))
            #expect(try await alice.error().re == 2)
            await alice.close()
        }
    }

    @Test("TLS before 1.2 is not spoken", arguments: [TLSVersion.tlsv11, .tlsv12])
    func oldTLS(version: TLSVersion) async throws {
        var configuration = TestServer.configuration
        configuration.tls = .init(
            certificateChain: Repository.fixture("tls/certificate.pem").path,
            privateKey: Repository.fixture("tls/key.pem").path)
        try await TestServer.run(configuration) { server in
            let socket = try? await within(.seconds(60), "TLS") {
                try await TestSocket.connect(port: server.port, usesTLS: true, latestTLS: version)
            }
            #expect((socket != nil) == (version == .tlsv12))
            await socket?.close()
        }
    }

    @Test("a server that cannot listen says why")
    func portInUse() async throws {
        try await TestServer.run { server in
            var configuration = TestServer.configuration
            configuration.port = server.port
            let second = SightlineServer(configuration: configuration)
            let error = await #expect(throws: ConfigurationError.self) { try await second.run() }
            #expect(error?.description.contains("is in use") == true)
            await #expect(throws: (any Error).self) { _ = try await second.boundPort }
        }
        var tls = TestServer.configuration
        tls.tls = .init(certificateChain: "/nowhere", privateKey: "/nowhere")
        await #expect(throws: ConfigurationError.self) { try await SightlineServer(configuration: tls).run() }
    }
}
