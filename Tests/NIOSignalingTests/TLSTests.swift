// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import NIOSSL
import NIOSignaling
import Sightline
import Testing

@Suite("Signalling over TLS", .timeLimit(.minutes(1)))
struct TLSTests {
    private static let openssl = "/usr/bin/openssl"

    /// A certificate of one's own for this machine, made for one test.
    private struct Certificate {
        let folder: URL
        var certificate: String { folder.appendingPathComponent("certificate.pem").path }
        var key: String { folder.appendingPathComponent("key.pem").path }

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "sightline-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: TLSTests.openssl)
            process.arguments = [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", key, "-out", certificate,
            ]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
        }

        func remove() throws { try FileManager.default.removeItem(at: folder) }

        func serverContext() throws -> NIOSSLContext {
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
                    privateKey: .privateKey(NIOSSLPrivateKey(file: key, format: .pem))))
        }
    }

    @Test(
        "A server with a trusted certificate is spoken to; any other is refused, saying what to look at",
        .enabled(if: FileManager.default.isExecutableFile(atPath: TLSTests.openssl), "needs openssl"))
    func trust() async throws {
        let certificate = try Certificate()
        let server = try await TestServer.start(tls: certificate.serverContext())
        let address = try SignalingAddress("wss://127.0.0.1:\(server.port)")
        let socket = try await NIOSignaling(trustedCertificates: certificate.certificate).open(address)
        var messages = socket.messages.makeAsyncIterator()
        try await socket.send("hello")
        #expect(try await messages.next() == "hello")
        await socket.close()
        #expect(try await messages.next() == nil)

        let error = await #expect(throws: SightlineError.self) { _ = try await NIOSignaling().open(address) }
        #expect(error?.code == .connectionFailed)
        #expect(error?.message.contains("a certificate trusted here") == true)
        let plain = try SignalingAddress("ws://127.0.0.1:\(server.port)")
        await #expect(throws: SightlineError.self) { _ = try await NIOSignaling().open(plain) }
        try await eventually("nothing is left") { server.sockets == 0 }
        try await server.stop()
        try certificate.remove()
    }
}
