// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// A certificate of one's own for this machine, made for one test.
package struct TestCertificate: Sendable {
    private static let openssl = "/usr/bin/openssl"
    /// Whether one can be made here.
    package static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: openssl) }

    /// openssl made none.
    package struct NotMade: Error {}

    private let folder: URL
    /// PEM file with the certificate.
    package var certificate: String { folder.appendingPathComponent("certificate.pem").path }
    /// PEM file with its private key.
    package var key: String { folder.appendingPathComponent("key.pem").path }

    /// Makes one for localhost and 127.0.0.1.
    package init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "sightline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.openssl)
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", key, "-out", certificate,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NotMade() }
    }

    /// Deletes its files.
    package func remove() throws { try FileManager.default.removeItem(at: folder) }
}
