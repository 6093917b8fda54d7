// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Logging
import NIOCertificateReloading
import NIOSSL
import Synchronization

/// The server's certificate and key, read again when their files change: new connections get the new ones, and those that
/// are there stay as they are.
struct Certificates: Sendable {
    /// Says what has changed, and what is wrong once.
    private final class Narrator: Sendable {
        private let problem = Mutex<String?>(nil)
        private let logger: Logger

        init(_ logger: Logger) { self.logger = logger }

        func loaded(isNew: Bool) {
            let wasWrong = problem.withLock { problem in
                defer { problem = nil }
                return problem != nil
            }
            if isNew || wasWrong { logger.notice("certificate loaded") }
        }

        func failed(_ error: any Error) {
            let isNew = problem.withLock { problem in
                defer { problem = "\(error)" }
                return problem != "\(error)"
            }
            guard isNew else { return }
            logger.error(
                "the certificate's files cannot be used; the last ones stay in use",
                metadata: ["error": "\(error)"])
        }
    }

    private struct NoBlock: Error {}

    private let reloader: TimedCertificateReloader
    private let narrator: Narrator
    private let interval: Duration

    /// Reads the files.
    ///
    /// - Parameter interval: Time between two looks at them.
    /// - Throws: ``ConfigurationError`` if they cannot be used.
    init(
        _ files: SessionServerConfiguration.TLSFiles, interval: Duration, logger: Logger
    ) throws(ConfigurationError) {
        let narrator = Narrator(logger)
        let configuration = TimedCertificateReloader.Configuration(
            refreshInterval: interval,
            certificateSource: .init(
                location: .memory { try Self.blocks("CERTIFICATE", of: files.certificateChain) }, format: .pem
            ),
            privateKeySource: .init(
                location: .memory { try Self.blocks("PRIVATE KEY", of: files.privateKey) }, format: .pem)
        ) {
            $0.onCertificateLoaded = { change in
                let former = change.previousCertificateChain
                narrator.loaded(isNew: former != nil && former != change.currentCertificateChain)
            }
        }
        do {
            reloader = try .makeReloaderValidatingSources(configuration: configuration)
        } catch {
            throw ConfigurationError(
                "certificate chain and private key must be PEM files that belong together")
        }
        self.narrator = narrator
        self.interval = interval
    }

    /// TLS with whatever certificate is the newest at a handshake.
    func configuration() throws(ConfigurationError) -> TLSConfiguration {
        do {
            var configuration = try TLSConfiguration.makeServerConfiguration(certificateReloader: reloader)
            configuration.minimumTLSVersion = .tlsv12
            return configuration
        } catch {
            throw ConfigurationError("the certificate cannot be used: \(error)")
        }
    }

    /// Reads the files again, now.
    func reload() {
        do { try reloader.reload() } catch { narrator.failed(error) }
    }

    /// Looks at the files again and again until the task is cancelled.
    func watch() async {
        while (try? await Task.sleep(for: interval)) != nil { reload() }
    }

    /// The blocks of a PEM file whose kind ends so; others, such as the parameters of a curve, are omitted.
    private static func blocks(_ kind: String, of path: String) throws -> [UInt8] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let blocks = text.matches(of: /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/)
            .filter { $0.1.hasSuffix(kind) }
        guard !blocks.isEmpty else { throw NoBlock() }
        return Array(blocks.map { String($0.0) }.joined(separator: "\n").utf8)
    }
}

extension SessionServerConfiguration.TLSFiles {
    /// When the first certificate of the chain ends.
    ///
    /// - Throws: ``ConfigurationError`` if a server could not use the files.
    package func end() throws(ConfigurationError) -> Date {
        let silent = Logger(label: "certificate") { _ in SwiftLogNoOpLogHandler() }
        let configuration = try Certificates(self, interval: .seconds(1), logger: silent).configuration()
        let ends = configuration.certificateChain.compactMap { source in
            if case .certificate(let certificate) = source { Double(certificate.notValidAfter) } else { nil }
        }
        return Date(timeIntervalSince1970: ends.min() ?? 0)
    }
}
