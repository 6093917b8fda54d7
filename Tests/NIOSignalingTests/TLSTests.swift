// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import NIOSSL
import NIOSignaling
import Sightline
import TestSupport
import Testing

@Suite("Signalling over TLS", .timeLimit(.minutes(1)))
struct TLSTests {
    @Test(
        "A server with a trusted certificate is spoken to; any other is refused, saying what to look at",
        .enabled(if: TestCertificate.isPossible, "needs openssl"))
    func trust() async throws {
        let certificate = try TestCertificate()
        let server = try await TestServer.start(tls: serverContext(certificate))
        let address = try SignalingAddress("wss://127.0.0.1:\(server.port)")
        let socket = try await NIOSignalingTransport(trustedCertificates: certificate.certificate).open(
            address)
        var messages = socket.messages.makeAsyncIterator()
        try await socket.send("hello")
        #expect(try await messages.next() == "hello")
        await socket.close()
        #expect(try await messages.next() == nil)

        let error = await #expect(throws: SightlineError.self) {
            _ = try await NIOSignalingTransport().open(address)
        }
        #expect(error?.code == .connectionFailed)
        #expect(error?.message.contains("a certificate trusted here") == true)
        let plain = try SignalingAddress("ws://127.0.0.1:\(server.port)")
        await #expect(throws: SightlineError.self) { _ = try await NIOSignalingTransport().open(plain) }
        try await eventually("nothing is left") { server.sockets == 0 }
        try await server.stop()
        try certificate.remove()
    }

    private func serverContext(_ files: TestCertificate) throws -> NIOSSLContext {
        try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: files.key, format: .pem))))
    }
}
